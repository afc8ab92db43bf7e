#pragma once
// What a CNI configuration file says about this node's addresses. Strict: a file that is not whole, or holds
// a value of the wrong type in what is read, gives one error that names every mistake, and no settings at
// all, because half of somebody's settings is not what they asked for. What has no effect is a warning by
// name.
//
// Read are `eni` and `ipam` of the first plugin of type cilium-cni or berth-cni, in a list of plugins or as
// the whole file. Everything else belongs to CNI and to other plugins and is left alone.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings.h"
#include "base/result.h"

namespace berth::agent {

struct CniFile {
  std::optional<CniSettings> settings;  // nothing: the file is whole and holds no plugin of ours
  std::vector<std::string> types;       // of the plugins in it, in order
};

/// `file` is the path, for messages. kInvalid; the operation is "read FILE".
Result<CniFile> read_cni_file(const std::string& file, std::string_view bytes);

/// The same, for a file that must hold our plugin.
Result<CniSettings> parse_conflist(const std::string& file, std::string_view bytes);

}  // namespace berth::agent
