#include "sandbox/kube/list.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace berth::sandbox::kube {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// A token is opaque to clients. Ours is the hexadecimal form of "VERSION KEY": version 0 goes on with the
// newest state, for a client that accepts a list that is not consistent.
std::string make_token(std::uint64_t version, std::string_view last_key) {
  std::string token;
  for (const char c : fmt::format("{} {}", version, last_key)) {
    const auto byte = static_cast<unsigned char>(c);
    token += kHexDigits[byte >> 4U];
    token += kHexDigits[byte & 15U];
  }
  return token;
}

struct Token {
  std::uint64_t version = 0;
  std::string last_key;
};

std::optional<Token> parse_token(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const std::size_t high = kHexDigits.find(text[i]);
    const std::size_t low = kHexDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) {
      return std::nullopt;
    }
    plain += static_cast<char>(high * 16 + low);
  }
  Token token;
  const char* const end = plain.data() + plain.size();
  const auto read = std::from_chars(plain.data(), end, token.version);
  if (read.ec != std::errc{} || read.ptr == end || *read.ptr != ' ') {
    return std::nullopt;
  }
  token.last_key.assign(read.ptr + 1, end);
  return token;
}

Failure page_expired(const Token& token) {
  Failure failure = expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new "
      "list "
      "without the continue parameter, or use the continue token in this response to retrieve the remainder "
      "of the "
      "results. Continuing with the provided token results in an inconsistent list - objects that were "
      "created, "
      "modified, or deleted between the time the first chunk was returned and now may show up in the list.");
  failure.metadata["continue"] = make_token(0, token.last_key);
  return failure;
}

void fill_page(Page& page, const ObjectMap& objects, const ListOptions& options,
               const std::string& last_key) {
  const std::string prefix = options.space.empty() ? "" : options.space + "/";
  auto at = last_key.empty() ? objects.lower_bound(prefix) : objects.upper_bound(last_key);
  const std::uint64_t limit = options.version == 0U && options.token.empty() ? 0 : options.limit;
  std::string key;
  for (; at != objects.end() && at->first.starts_with(prefix); ++at) {
    if (!options.selector.matches(at->second->labels, at->second->fields)) {
      continue;
    }
    if (limit != 0 && page.items.size() == limit) {
      page.token = make_token(page.version, key);
      break;
    }
    page.items.push_back(at->second);
    key = at->first;
  }
  if (!page.token.empty() && options.selector.selects_all()) {
    std::uint64_t left = 0;
    for (; at != objects.end() && at->first.starts_with(prefix); ++at) {
      ++left;
    }
    page.remaining = left;
  }
}

std::optional<FieldError> wrong_match(std::string_view match, const std::optional<std::uint64_t>& version) {
  if (match.empty()) {
    return std::nullopt;
  }
  std::string field = "resourceVersionMatch";
  if (match != "Exact" && match != "NotOlderThan") {
    return FieldError{
        "FieldValueNotSupported", std::move(field),
        fmt::format("Unsupported value: \"{}\": supported values: \"Exact\", \"NotOlderThan\", \"\"", match)};
  }
  if (!version) {
    return forbidden_value(std::move(field),
                           "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (match == "Exact" && version == 0U) {
    return forbidden_value(std::move(field),
                           "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
  return std::nullopt;
}

}  // namespace

Outcome<std::optional<std::uint64_t>> read_version(std::string_view text) {
  if (text.empty()) {
    return std::optional<std::uint64_t>();
  }
  std::uint64_t version = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (failed != std::errc{} || end != text.data() + text.size()) {
    return refuse(
        bad_request(fmt::format("resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: parsing "
                                "\"{0}\": invalid syntax",
                                text)));
  }
  return std::optional(version);
}

Outcome<ListOptions> ListOptions::read(const Url& url, const ResourceType& type, std::string space) {
  ListOptions options;
  options.space = std::move(space);
  auto selector = Selector::parse(url.parameter("labelSelector"), url.parameter("fieldSelector"), type);
  if (!selector) {
    return refuse(std::move(selector).error());
  }
  options.selector = *std::move(selector);
  auto version = read_version(url.parameter("resourceVersion"));
  if (!version) {
    return refuse(std::move(version).error());
  }
  options.version = *version;
  auto limit = read_version(url.parameter("limit"));
  if (!limit) {
    return refuse(bad_request(fmt::format("limit: Invalid value: \"{}\"", url.parameter("limit"))));
  }
  options.limit = limit->value_or(0);
  options.token = url.parameter("continue");
  const std::string_view match = url.parameter("resourceVersionMatch");
  if (const auto wrong = wrong_match(match, options.version)) {
    return refuse(invalid_kind("meta.k8s.io", "ListOptions", "", {*wrong}));
  }
  if (!options.token.empty() && options.version.value_or(0) != 0) {
    return refuse(bad_request("specifying resource version is not allowed when using continue"));
  }
  // A limit with a version and no match means "exactly", from before there was a match.
  options.exactly =
      match == "Exact" || (match.empty() && options.limit != 0 && options.version.value_or(0) != 0);
  return options;
}

Outcome<Page> list(Store& store, const ResourceType& type, const ListOptions& options,
                   std::optional<std::uint64_t> stale_version) {
  const Collection& collection = store.collection(type);
  Page page;
  Token token;
  page.version = stale_version.value_or(store.version());
  if (!options.token.empty()) {
    const auto parsed = parse_token(options.token);
    if (!parsed) {
      return refuse(bad_request("continue key is not valid: it must be a token that this server has given"));
    }
    token = *parsed;
    page.version = token.version != 0 ? token.version : store.version();
  } else if (options.version.value_or(0) > store.version()) {
    return refuse(too_large_version(*options.version, store.version()));
  } else if (options.exactly) {
    page.version = *options.version;
  }
  if (page.version == store.version()) {
    fill_page(page, collection.objects(), options, token.last_key);
    return page;
  }
  const auto then = collection.at_version(page.version);
  if (!then) {
    return refuse(options.token.empty() ? expired("The resourceVersion for the provided list is too old.")
                                        : page_expired(token));
  }
  fill_page(page, *then, options, token.last_key);
  return page;
}

json::object list_metadata(const Page& page) {
  json::object metadata;
  if (!page.token.empty()) {
    metadata["continue"] = page.token;
  }
  if (page.remaining) {
    metadata["remainingItemCount"] = *page.remaining;
  }
  metadata["resourceVersion"] = std::to_string(page.version);
  return metadata;
}

std::string render_list(const ResourceType& type, const Page& page) {
  std::size_t size = 256;
  for (const ObjectPtr& item : page.items) {
    size += item->text.size() + 1;
  }
  const std::string metadata = json::serialize(list_metadata(page));
  std::string out;
  out.reserve(size);
  // The real server writes the list of a custom type with its keys in order, so the items come before the
  // metadata.
  out += type.custom ? fmt::format(R"({{"apiVersion":"{}","items":[)", type.api_version())
                     : fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{},"items":[)",
                                   type.list_kind, type.api_version(), metadata);
  const char* separator = "";
  for (const ObjectPtr& item : page.items) {
    out += separator;
    item->append_as_item(out, type);
    separator = ",";
  }
  out += type.custom ? fmt::format(R"(],"kind":"{}","metadata":{}}})", type.list_kind, metadata) : "]}";
  return out + "\n";
}

}  // namespace berth::sandbox::kube
