#pragma once
// Where EC2 and the instance metadata service are, from the environment variables that AWS's tools share.
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html

#include <string>

#include "aws/environment.h"
#include "base/result.h"

namespace berth::aws {

struct Ec2Endpoint {
  std::string url;     // absolute, with a path: "https://ec2.us-east-1.amazonaws.com/"
  std::string region;  // what requests are signed for
};

/// Region: AWS_REGION, else AWS_DEFAULT_REGION. URL: AWS_ENDPOINT_URL_EC2, else AWS_ENDPOINT_URL, else the
/// region's public endpoint. kInvalid, with the remedy, where the region is missing or one of them cannot be
/// used.
Result<Ec2Endpoint> ec2_endpoint(const Environment& environment);

/// "https://ec2.REGION.SUFFIX/", the suffix by the partition that the region belongs to.
std::string public_ec2_url(const std::string& region);

/// AWS_EC2_METADATA_SERVICE_ENDPOINT, else the link-local address of the family that
/// AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE names (IPv4 where it names none). Without a slash at its end.
/// kInvalid where one of them cannot be used.
Result<std::string> imds_endpoint(const Environment& environment);

}  // namespace berth::aws
