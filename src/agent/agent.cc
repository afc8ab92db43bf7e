#include "agent/agent.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/cni_conf.h"
#include "agent/node_spec.h"

namespace berth::agent {
namespace {

using namespace std::chrono_literals;

constexpr Duration kReadEvery = 1s;    // the configuration: a change is followed within two seconds
constexpr Duration kCheckEvery = 60s;  // the object: how long a hand edit of our fields lasts
constexpr Duration kPassLimit = 10s;   // the longest that calls keep the agent from looking at the file
constexpr Duration kFirstRetry = 1s;
constexpr Duration kLongestRetry = 30s;

}  // namespace

Agent::Agent(AgentOptions options, ports::Clock& clock, const ports::Files& files,
             ports::InstanceMetadata& metadata, ports::KubeApi& kube, Logger log)
    : options_(std::move(options)),
      clock_(clock),
      files_(files),
      metadata_(metadata),
      publisher_(options_.node_name, kube),
      log_(std::move(log)),
      prng_(options_.seed) {}

ports::Task<void> Agent::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    if (const Result<void> read = read_settings(); !read) {
      note_settings_fault(read.error());
    } else {
      note_settings_good();
    }
    if (settings_ && clock_.mono_now() >= next_publish_) {
      const Result<void> published = co_await publish({clock_.mono_now() + kPassLimit, stop});
      if (stop.stop_requested()) {
        break;
      }
      note_publish(published);
    }
    MonoTime wake = clock_.mono_now() + kReadEvery;
    if (settings_) {
      wake = std::min(wake, next_publish_);
    }
    co_await ports::sleep_until(clock_, wake, stop);
  }
}

ports::Task<Result<void>> Agent::run_once(ports::CallLimits limits) {
  if (const Result<void> read = read_settings(); !read) {
    co_return read.error();
  }
  co_return co_await publish(limits);
}

std::string Agent::not_ready_why() const {
  if (!settings_) {
    return settings_fault_.empty() ? "the CNI configuration has not been read yet" : settings_fault_;
  }
  if (!published_) {
    return publish_fault_.empty() ? fmt::format("CiliumNode {} is not published yet", options_.node_name)
                                  : publish_fault_;
  }
  return {};
}

/// Takes over what the files say; new settings are due at once, whatever failed with the old ones.
Result<void> Agent::read_settings() {
  Result<CniSettings> loaded = load_cni_settings(files_, options_.cni_conf);
  if (!loaded) {
    return std::move(loaded).error();
  }
  if (settings_ == *loaded) {
    return {};
  }
  settings_ = *std::move(loaded);
  published_ = false;
  failures_ = 0;
  next_publish_ = clock_.mono_now();
  const LogFields fields = {{"node", options_.node_name}, {"file", settings_->file}};
  for (const std::string& warning : settings_->warnings) {
    log_.warning(fmt::format("{}: {}", settings_->file, warning), fields);
  }
  for (const std::string& note : settings_->notes) {
    log_.info(fmt::format("{}: {}", settings_->file, note), fields);
  }
  return {};
}

void Agent::note_settings_fault(const Error& error) {
  std::string fault = error.message();
  if (fault == settings_fault_) {
    return;
  }
  log_.error(
      fmt::format("{}. {}", fault,
                  settings_ ? fmt::format("The last good settings, of {}, stay in force.", settings_->file)
                            : std::string("There are no settings until this is mended.")),
      {{"node", options_.node_name}});
  settings_fault_ = std::move(fault);
}

void Agent::note_settings_good() {
  if (!settings_fault_.empty()) {
    log_.info(fmt::format("The CNI configuration {} is good again", settings_->file),
              {{"node", options_.node_name}});
    settings_fault_.clear();
  }
}

ports::Task<Result<void>> Agent::publish(ports::CallLimits limits) {
  if (const Result<void> learned = co_await learn_facts(limits); !learned) {
    co_return learned.error();
  }
  boost::json::object desired = desired_spec(*settings_, *facts_, options_.flags);
  boost::json::object& ipam = desired["ipam"].get_object();
  const bool with_pre_allocate = ipam.contains("pre-allocate");
  if (pre_allocate_published_ && !with_pre_allocate) {
    ipam["pre-allocate"] = nullptr;
  }
  const Result<Written> written = co_await publisher_.publish(std::move(desired), limits);
  if (!written) {
    co_return written.error();
  }
  pre_allocate_published_ = with_pre_allocate;
  say_what_was_published(*written);
  published_ = true;
  co_return Result<void>();
}

/// Once: an instance's identity does not change under a running process.
ports::Task<Result<void>> Agent::learn_facts(ports::CallLimits limits) {
  if (facts_) {
    co_return Result<void>();
  }
  Result<ports::InstanceFacts> facts = co_await metadata_.fetch(limits);
  if (!facts) {
    co_return std::move(facts).error();
  }
  if (facts->instance.empty()) {
    // An operator would take an empty id for any instance.
    co_return Error{.kind = ErrorKind::kInternal,
                    .operation = "read instance metadata",
                    .detail = "the metadata service gave an empty instance id"};
  }
  facts_ = *std::move(facts);
  co_return Result<void>();
}

void Agent::say_what_was_published(const Written& written) {
  const std::string& name = options_.node_name;
  if (published_) {
    if (written.created) {
      log_.warning(fmt::format("CiliumNode {} was gone; created it again", name), {{"node", name}});
    } else if (!written.paths.empty()) {
      log_.warning(
          fmt::format("CiliumNode {} said something else than this node's configuration; put back {}", name,
                      fmt::join(written.paths, ", ")),
          {{"node", name}});
    }
    return;
  }
  for (const std::string& sentence : overruled(*settings_, *facts_, options_.flags)) {
    log_.warning(fmt::format("{}: {}", settings_->file, sentence),
                 {{"node", name}, {"file", settings_->file}});
  }
  const model::TagMap& tags = settings_->ipam.static_ip_tags.empty() ? options_.flags.ipam.static_ip_tags
                                                                     : settings_->ipam.static_ip_tags;
  const std::string request =
      tags.empty() ? "no static IP asked for" : fmt::format("static IP tags {}", model::to_string(tags));
  const std::string what = written.created ? fmt::format("Created CiliumNode {}", name)
                           : written.paths.empty()
                               ? fmt::format("CiliumNode {} is as configured already", name)
                               : fmt::format("Updated CiliumNode {}", name);
  log_.info(fmt::format("{}: instance {}, {}", what, facts_->instance.str(), request),
            {{"node", name},
             {"instance", facts_->instance.str()},
             {"tags", model::to_string(tags)},
             {"file", settings_->file},
             {"written", fmt::format("{}", fmt::join(written.paths, ","))}});
}

/// Logs a fault once for each of its texts, and says when to try again.
void Agent::note_publish(const Result<void>& published) {
  if (published) {
    if (!publish_fault_.empty()) {
      log_.info(fmt::format("CiliumNode {} is published again", options_.node_name),
                {{"node", options_.node_name}});
      publish_fault_.clear();
    }
    failures_ = 0;
    next_publish_ = clock_.mono_now() + jittered(kCheckEvery);
    return;
  }
  const Duration backoff = std::min(kFirstRetry * (1 << std::min(failures_, 10)), kLongestRetry);
  const Duration wait = std::max(jittered(backoff), published.error().retry_after.value_or(Duration::zero()));
  ++failures_;
  next_publish_ = clock_.mono_now() + wait;
  if (std::string fault = published.error().message(); fault != publish_fault_) {
    log_.error(fmt::format("{}. Trying again, the first time in {}.", fault,
                           format_duration(std::chrono::round<std::chrono::milliseconds>(wait))),
               {{"node", options_.node_name}});
    publish_fault_ = std::move(fault);
  }
}

/// Up to a fifth sooner or later.
Duration Agent::jittered(Duration time) {
  return std::chrono::duration_cast<Duration>(time * (0.8 + 0.4 * prng_.unit()));
}

}  // namespace berth::agent
