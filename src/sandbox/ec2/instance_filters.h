#pragma once
// The filters of DescribeInstances: those of the service model's list.

#include "sandbox/ec2/filters.h"

namespace berth::sandbox {

const FilterTable<Instance>& instance_filters();

}  // namespace berth::sandbox
