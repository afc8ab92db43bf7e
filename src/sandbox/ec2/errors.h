#pragma once
// EC2's refusals: a code that programs read, a message that people read, and the HTTP status that goes with
// the code. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace berth::sandbox {

struct Ec2Error {
  std::string code;
  std::string message;

  friend bool operator==(const Ec2Error&, const Ec2Error&) = default;
};

/// What an action comes to. Not base/result.h: EC2's own codes are what this side of the wire speaks.
template <class T = void>
using Outcome = tl::expected<T, Ec2Error>;

tl::unexpected<Ec2Error> refuse(std::string code, std::string message);

/// The status that EC2 sends with a code; 400 for most.
int http_status(std::string_view code);

/// What EC2 says with a code that a fault asks for, where the code alone is given.
std::string usual_message(std::string_view code);

}  // namespace berth::sandbox
