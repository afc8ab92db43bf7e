#pragma once
// Follows the objects of one type for ever: lists them, watches them, comes back after every loss. The rules
// are mechanism/watch.h; this sends what it asks for, splits the stream into events and says in the log when
// the cluster was lost (once, with the cause) and found again. It does not look into the objects.

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/log.h"
#include "base/prng.h"
#include "kube/client.h"
#include "kube/line_splitter.h"
#include "mechanism/watch.h"
#include "ports/clock.h"
#include "ports/task.h"

namespace berth::kube {

/// Called on the loop, never while a call is under way.
class ObjectObserver {
 public:
  ObjectObserver() = default;
  ObjectObserver(const ObjectObserver&) = delete;
  ObjectObserver& operator=(const ObjectObserver&) = delete;
  virtual ~ObjectObserver() = default;

  /// The whole collection: what is not in it is gone.
  virtual void replace_all(std::vector<boost::json::object> objects) = 0;
  virtual void upsert(boost::json::object object) = 0;
  /// `object` as it was last.
  virtual void erase(boost::json::object object) = 0;
};

struct InformerOptions {
  Collection collection;
  std::string noun;       // for the log: "CiliumNodes"
  std::string forbidden;  // what to do where listing is not allowed; a sentence
  std::string not_found;  // what to do where the type does not exist; a sentence
  /// Takes out of an object what the observer never reads, as soon as it is parsed, so that a long list of
  /// big objects stays small; null: nothing.
  void (*trim)(boost::json::object&) = nullptr;
  std::size_t max_line_bytes = 64 << 20;  // etcd refuses objects above 1.5 MB by default
};

class Informer {
 public:
  Informer(InformerOptions options, Client& client, ports::Clock& clock, Prng& prng);

  /// Until stopped. Once per informer.
  ports::Task<void> run(ObjectObserver& observer, std::stop_token stop);

 private:
  ports::Task<mechanism::WatchStep> list(mechanism::ListPage page, ObjectObserver& observer,
                                         std::stop_token stop);
  ports::Task<mechanism::WatchStep> follow(mechanism::OpenWatch watch, ObjectObserver& observer,
                                           std::stop_token stop);
  std::optional<mechanism::WatchStep> take_lines(LineSplitter& lines, ObjectObserver& observer);
  std::optional<mechanism::WatchStep> take_line(const std::string& line, ObjectObserver& observer);

  mechanism::WatchStep step(const mechanism::WatchInput& input);
  mechanism::WatchStep fail(const Error& error);
  mechanism::WatchStep broken(const Error& error, Duration idle);
  mechanism::WatchStep closed();
  void note_loss(const Error& error, bool until_data);
  void note_contact();

  InformerOptions options_;
  Client& client_;
  ports::Clock& clock_;
  mechanism::Watch watch_;
  std::vector<boost::json::object> pages_;  // of the list under way
  std::string lost_;                        // kind and code of the loss that was logged; empty: in contact
  bool until_data_ = false;                 // only data proves the contact, an open stream does not
  Logger log_{"kube"};
};

}  // namespace berth::kube
