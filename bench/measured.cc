#include "bench/measured.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace berth::bench {
namespace {

constexpr double kGoalP99Ms = 50;
constexpr std::uint64_t kGoalDescribes = 10;

/// The least sample that at least this part of all do not exceed, in milliseconds.
double quantile(const std::vector<Duration>& sorted, double part) {
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return std::chrono::duration<double, std::milli>(sorted[std::max<std::size_t>(rank, 1) - 1]).count();
}

double median(const std::vector<Duration>& sorted) { return quantile(sorted, 0.5); }

std::string goal(bool holds, const std::string& text) {
  return fmt::format("  {}: {}", text, holds ? "holds" : "misses");
}

std::string latency_row(const std::string& what, const std::vector<Duration>& sorted,
                        const std::string& verdict = "") {
  return fmt::format("{:<58}{:>6}{:>9.2f}{:>9.2f}{:>9.2f}{:>9.2f}{}\n", what, sorted.size(), median(sorted),
                     quantile(sorted, 0.9), quantile(sorted, 0.99), quantile(sorted, 1), verdict);
}

std::string one_after_the_other(const Measured& measured) {
  const double p99 = quantile(measured.served, 0.99);
  const double parts =
      2 * median(measured.echoes) + median(measured.describe_calls) + median(measured.associate_calls);
  std::string text = fmt::format("{:<58}{:>6}{:>9}{:>9}{:>9}{:>9}  goal\n", "ONE AFTER THE OTHER, ms", "n",
                                 "median", "p90", "p99", "max");
  text += latency_row("tags patched -> status.ipam.assigned-static-ip seen", measured.served,
                      goal(p99 < kGoalP99Ms, fmt::format("p99 < {:.0f}", kGoalP99Ms)));
  text += latency_row("  the API alone: a label patched -> seen", measured.echoes);
  text += latency_row("  EC2 alone: DescribeInstances of one instance", measured.describe_calls);
  text += latency_row("  EC2 alone: AssociateAddress", measured.associate_calls);
  text += fmt::format("{:<58}{:>6}{:>9.2f}   the first line takes {:.2f} times as long\n",
                      "  sum of the parts: the API twice, each EC2 call once", "", parts,
                      median(measured.served) / parts);
  return text;
}

std::string at_once(const Measured& measured) {
  const auto row = [](const std::string& what, const std::vector<Duration>& sorted) {
    return fmt::format("{:<58}{:>6}{:>9.2f}{:>9.2f}{:>9.2f}\n", what, sorted.size(), quantile(sorted, 0),
                       median(sorted), quantile(sorted, 1));
  };
  return fmt::format("{:<58}{:>6}{:>9}{:>9}{:>9}\n", "ALL AT ONCE, ms since the first patch", "n", "first",
                     "median", "last") +
         row("tags patched -> status.ipam.assigned-static-ip seen", measured.served_at_once) +
         row("  the API alone: a label patched -> seen", measured.echoes_at_once);
}

std::string call_row(const std::string& what, std::uint64_t good, std::uint64_t all,
                     const std::string& verdict = "") {
  return fmt::format("{:<58}{:>6}{:>9}{}{}\n", what, good, all - good, verdict,
                     good == all ? "" : "  <== FAILED CALLS");
}

std::string calls_of_the_burst(const Measured& measured) {
  const std::size_t asked = measured.served_at_once.size();
  std::string ec2;
  std::string kubernetes;
  std::uint64_t describes = 0;
  std::uint64_t good_describes = 0;
  for (const auto& [action, results] : measured.calls) {
    const std::uint64_t all = count_calls(measured.calls, action);
    const auto ok = results.find("ok");
    const std::uint64_t good = ok != results.end() ? ok->second : 0;
    if (action.starts_with("Describe")) {
      describes += all;
      good_describes += good;
    }
    const bool is_kubernetes = action.find(':') != std::string::npos;
    const std::string verdict = action == "AssociateAddress" ? goal(all == asked, std::to_string(asked)) : "";
    (is_kubernetes ? kubernetes : ec2) += call_row("  " + action, good, all, verdict);
  }
  return fmt::format("{:<58}{:>6}{:>9}  goal\n", "CALLS FOR ALL AT ONCE, until 1 s after the last", "ok",
                     "failed") +
         "EC2\n" + ec2 +
         call_row("  describes of all kinds", good_describes, describes,
                  goal(describes <= kGoalDescribes, fmt::format("at most {}", kGoalDescribes))) +
         "Kubernetes API (the patches of ciliumnodes are the benchmark's own)\n" + kubernetes;
}

}  // namespace

std::uint64_t count_calls(const Calls& calls, const std::string& action) {
  std::uint64_t sum = 0;
  if (const auto found = calls.find(action); found != calls.end()) {
    for (const auto& [result, count] : found->second) {
      sum += count;
    }
  }
  return sum;
}

std::string table(Measured measured) {
  for (std::vector<Duration>* samples :
       {&measured.served, &measured.echoes, &measured.describe_calls, &measured.associate_calls,
        &measured.served_at_once, &measured.echoes_at_once}) {
    std::ranges::sort(*samples);
  }
  return fmt::format("{}, {} CiliumNodes, {} processors, no limit on calls\n\n", measured.berth,
                     measured.nodes, std::thread::hardware_concurrency()) +
         one_after_the_other(measured) + "\n" + at_once(measured) + "\n" + calls_of_the_burst(measured);
}

}  // namespace berth::bench
