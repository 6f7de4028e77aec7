#pragma once
/// Watches a program's launches and, if asked to, repairs those that leave the size to the driver.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/layer/catalog.hpp"
#include "tuner/layer/launch.hpp"
#include "tuner/layer/memory.hpp"
#include "tuner/layer/settings.hpp"
#include "tuner/layer/site.hpp"

namespace clgauss::layer {

/// For any number of threads. No call holds a lock while a driver runs what may call the program.
class Watcher {
 public:
  Watcher(const Drivers& drivers, Settings settings);

  [[nodiscard]] const Settings& settings() const { return settings_; }

  /// clEnqueueNDRangeKernel.
  cl_int launch(const Launch& launch);
  /// Takes the times of launches that have ended; waits for none. Throws nothing.
  void harvest();
  /// How often `event` is held beyond the program's own references.
  [[nodiscard]] cl_uint held(cl_event event);

  void add_queue(cl_command_queue queue, bool hides_profiling,
                 std::optional<std::vector<cl_queue_properties>> given);
  void retain_queue(cl_command_queue queue);
  void release_queue(cl_command_queue queue);
  void forget_kernel(cl_kernel kernel);
  [[nodiscard]] QueueRecord queue(cl_command_queue queue);

  void add_program(cl_program program, Origin origin);
  void forget_build(cl_program program);
  /// How often a program was built, as Catalog::builds_of().
  [[nodiscard]] std::size_t builds_of(cl_program program);
  /// That the program asked for the binary of a program that was built for a device, so often.
  void see_binary(cl_program program, std::size_t builds, cl_device_id device,
                  std::string_view binary);

  /// From now on nothing waits for the program's launches: it has events that it sets itself.
  void see_user_event() { may_wait_ = false; }

  /// Gives all launches seen to `use`, the longest first. Calls no driver. Does nothing if for a
  /// second it cannot be alone with them: a thread that was stopped in here holds the lock forever.
  void read(const std::function<void(const std::vector<const Site*>&)>& use) const;

 private:
  struct Memo;
  /// A launch of which the time is awaited.
  struct Pending {
    Site* site;
    cl_event first, last;             // the same, held twice, for one part
    std::optional<Trial::Turn> turn;  // of the site's trial
    bool is_programs;                 // the program has `last`, too
  };

  [[nodiscard]] Memo find(const Launch& launch);
  [[nodiscard]] Site& site_of(const Launch& launch, const QueueRecord& queue);
  void examine(Site& site, const Launch& launch);
  void recall(Site& site);
  void judge(Site& site);
  static void leave_alone(Site& site, const std::string& reason);
  void find_ways(Site& site);
  [[nodiscard]] bool fits(const Site& site, const Way& way);

  cl_int launch_settled(const Launch& launch, Site& site, bool is_timed);
  cl_int launch_tried(const Launch& launch, Site& site);
  cl_int timed(Launch launch, Site& site, const Way* way, std::optional<Trial::Turn> turn);
  [[nodiscard]] std::optional<Trial::Turn> next_turn(Site& site);
  void flush_all();
  void wait_for(const Site& site);
  cl_int timed_by_host(const Launch& launch, Site& site, const Way* way,
                       const std::optional<Trial::Turn>& turn);
  [[nodiscard]] bool is_worth_waiting(const Site& site) const;
  void look(Site& site);
  void judge_and_keep(Site& site);
  void judge_first(Site& site);

  void refuse(Site& site, const Trial::Turn& turn, bool is_refused);
  void take(Site& site, const std::optional<Trial::Turn>& turn, std::optional<double> time_ns);
  void consider_trial(Site& site);
  void settle(Site& site);
  [[nodiscard]] Question question(const Site& site) const;

  const Drivers& drivers_;
  const Settings settings_;
  const Memory memory_;
  mutable std::mutex mutex_;  // of all below
  Catalog catalog_;
  std::map<SiteKey, std::unique_ptr<Site>> sites_;
  std::vector<Pending> pending_;
  std::atomic<std::size_t> awaited_ = 0;      // pending_.size(), to be read without the mutex
  std::atomic<std::uint64_t> forgotten_ = 1;  // changes when a handle may mean something else
  std::atomic<bool> may_wait_ = true;
};

}  // namespace clgauss::layer
