#pragma once
// The operator: everything of this folder put together around one cloud and one source of nodes.

#include <memory>

#include "base/prng.h"
#include "control/address_book.h"
#include "control/executor.h"
#include "control/node_store.h"
#include "control/options.h"
#include "control/reconciler.h"
#include "control/status_writer.h"
#include "ports/cloud.h"
#include "ports/node_source.h"

namespace berth::control {

class Operator {
 public:
  Operator(ports::Clock& clock, ports::Cloud& cloud, ports::NodeSource& source, Prng& prng,
           OperatorOptions options);

  /// Until stopped; then what is under way ends by itself or is abandoned after the stop grace. Nothing is
  /// disassociated (R5).
  ports::Task<void> run(std::stop_token stop);

  /// Whether the nodes and the addresses have been read, so that it can serve.
  bool ready() const { return store_.synced() && book_.snapshot() != nullptr; }
  std::string not_ready_why() const;

 private:
  ports::Task<void> abandon_after(std::stop_token stop, std::stop_token all_done);

  ports::Clock& clock_;
  ports::NodeSource& source_;
  OperatorOptions options_;
  std::stop_source abandon_;
  ports::Event changed_;
  NodeStore store_;
  AddressBook book_;
  Executor executor_;
  StatusWriter writer_;
  Reconciler reconciler_;
};

}  // namespace berth::control
