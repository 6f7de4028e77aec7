#include "program/build_processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <clgauss/lab/program.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "io/descriptor.hpp"
#include "operating_system.hpp"

namespace clgauss {

namespace {

namespace fs = std::filesystem;
using io::Descriptor;

// The open files of a helper. The sheet holds the device's text, the cache folder and the jobs,
// each text preceded by its length. The two queues, which all helpers share, deliver numbers of
// jobs: those needed and those built ahead. The number of each needed job is sent back when it is
// done. The turn to build ahead is only kept open.
constexpr int kQueue = 0, kDone = 1, kSheet = 3, kQueueAhead = 4, kTurnAhead = 5, kLast = 5;
using Number = std::uint32_t;

constexpr int kWaitMs = 50;

void append(std::string& sheet, std::string_view text) {
  const std::uint64_t size = text.size();
  sheet.append(reinterpret_cast<const char*>(&size), sizeof size);
  sheet += text;
}

/// Takes a text off the front of the rest of a sheet; empty at its end.
std::optional<std::string> take(std::string_view& sheet) {
  std::uint64_t size = 0;
  if (sheet.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, sheet.data(), sizeof size);
  sheet.remove_prefix(sizeof size);
  if (sheet.size() < size) return std::nullopt;
  std::string text(sheet.substr(0, size));
  sheet.remove_prefix(size);
  return text;
}

std::string_view bytes_of(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

struct Pipe {
  Descriptor out, in;

  static std::optional<Pipe> open() {
    std::array<int, 2> ends{};
    if (!operating_system::open_pipe(ends)) return std::nullopt;
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  }
};

/// A copy of an open file, with a higher number than any that a helper is given.
Descriptor lifted(const Descriptor& file) {
  return Descriptor(fcntl(file.number(), F_DUPFD_CLOEXEC, kLast + 1));
}

/// A queue of the numbers from `first` to `last` - 1, and then no more. Not open on failure.
Descriptor queue_of(std::size_t first, std::size_t last) {
  std::string numbers;
  for (auto job = static_cast<Number>(first); job < last; ++job) numbers += bytes_of(job);
  constexpr std::size_t kOfAnyPipe = 4096;  // fits into any pipe before it is read
  const std::optional<Pipe> queue = Pipe::open();
  if (!queue || numbers.size() > kOfAnyPipe || !io::write_all(queue->in.number(), numbers))
    return {};
  return lifted(queue->out);
}

/// The running helpers. The destructor kills them, unless they may go on.
class Helpers {
 public:
  Helpers() = default;
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  ~Helpers() {
    if (running_.empty()) return;
    if (!go_on_)
      for (const pid_t process : running_) kill(process, SIGKILL);
    try {  // a driver is slow to end a process that used a device
      std::thread(await, running_).detach();
    } catch (const std::system_error&) {
      if (!go_on_) await(running_);
    }
  }

  void let_go_on() { go_on_ = true; }

  void start(const fs::path& builder, int queue, int queue_ahead, int done, int sheet,
             int turn_ahead) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, queue, kQueue);
    posix_spawn_file_actions_adddup2(&files, done, kDone);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, sheet, kSheet);
    posix_spawn_file_actions_adddup2(&files, queue_ahead, kQueueAhead);
    if (turn_ahead >= 0) posix_spawn_file_actions_adddup2(&files, turn_ahead, kTurnAhead);
    std::string name = builder.string();
    std::array<char*, 2> arguments{name.data(), nullptr};
    pid_t process = 0;
    if (posix_spawn(&process, builder.c_str(), &files, nullptr, arguments.data(), environ) == 0)
      running_.push_back(process);
    posix_spawn_file_actions_destroy(&files);
  }

  /// Whether helpers are running; forgets those that have ended. ECHILD counts as ended: the
  /// program ignores the ends of its children or waits for any child.
  [[nodiscard]] bool run() {
    std::erase_if(running_, [](pid_t process) {
      const pid_t ended = waitpid(process, nullptr, WNOHANG);
      return ended == process || (ended < 0 && errno == ECHILD);
    });
    return !running_.empty();
  }

 private:
  static void await(const std::vector<pid_t>& processes) {
    for (const pid_t process : processes)
      while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  std::vector<pid_t> running_;
  bool go_on_ = false;
};

/// How many numbers can be read at once, waiting at most `milliseconds` for the first; -1 at the
/// end.
int read_numbers(const Descriptor& done, int milliseconds) {
  pollfd waiting{done.number(), POLLIN, 0};
  if (poll(&waiting, 1, milliseconds) <= 0) return 0;
  std::array<Number, 64> numbers{};
  const ssize_t count = read(done.number(), numbers.data(), sizeof numbers);
  if (count < 0) return errno == EINTR ? 0 : -1;
  return count == 0 ? -1 : static_cast<int>(static_cast<std::size_t>(count) / sizeof(Number));
}

std::string read_sheet() {
  std::string sheet;
  std::array<char, 1 << 16> block{};
  // By offset, because all helpers share the file's read position.
  for (ssize_t count = 0;
       (count = pread(kSheet, block.data(), block.size(), static_cast<off_t>(sheet.size()))) > 0;)
    sheet.append(block.data(), static_cast<std::size_t>(count));
  return sheet;
}

std::optional<cl::Device> find_device(const std::string& text) {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (const cl::Platform& platform : platforms) {
    if (!text.starts_with(platform.getInfo<CL_PLATFORM_NAME>())) continue;  // listing is slow
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    for (cl::Device& device : devices)
      if (device_text(device) == text) return std::move(device);
  }
  return std::nullopt;
}

void build(const cl::Context& context, const cl::Device& device, const ProgramCache& cache,
           const BuildJob& job) {
  const auto turn = await_turn(cache, job.key, end_of_waiting(), [] {});
  if (cache.fetch(job.key)) return;  // another process has built it meanwhile
  try {
    const cl::Program program(context, job.source);
    program.build(device, job.options.c_str());
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    if (!binaries.empty() && !binaries.front().empty())
      cache.store(job.key, {program.getInfo<CL_PROGRAM_KERNEL_NAMES>(), binaries.front()});
  } catch (const cl::Error&) {  // the requesting process builds it again and reports the error
  }
}

}  // namespace

int run_builder() try {
  operating_system::end_with_parent();
  constexpr int kMostFiles = 1024;  // a helper that outlives its parent must hold no lock or pipe
  for (int file = kLast + 1; file < kMostFiles; ++file) close(file);
  const std::string whole = read_sheet();
  std::string_view sheet = whole;
  const auto text = take(sheet), folder = take(sheet);
  if (!text || !folder) {
    std::fputs("clgauss-builder is a part of clgauss, which starts it to build kernels\n", stderr);
    return 2;
  }
  std::vector<BuildJob> jobs;
  for (;;) {
    auto key = take(sheet), source = take(sheet), options = take(sheet);
    if (!key || !source || !options) break;
    jobs.push_back({*std::move(key), *std::move(source), *std::move(options)});
  }
  // NVIDIA's driver creates the contexts of several processes one after the other, 0.14 s each on
  // an H100. With a lock, the first helper is ready long before the last. One connection to the
  // device suffices, as no kernel is launched, and creates the context faster.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
  const bool in_turn = lockf(kSheet, F_LOCK, 0) == 0;
  const auto device = find_device(*text);
  if (!device) return 4;
  const cl::Context context(*device);
  if (in_turn) static_cast<void>(lockf(kSheet, F_ULOCK, 0));
  const ProgramCache cache(*folder);
  Number job = 0;
  const auto take_from = [&](int queue) {
    return read(queue, &job, sizeof job) == sizeof job && job < jobs.size();
  };
  while (take_from(kQueue)) {
    build(context, *device, cache, jobs[job]);
    if (!io::write_all(kDone, bytes_of(job))) _exit(0);
  }
  dup2(STDERR_FILENO, kDone);  // closes the pipe
  operating_system::outlive_parent();
  constexpr int kBehindOthers = 10;
  static_cast<void>(nice(kBehindOthers));
  while (take_from(kQueueAhead)) build(context, *device, cache, jobs[job]);
  _exit(0);  // some drivers take longer to shut down than to build a program
} catch (const cl::Error&) {
  return 5;
}

std::chrono::steady_clock::time_point end_of_waiting() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(10);
}

Turn await_turn(const ProgramCache& cache, const std::string& key,
                std::chrono::steady_clock::time_point until, const std::function<void()>& hear) {
  for (;;) {
    Turn turn = cache.try_turn(key);
    if (turn || std::chrono::steady_clock::now() >= until) return turn;
    hear();
    std::this_thread::sleep_for(std::chrono::milliseconds(kWaitMs));
  }
}

std::string device_text(const cl::Device& device) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  return fmt::format("{}\n{}\n{}\n{}\n{}", platform.getInfo<CL_PLATFORM_NAME>(),
                     platform.getInfo<CL_PLATFORM_VERSION>(), device.getInfo<CL_DEVICE_NAME>(),
                     device.getInfo<CL_DEVICE_VERSION>(), device.getInfo<CL_DRIVER_VERSION>());
}

fs::path builder_program() {
  const fs::path name = "clgauss-builder";
  const fs::path folder = operating_system::own_folder();
  for (const fs::path& place :
       {folder, folder.parent_path(), folder.parent_path() / "libexec" / "clgauss"})
    if (!folder.empty() && access((place / name).c_str(), X_OK) == 0) return place / name;
  const fs::path installed = fs::path(CLGAUSS_LIBEXEC) / name;
  return access(installed.c_str(), X_OK) == 0 ? installed : fs::path();
}

void build_by_processes(const Builders& builders, const BuildJobs& jobs,
                        const std::function<void(std::size_t done)>& hear) {
  std::string text;
  append(text, builders.device);
  append(text, builders.cache.string());
  for (const auto* some : {&jobs.needed, &jobs.ahead})
    for (const auto& [key, source, options] : *some)
      for (const std::string& part : {key, source, options}) append(text, part);
  const std::size_t needed = jobs.needed.size();
  const Descriptor memory(operating_system::open_memory_file()),
      sheet = lifted(memory), queue = queue_of(0, needed),
      ahead = queue_of(needed, needed + jobs.ahead.size());
  Descriptor turn = jobs.turn_ahead ? lifted(*jobs.turn_ahead) : Descriptor();
  std::optional<Pipe> done = Pipe::open();
  Descriptor done_in = done ? lifted(done->in) : Descriptor();
  if (!sheet.open() || !queue.open() || !ahead.open() || !done_in.open() ||
      !io::write_all(sheet.number(), text))
    return;  // programs are then built when needed

  Helpers helpers;
  for (std::size_t i = 0; i < builders.processes; ++i)
    helpers.start(builders.program, queue.number(), ahead.number(), done_in.number(),
                  sheet.number(), turn.number());
  done->in = Descriptor();
  done_in = Descriptor();
  turn = Descriptor();
  std::size_t built = 0;
  bool reading = true;
  const auto count = [&](int milliseconds) {
    hear(built);
    const int more = read_numbers(done->out, milliseconds);
    reading = more >= 0;
    if (more > 0) built += static_cast<std::size_t>(more);
  };
  Number job = 0;
  while (read(queue.number(), &job, sizeof job) == sizeof job) {
    count(0);
    builders.own(jobs.needed[job]);
    ++built;
  }
  while (reading && built < needed && helpers.run()) count(kWaitMs);
  if (!jobs.ahead.empty()) helpers.let_go_on();
}

}  // namespace clgauss
