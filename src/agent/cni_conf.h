#pragma once
// Which file of the node's CNI configuration counts. As the container runtime does it: the first file in byte
// order with the extension .conflist, .conf or .json. Unlike it, files of other plugins are passed over.

#include <string>

#include "agent/settings.h"
#include "base/result.h"
#include "ports/files.h"

namespace berth::agent {

/// `path` is a file, which must hold our plugin, or a folder. A file of a folder that cannot be read or
/// parsed is an error where it comes before the one that would be chosen: it may be the one that counts,
/// half-written. Files after the chosen one are not looked at. kNotFound, kInvalid.
Result<CniSettings> load_cni_settings(const ports::Files& files, const std::string& path);

}  // namespace berth::agent
