#include "aws/endpoint.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "aws/names.h"

namespace berth::aws {
namespace {

struct Partition {
  std::string_view region_prefix;
  std::string_view dns_suffix;
};

/// https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
/// Suffixes as in AWS's list of endpoints (botocore, data/endpoints.json). us-gov- shares the public suffix.
constexpr std::array kPartitions = {
    Partition{"cn-", "amazonaws.com.cn"},    Partition{"us-iso-", "c2s.ic.gov"},
    Partition{"us-isob-", "sc2s.sgov.gov"},  Partition{"us-isof-", "csp.hci.ic.gov"},
    Partition{"eu-isoe-", "cloud.adc-e.uk"}, Partition{"eusc-", "amazonaws.eu"},
};
constexpr std::string_view kPublicSuffix = "amazonaws.com";

Error invalid(std::string detail) {
  return Error{.kind = ErrorKind::kInvalid, .operation = "AWS settings", .detail = std::move(detail)};
}

Result<std::string> region_of(const Environment& environment) {
  for (const std::string name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    const auto region = setting(environment, name);
    if (!region) {
      continue;
    }
    if (!is_region_name(*region)) {
      return invalid(fmt::format(
          "{} is \"{}\", which is no region's name; set it to a name such as us-east-1", name, *region));
    }
    if (is_zone_name(*region)) {
      return invalid(fmt::format("{} is \"{}\", which names a zone and not a region; set it to \"{}\"", name,
                                 *region, region->substr(0, region->size() - 1)));
    }
    return *region;
  }
  return invalid(
      "no region is set; set AWS_REGION (or AWS_DEFAULT_REGION) to the region of the addresses, for example "
      "us-east-1");
}

/// The value of a variable that holds a URL, without slashes at its end. The value is not repeated in the
/// error: a URL can hold a password.
Result<std::string> url_of(const std::string& name, std::string url) {
  const std::string_view text = url;
  const bool has_scheme = text.starts_with("http://") || text.starts_with("https://");
  if (!has_scheme) {
    return invalid(
        fmt::format("{} does not begin with http:// or https://; set it to a whole URL, for example "
                    "http://127.0.0.1:4566",
                    name));
  }
  const std::string_view rest = text.substr(text.find("//") + 2);
  if (rest.empty() || rest.front() == '/') {
    return invalid(fmt::format(
        "{} is a URL without a host; set it to a whole URL, for example http://127.0.0.1:4566", name));
  }
  if (rest.find_first_of("@?#") != std::string_view::npos ||
      std::ranges::any_of(rest, [](unsigned char c) { return c <= ' ' || c == 0x7f; })) {
    return invalid(
        fmt::format("{} has a user, a query, a fragment or blanks in its URL; set it to scheme, host, port "
                    "and path alone",
                    name));
  }
  while (url.ends_with('/')) {
    url.pop_back();
  }
  return url;
}

}  // namespace

std::string public_ec2_url(const std::string& region) {
  const auto* const partition = std::ranges::find_if(
      kPartitions, [&region](const Partition& known) { return region.starts_with(known.region_prefix); });
  const std::string_view suffix = partition == kPartitions.end() ? kPublicSuffix : partition->dns_suffix;
  return fmt::format("https://ec2.{}.{}/", region, suffix);
}

Result<Ec2Endpoint> ec2_endpoint(const Environment& environment) {
  Result<std::string> region = region_of(environment);
  if (!region) {
    return std::move(region).error();
  }
  for (const std::string name : {"AWS_ENDPOINT_URL_EC2", "AWS_ENDPOINT_URL"}) {
    auto value = setting(environment, name);
    if (!value) {
      continue;
    }
    Result<std::string> url = url_of(name, *std::move(value));
    if (!url) {
      return std::move(url).error();
    }
    return Ec2Endpoint{*url + "/", *std::move(region)};
  }
  return Ec2Endpoint{public_ec2_url(*region), *region};
}

Result<std::string> imds_endpoint(const Environment& environment) {
  const std::string name = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
  if (auto value = setting(environment, name)) {
    return url_of(name, *std::move(value));
  }
  // https://docs.aws.amazon.com/sdkref/latest/guide/feature-imds-client.html
  std::string mode = setting(environment, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE").value_or("IPv4");
  std::ranges::transform(mode, mode.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (mode == "ipv4") {
    return std::string("http://169.254.169.254");
  }
  if (mode == "ipv6") {
    return std::string("http://[fd00:ec2::254]");
  }
  return invalid(
      fmt::format("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE is \"{}\"; set it to IPv4 or IPv6", mode));
}

}  // namespace berth::aws
