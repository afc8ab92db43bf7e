#pragma once
// The values of an interface's filters. DescribeNetworkInterfaces has them by these names, DescribeInstances
// with "network-interface." in front.

#include "sandbox/ec2/filters.h"

namespace berth::sandbox {

using InterfaceFilter = FilterValues (*)(const Moment& moment, const Interface& interface);

/// By name, without what only one of the two describes has.
const std::map<std::string_view, InterfaceFilter>& interface_filters();

}  // namespace berth::sandbox
