#include "tuner/layer/watcher.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <exception>
#include <thread>

#include "clock.hpp"

namespace clgauss::layer {

namespace {

/// All launches of a site are timed by events at first, then one of so many. Where the host has to
/// time them, which empties their queue, it times only what tells whether a trial is due.
constexpr std::uint64_t kTimedAtFirst = 16, kTimedOneOf = 64;
constexpr std::size_t kHarvestFrom = 16, kMostAwaited = 1024;

/// A trial begins when a site has been launched so often and has taken so long, longer after each
/// run that ended before its trial: a new size costs a compiler's time on some drivers, and a
/// program that is too short for a trial must not pay for it in every run.
constexpr std::uint64_t kLaunchesBeforeTrial = 3;
double time_before_trial_ns(unsigned trials_begun) {
  constexpr double kFirst_ns = 10e6, kFactor = 8;
  return kFirst_ns * std::pow(kFactor, trials_begun);
}

/// Of a program that enqueues far ahead of its device: whether it is worth a trial is looked at
/// before its launches 5, 17, 65 and so on.
bool is_time_to_look(std::uint64_t launches) {
  return launches >= 4 && std::has_single_bit(launches) && std::countr_zero(launches) % 2 == 0;
}

/// A reason that another run may not have.
constexpr const char* kNoMemory = "no memory";

/// No launch takes less: a device that says so has no clock.
constexpr double kLeastTime_ns = 50;

/// What is not remembered is found anew the next time.
template <typename Keep>
void remember(const Keep& keep) try {
  keep();
} catch (const std::exception&) {
}

}  // namespace

/// What a launch was found to be the last time, so that the next alike costs no lock.
struct Watcher::Memo {
  const Watcher* watcher = nullptr;
  std::uint64_t forgotten = 0;
  cl_kernel kernel = nullptr;
  cl_command_queue queue = nullptr;
  Shape range;
  std::optional<Shape> group;
  Site* site = nullptr;
  bool is_profiled = false;
};

Watcher::Watcher(const Drivers& drivers, Settings settings)
    : drivers_(drivers),
      settings_(std::move(settings)),
      memory_(settings_.cache_folder),
      catalog_(drivers_, memory_) {}

Watcher::Memo Watcher::find(const Launch& launch) {
  constexpr std::size_t kMemos = 64;
  static thread_local std::array<Memo, kMemos> memos;
  Memo seen{this,         forgotten_, launch.kernel, launch.queue, shape_of(launch, launch.global),
            std::nullopt, nullptr,    false};
  if (launch.local != nullptr) seen.group = shape_of(launch, launch.local);
  const std::size_t hash = (reinterpret_cast<std::size_t>(launch.kernel) >> 4) * 31 +
                           (reinterpret_cast<std::size_t>(launch.queue) >> 4) * 17 +
                           seen.range.size[0] * 7 + seen.range.size[1] * 3 + seen.range.size[2];
  Memo& memo = memos[(hash ^ (hash >> 6)) % kMemos];
  if (memo.watcher == this && memo.forgotten == seen.forgotten && memo.kernel == seen.kernel &&
      memo.queue == seen.queue && memo.range == seen.range && memo.group == seen.group)
    return memo;
  const std::lock_guard lock(mutex_);
  const QueueRecord& queue = catalog_.queue(launch.queue, true);
  seen.site = &site_of(launch, queue);
  seen.is_profiled = queue.profiles;
  memo = seen;
  return seen;
}

Site& Watcher::site_of(const Launch& launch, const QueueRecord& queue) {
  KernelRecord& kernel = catalog_.kernel(launch.kernel, *queue.device);
  SiteKey key{&kernel, shape_of(launch, launch.global), std::nullopt, queue.may_split()};
  if (launch.local != nullptr) key.group = shape_of(launch, launch.local);
  std::unique_ptr<Site>& site = sites_[key];
  if (!site) {
    site = std::make_unique<Site>();
    site->kernel = &kernel;
    site->range = key.range;
    site->group = key.group;
    site->may_split = key.may_split;
    if (!site->group || settings_.force)
      examine(*site, launch);
    else
      site->is_decided = true;
  }
  return *site;
}

/// What there is to know of a launch that leaves the size to the driver, before its first.
void Watcher::examine(Site& site, const Launch& launch) {
  const DeviceRecord& device = *site.kernel->device;
  const auto group_info = [&](cl_kernel_work_group_info what) {
    return asking(drivers_.clGetKernelWorkGroupInfo, launch.kernel, device.device, what);
  };
  site.limits = {value_of<std::size_t>(group_info(CL_KERNEL_WORK_GROUP_SIZE), 1),
                 device.largest_group};
  site.largest_dividing = largest_dividing_group(site.range, site.limits);
  if (Shape group{site.range.dims, {1, 1, 1}};
      device.suggest != nullptr &&
      device.suggest(launch.queue, launch.kernel, launch.dims, launch.offset, launch.global,
                     group.size.data()) == CL_SUCCESS)
    site.driver_group = group;
  if (!settings_.repair && settings_.explain != site.kernel->name) return;
  constexpr std::array<std::size_t, 3> kUnknown{1, 1, 1}, kNone{0, 0, 0};
  site.demands_size = value_of(group_info(CL_KERNEL_COMPILE_WORK_GROUP_SIZE), kUnknown) != kNone;
  if (settings_.force || settings_.explain == site.kernel->name) judge(site);
  if (settings_.force && !site.ways.empty()) {  // other sites have other ways
    site.is_decided = true;
    site.way = &site.ways[sites_.size() % site.ways.size()];
  }
  if (!settings_.repair || site.is_decided) return;
  recall(site);
  // A launch that the host is to time waits for others: only where there is something to try, as
  // an earlier run's trial shows.
  if (!site.is_decided && !device.keeps_time) judge_first(site);
}

/// Takes what an earlier run has found, where that is kept and still fits.
void Watcher::recall(Site& site) {
  if (site.kernel->program.name.empty()) return judge(site);
  const Kept kept = memory_.kept(question(site));
  site.trials_begun = kept.trials_begun;
  if (!kept.reason.empty()) return leave_alone(site, kept.reason);
  if (!kept.decision) return;
  if (kept.decision->way) {
    judge(site);
    if (site.is_decided || !fits(site, *kept.decision->way)) return;
  }
  site.decision = kept.decision;
  site.is_recalled = site.is_decided = true;
  if (site.decision->way) site.way.store(&*site.decision->way, std::memory_order_release);
}

/// Finds by which sizes the driver's may be replaced, or why by none. It reads the kernel's text:
/// only for a trial, or for a way that is to be taken.
void Watcher::judge(Site& site) try {
  if (!site.ways.empty() || site.is_decided) return;
  if (site.demands_size) return leave_alone(site, "it has reqd_work_group_size");
  const KernelText& text = catalog_.text(*site.kernel);
  if (!text.size_is_hidden) return leave_alone(site, text.reason);
  find_ways(site);
  if (site.ways.empty()) leave_alone(site, "no other size divides the range");
} catch (const std::exception&) {
  leave_alone(site, kNoMemory);
}

/// As judge(); later runs know the reason why there is nothing to try.
void Watcher::judge_and_keep(Site& site) {
  judge(site);
  if (site.is_decided && !site.kernel->program.name.empty() && site.reason != kNoMemory)
    remember([&] { memory_.keep_reason(question(site), site.reason); });
}

/// As judge_and_keep(), unless an earlier run has read the text and found something to try: a
/// program that is too short for a trial must not pay for its texts in every run.
void Watcher::judge_first(Site& site) {
  if (site.trials_begun > 0) return;
  judge_and_keep(site);
  if (site.is_decided || site.kernel->program.name.empty()) return;
  const Kept kept = memory_.kept(question(site));  // another process's, meanwhile
  if (!kept.decision && kept.trials_begun == 0)
    remember([&] { memory_.keep_trials_begun(question(site), 1); });
}

void Watcher::leave_alone(Site& site, const std::string& reason) {
  site.reason = reason;
  site.is_decided = true;
}

void Watcher::find_ways(Site& site) {
  for (const Shape& group : dividing_groups(site.range, site.limits))
    if (group != site.driver_group && group != site.group) site.ways.push_back({group, false});
  if (!(site.is_degenerate() || settings_.force) || !site.may_split ||
      !catalog_.text(*site.kernel).split_is_hidden)
    return;
  for (const Shape& group : main_groups(site.range, site.limits))
    site.ways.push_back({group, true});
}

/// Whether a way that was remembered may be taken here.
bool Watcher::fits(const Site& site, const Way& way) {
  if (!site.limits.allow(way.group)) return false;
  const bool divides = split(site.range, way.group).size() == 1;
  if (!way.split) return divides;
  return !divides && site.may_split && catalog_.text(*site.kernel).split_is_hidden;
}

cl_int Watcher::launch(const Launch& launch) {
  if (!has_range(launch)) return enqueue(drivers_, launch);
  Memo memo;
  try {
    memo = find(launch);
  } catch (const std::exception&) {  // the program goes on as without the layer
    return enqueue(drivers_, launch);
  }
  Site& site = *memo.site;
  const std::uint64_t before = site.launches.load(std::memory_order_relaxed);
  if (!site.tries.load(std::memory_order_relaxed) && is_time_to_look(before) &&
      is_worth_waiting(site))
    look(site);
  if (site.tries.load(std::memory_order_relaxed)) return launch_tried(launch, site);
  const bool is_timed =
      site.kernel->device->keeps_time
          ? memo.is_profiled && awaited_ < kMostAwaited &&
                (before < kTimedAtFirst || before % kTimedOneOf == 0)
          : (before < kLaunchesBeforeTrial || is_time_to_look(before)) && is_worth_waiting(site);
  return launch_settled(launch, site, is_timed);
}

/// Whether the layer waits for the program's launches: only to come to a decision.
bool Watcher::is_worth_waiting(const Site& site) const {
  return settings_.repair && may_wait_ && !site.is_decided;
}

/// Begins a trial if it is due, waiting only where it may be. A kernel whose launches have not
/// ended may wait for the host, so its text is read before, and says whether there is anything to
/// try.
void Watcher::look(Site& site) {
  harvest();
  {
    const std::lock_guard lock(mutex_);
    if (site.sampled.launches > 0 && site.total_ns() < time_before_trial_ns(site.trials_begun))
      return;
    judge_first(site);
    if (site.is_decided) return;
  }
  wait_for(site);
  harvest();
}

cl_int Watcher::launch_settled(const Launch& launch, Site& site, bool is_timed) {
  const Way* const way = site.way.load(std::memory_order_acquire);
  if (is_timed) return timed(launch, site, way, std::nullopt);
  const cl_int result = way != nullptr ? enqueue_as(drivers_, launch, *way, nullptr).result
                                       : enqueue(drivers_, launch);
  if (result == CL_SUCCESS) site.launches.fetch_add(1, std::memory_order_relaxed);
  return result;
}

cl_int Watcher::launch_tried(const Launch& launch, Site& site) {
  std::optional<Trial::Turn> turn = next_turn(site);
  if (!turn && may_wait_) {
    wait_for(site);
    harvest();
    turn = next_turn(site);
  }
  if (!turn) return launch_settled(launch, site, false);
  const Way* const way = turn->way ? &site.ways[*turn->way] : nullptr;
  return timed(launch, site, way, turn);
}

std::optional<Trial::Turn> Watcher::next_turn(Site& site) {
  const std::lock_guard lock(mutex_);
  return site.tries ? site.trial->next() : std::nullopt;
}

/// What a launch waits for may be in another queue.
void Watcher::flush_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [queue, record] : catalog_.queues())
    if (record->references > 0) drivers_.clFlush(queue);
}

/// Waits for the launches of the site's trial.
void Watcher::wait_for(const Site& site) {
  flush_all();
  std::vector<cl_event> events;
  {
    const std::lock_guard lock(mutex_);
    for (const Pending& pending : pending_)
      if (pending.site == &site) {
        events.push_back(pending.last);
        drivers_.clRetainEvent(pending.last);
      }
  }
  if (events.empty()) return;
  drivers_.clWaitForEvents(static_cast<cl_uint>(events.size()), events.data());
  for (const cl_event event : events) drivers_.clReleaseEvent(event);
}

/// Launches with an event, which is awaited.
cl_int Watcher::timed(Launch launch, Site& site, const Way* way, std::optional<Trial::Turn> turn) {
  if (!site.kernel->device->keeps_time) return timed_by_host(launch, site, way, turn);
  cl_event own = nullptr, first = nullptr;
  const bool is_programs = launch.event != nullptr;
  if (!is_programs) launch.event = &own;
  Enqueued enqueued;
  if (way != nullptr) {
    enqueued = enqueue_as(drivers_, launch, *way, &first);
  } else {
    enqueued.result = enqueue(drivers_, launch);
    if (enqueued.result == CL_SUCCESS) drivers_.clRetainEvent(first = *launch.event);
  }
  const auto [result, is_refused] = enqueued;
  if (result == CL_SUCCESS) site.launches.fetch_add(1, std::memory_order_relaxed);
  if (result == CL_SUCCESS && is_programs) drivers_.clRetainEvent(*launch.event);
  bool is_time = false;
  {
    const std::lock_guard lock(mutex_);
    if (turn && (is_refused || result != CL_SUCCESS)) {
      refuse(site, *turn, is_refused);
      turn.reset();
    }
    if (result != CL_SUCCESS) return result;
    pending_.push_back({&site, first, *launch.event, turn, is_programs});
    awaited_ = pending_.size();
    is_time = pending_.size() % kHarvestFrom == 0;
  }
  if (is_time) harvest();
  return result;
}

/// Launches alone in its queue, between two looks at the clock.
cl_int Watcher::timed_by_host(const Launch& launch, Site& site, const Way* way,
                              const std::optional<Trial::Turn>& turn) {
  flush_all();
  drivers_.clFinish(launch.queue);
  const auto start = std::chrono::steady_clock::now();
  const auto [result, is_refused] = way != nullptr ? enqueue_as(drivers_, launch, *way, nullptr)
                                                   : Enqueued{enqueue(drivers_, launch), false};
  if (result == CL_SUCCESS) {
    site.launches.fetch_add(1, std::memory_order_relaxed);
    drivers_.clFinish(launch.queue);
  }
  const double time_ns = 1e9 * seconds_since(start);
  const std::lock_guard lock(mutex_);
  if (turn && (is_refused || result != CL_SUCCESS))
    refuse(site, *turn, is_refused);
  else if (result == CL_SUCCESS)
    take(site, turn, time_ns);
  return result;
}

/// A turn that the driver did not take, because of its way or for another reason.
void Watcher::refuse(Site& site, const Trial::Turn& turn, bool is_refused) {
  if (is_refused && turn.way) site.trial->give_up(*turn.way);
  site.trial->add(turn, std::nullopt);
  if (site.trial->is_over()) settle(site);
}

void Watcher::harvest() {
  if (awaited_ == 0) return;
  std::vector<Pending> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(pending_);
    awaited_ = 0;
  }
  std::vector<std::pair<Pending, std::optional<double>>> ended;
  std::vector<Pending> others;
  for (const Pending& pending : all) {
    const auto status = value_of<cl_int>(asking(drivers_.clGetEventInfo, pending.last,
                                                cl_event_info{CL_EVENT_COMMAND_EXECUTION_STATUS}),
                                         CL_INVALID_EVENT);
    if (status > CL_COMPLETE) {
      others.push_back(pending);
      continue;
    }
    const auto at = [&](cl_event event, cl_profiling_info what) {
      return value_of<cl_ulong>(asking(drivers_.clGetEventProfilingInfo, event, what), 0);
    };
    const cl_ulong start = at(pending.first, CL_PROFILING_COMMAND_START);
    const cl_ulong end = at(pending.last, CL_PROFILING_COMMAND_END);
    std::optional<double> time_ns;
    if (status == CL_COMPLETE && start > 0 && end > start)
      time_ns = static_cast<double>(end - start);
    ended.emplace_back(pending, time_ns);
    drivers_.clReleaseEvent(pending.first);
    drivers_.clReleaseEvent(pending.last);
  }
  const std::lock_guard lock(mutex_);
  pending_.insert(pending_.end(), others.begin(), others.end());
  awaited_ = pending_.size();
  for (const auto& [pending, time_ns] : ended) take(*pending.site, pending.turn, time_ns);
}

void Watcher::take(Site& site, const std::optional<Trial::Turn>& turn,
                   std::optional<double> time_ns) {
  if (time_ns && *time_ns < kLeastTime_ns) {
    site.kernel->device->keeps_time = false;
    time_ns.reset();
  }
  if (time_ns) (turn ? site.counted : site.sampled).add(*time_ns);
  if (turn) {
    site.trial->add(*turn, time_ns);
    if (site.trial->is_over()) settle(site);
  } else {
    consider_trial(site);
  }
}

void Watcher::consider_trial(Site& site) try {
  if (!settings_.repair || site.trial || site.is_decided || site.launches < kLaunchesBeforeTrial ||
      site.total_ns() < time_before_trial_ns(site.trials_begun))
    return;
  // Another process, or an equal device of this one, may have decided meanwhile.
  recall(site);
  if (site.is_decided) return;
  judge_and_keep(site);
  if (site.is_decided) return;
  remember([&] { memory_.keep_trials_begun(question(site), site.trials_begun + 1); });
  site.trial.emplace(site.ways);
  site.counted = {site.launches, site.total_ns()};
  site.sampled = {};
  site.tries = true;
} catch (const std::exception&) {
  leave_alone(site, kNoMemory);
}

void Watcher::settle(Site& site) {
  site.tries = false;
  const Verdict verdict = site.trial->verdict();
  site.decision = Decision{verdict.way, verdict.gain};
  site.is_decided = true;
  if (site.decision->way) site.way.store(&*site.decision->way, std::memory_order_release);
  remember([&] { memory_.keep(question(site), *site.decision); });
}

Question Watcher::question(const Site& site) const {
  const KernelRecord& kernel = *site.kernel;
  return {kernel.device->name, kernel.device->driver, kernel.program.name, kernel.name,
          site.range,          site.may_split};
}

cl_uint Watcher::held(cl_event event) {
  const std::lock_guard lock(mutex_);
  cl_uint times = 0;
  for (const Pending& pending : pending_)
    if (pending.is_programs)
      times += static_cast<cl_uint>(pending.first == event) + (pending.last == event);
  return times;
}

void Watcher::add_queue(cl_command_queue queue, bool hides_profiling,
                        std::optional<std::vector<cl_queue_properties>> given) {
  const std::lock_guard lock(mutex_);
  catalog_.add_queue(queue, hides_profiling, std::move(given));
  ++forgotten_;
}

void Watcher::retain_queue(cl_command_queue queue) {
  const std::lock_guard lock(mutex_);
  catalog_.retain_queue(queue);
}

void Watcher::release_queue(cl_command_queue queue) {
  const std::lock_guard lock(mutex_);
  catalog_.release_queue(queue);
  ++forgotten_;
}

void Watcher::forget_kernel(cl_kernel kernel) {
  const std::lock_guard lock(mutex_);
  catalog_.forget_kernel(kernel);
  ++forgotten_;
}

QueueRecord Watcher::queue(cl_command_queue queue) {
  const std::lock_guard lock(mutex_);
  return catalog_.queue(queue, false);
}

void Watcher::add_program(cl_program program, Origin origin) {
  const std::lock_guard lock(mutex_);
  catalog_.add_program(program, std::move(origin));
}

void Watcher::forget_build(cl_program program) {
  const std::lock_guard lock(mutex_);
  catalog_.forget_build(program);
}

std::size_t Watcher::builds_of(cl_program program) {
  const std::lock_guard lock(mutex_);
  return catalog_.builds_of(program);
}

void Watcher::see_binary(cl_program program, std::size_t builds, cl_device_id device,
                         std::string_view binary) {
  const std::lock_guard lock(mutex_);
  if (catalog_.builds_of(program) == builds) catalog_.keep_text(program, device, binary);
}

void Watcher::read(const std::function<void(const std::vector<const Site*>&)>& use) const {
  constexpr int kTries = 100;
  std::unique_lock lock(mutex_, std::defer_lock);
  for (int attempt = 0; attempt < kTries && !lock.try_lock(); ++attempt)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!lock.owns_lock()) return;
  std::vector<const Site*> all;
  for (const auto& [key, site] : sites_)
    if (site->launches > 0) all.push_back(site.get());
  std::ranges::stable_sort(all, std::greater(), &Site::total_ns);
  use(all);
}

}  // namespace clgauss::layer
