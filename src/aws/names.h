#pragma once
// What can be told from a name that AWS gave, without asking AWS.

#include <string>
#include <string_view>

namespace berth::aws {

/// Whether the text has the shape of an EC2 instance's id: "i-" and letters or digits. Ids have 8 or 17 of
/// them today; the number is not promised.
/// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
bool is_instance_id(std::string_view text);

/// Whether the text can be a region's name, and so a part of a host name: "us-gov-west-1".
bool is_region_name(std::string_view text);

/// Whether the text is the name of a zone in a region, and so no region: "us-east-1a".
bool is_zone_name(std::string_view text);

/// The network border group of a zone; empty where that is the region's own. An address can be associated
/// only within its group. A Local Zone's group is its name without the last letter ("us-west-2-lax-1a" ->
/// "us-west-2-lax-1"), a Wavelength Zone ends in a digit and is a group of its own
/// ("us-east-1-wl1-bos-wlz-1").
/// https://docs.aws.amazon.com/local-zones/latest/ug/available-local-zones.html
/// https://docs.aws.amazon.com/wavelength/latest/developerguide/available-wavelength-zones.html
std::string border_group_of_zone(std::string_view zone, std::string_view region);

}  // namespace berth::aws
