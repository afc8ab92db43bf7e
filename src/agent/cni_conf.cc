#include "agent/cni_conf.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/conflist.h"

namespace berth::agent {
namespace {

constexpr std::string_view kExtensions[] = {".conflist", ".conf", ".json"};

bool has_our_extension(std::string_view name) {
  return std::ranges::any_of(kExtensions,
                             [name](std::string_view extension) { return name.ends_with(extension); });
}

std::string join_path(std::string_view folder, std::string_view name) {
  return fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", name);
}

Error no_file(const std::string& path) {
  return Error{.kind = ErrorKind::kNotFound,
               .operation = "read " + path,
               .detail =
                   "there is no such file or folder; expected a CNI configuration with a plugin of type "
                   "cilium-cni or berth-cni, or the folder that holds it"};
}

Result<std::string> read_file(const ports::Files& files, const std::string& path) {
  Result<std::string> bytes = files.read(path);
  if (!bytes && bytes.error().kind == ErrorKind::kNotFound) {
    return no_file(path);
  }
  if (!bytes) {
    return Error{.kind = bytes.error().kind, .operation = "read " + path, .detail = bytes.error().detail};
  }
  return bytes;
}

/// Looks at a folder's files in turn; `seen` becomes what the message of a vain search lists.
Result<std::optional<CniSettings>> first_of_ours(const ports::Files& files, const std::string& folder,
                                                 std::vector<std::string> names,
                                                 std::vector<std::string>& seen) {
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::string path = join_path(folder, name);
    if (!has_our_extension(name) || files.is_folder(path)) {
      seen.push_back(name + " (not looked into)");
      continue;
    }
    const Result<std::string> bytes = read_file(files, path);
    if (!bytes) {
      return bytes.error();
    }
    Result<CniFile> file = read_cni_file(path, *bytes);
    if (!file) {
      return std::move(file).error();
    }
    if (file->settings) {
      return std::move(file->settings);
    }
    seen.push_back(fmt::format(
        "{} ({})", name,
        file->types.empty() ? std::string("no plugin") : fmt::format("{}", fmt::join(file->types, ", "))));
  }
  return std::optional<CniSettings>{};
}

}  // namespace

Result<CniSettings> load_cni_settings(const ports::Files& files, const std::string& path) {
  if (!files.is_folder(path)) {
    const Result<std::string> bytes = read_file(files, path);
    if (!bytes) {
      return bytes.error();
    }
    return parse_conflist(path, *bytes);
  }
  Result<std::vector<std::string>> names = files.list(path);
  if (!names) {
    return Error{.kind = names.error().kind, .operation = "read " + path, .detail = names.error().detail};
  }
  std::vector<std::string> seen;
  Result<std::optional<CniSettings>> found = first_of_ours(files, path, *std::move(names), seen);
  if (!found) {
    return std::move(found).error();
  }
  if (!*found) {
    return Error{.kind = ErrorKind::kNotFound,
                 .operation = "read " + path,
                 .detail = fmt::format(
                     "no file of this folder holds a plugin of type cilium-cni or berth-cni; "
                     "looked for *.conflist, *.conf and *.json, found {}",
                     seen.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(seen, ", ")))};
  }
  return **std::move(found);
}

}  // namespace berth::agent
