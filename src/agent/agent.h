#pragma once
// The node's side: keeps this node's CiliumNode saying what the CNI configuration, the flags and the instance
// say. Follows the configuration by reading it every second (so a rename or a symlink swap is no special
// case), reads its object again every minute, and tries again for ever, later and later, where the API server
// or the metadata service does not answer.
//
// It writes its own fields only (node_spec.h) and never the status. Bad configuration changes nothing: the
// last good settings stay in force; while there are none yet, the agent stays up and is not ready.

#include <optional>
#include <stop_token>
#include <string>

#include "agent/publisher.h"
#include "agent/settings.h"
#include "base/log.h"
#include "base/prng.h"
#include "base/result.h"
#include "ports/clock.h"
#include "ports/files.h"
#include "ports/instance_metadata.h"
#include "ports/kube_api.h"
#include "ports/task.h"

namespace berth::agent {

struct AgentOptions {
  std::string node_name;  // of the Node, and of its CiliumNode
  std::string cni_conf;   // a CNI configuration file, or the folder that holds it
  AgentFlags flags = {};
  std::uint64_t seed = 0;  // of the jitter, so that a thousand agents do not come back at the same moment
};

class Agent {
 public:
  /// The ports outlive the agent; the agent outlives its tasks.
  Agent(AgentOptions options, ports::Clock& clock, const ports::Files& files,
        ports::InstanceMetadata& metadata, ports::KubeApi& kube, Logger log);

  /// Follows configuration and object until asked to stop.
  ports::Task<void> run(std::stop_token stop);

  /// One pass: read and publish, or say why not. Not while run() runs.
  ports::Task<Result<void>> run_once(ports::CallLimits limits);

  /// Whether the newest good settings are published. A bad file that comes later does not change that.
  bool ready() const { return not_ready_why().empty(); }
  /// One sentence; empty when ready.
  std::string not_ready_why() const;

 private:
  Result<void> read_settings();
  void note_settings_fault(const Error& error);
  void note_settings_good();

  ports::Task<Result<void>> publish(ports::CallLimits limits);
  ports::Task<Result<void>> learn_facts(ports::CallLimits limits);
  void say_what_was_published(const Written& written);
  void note_publish(const Result<void>& published);
  Duration jittered(Duration time);

  AgentOptions options_;
  ports::Clock& clock_;
  const ports::Files& files_;
  ports::InstanceMetadata& metadata_;
  Publisher publisher_;
  Logger log_;
  Prng prng_;

  std::optional<CniSettings> settings_;  // the last good ones
  std::string settings_fault_;           // of the newest reading; empty: it was good
  std::optional<ports::InstanceFacts> facts_;
  bool published_ = false;               // the object says what settings_ say
  bool pre_allocate_published_ = false;  // by this process; see node_spec.h
  std::string publish_fault_;            // of the newest try; empty: it succeeded
  int failures_ = 0;                     // in a row
  MonoTime next_publish_{};
};

}  // namespace berth::agent
