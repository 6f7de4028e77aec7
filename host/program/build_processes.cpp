#include "program/build_processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
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
#include <map>
#include <new>
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

// The open files of a helper. The sheet holds the device's text, the cache folder, whether binaries
// are kept, and the jobs, each text preceded by its length. The two queues, which all helpers
// share, deliver numbers of jobs: those needed and those built ahead. A Message is sent back when a
// needed job is begun and when it is done. The turn to build ahead is only kept open.
constexpr int kQueue = 0, kMessages = 1, kSheet = 3, kQueueAhead = 4, kTurnAhead = 5, kLast = 5;
using Number = std::uint32_t;

struct Message {
  Number job, process, is_done;
};

constexpr std::string_view kKept = "kept";          // binaries, in a sheet
constexpr std::string_view kSurvived = "survived";  // a compiler's answer

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

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
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

/// What a compiler said last: the last line of an open file that is not empty, without what LLVM
/// may print of a crash behind the reason.
std::string last_words(const Descriptor& file) {
  std::array<char, 1 << 16> block{};
  const ssize_t count = pread(file.number(), block.data(), block.size(), 0);
  std::string_view text(block.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  text = text.substr(0, text.find("PLEASE submit a bug report"));
  text = text.substr(0, text.find_last_not_of('\n') + 1);
  return std::string(text.substr(text.find_last_of('\n') + 1));
}

/// What a compiler is to blame for, of the statuses of waitpid(): an exit and signals of a fault,
/// not those that users and a system without memory send. Empty otherwise.
std::string fault_in(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return fmt::format("exit code {}", WEXITSTATUS(status));
  constexpr int kFaults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  if (!WIFSIGNALED(status) || std::ranges::count(kFaults, WTERMSIG(status)) == 0) return {};
  return strsignal(WTERMSIG(status));
}

/// The running helpers. The destructor kills them, unless they may go on.
class Helpers {
 public:
  /// A helper that has ended. `fault` is empty where it is not the compiler's.
  struct Ended {
    Number process;
    std::string fault;
  };

  Helpers() = default;
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  ~Helpers() {
    if (running_.empty()) return;
    std::vector<pid_t> processes;
    for (const Helper& helper : running_) processes.push_back(helper.process);
    if (!go_on_)
      for (const pid_t process : processes) kill(process, SIGKILL);
    try {  // a driver is slow to end a process that used a device
      std::thread(await, processes).detach();
    } catch (const std::system_error&) {
      if (!go_on_) await(processes);
    }
  }

  void let_go_on() { go_on_ = true; }

  void start(const fs::path& builder, int queue, int queue_ahead, int messages, int sheet,
             int turn_ahead) {
    const Descriptor memory(operating_system::open_memory_file());
    Descriptor said = lifted(memory);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, queue, kQueue);
    posix_spawn_file_actions_adddup2(&files, messages, kMessages);
    if (said.open())
      posix_spawn_file_actions_adddup2(&files, said.number(), STDERR_FILENO);
    else
      posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, sheet, kSheet);
    posix_spawn_file_actions_adddup2(&files, queue_ahead, kQueueAhead);
    posix_spawn_file_actions_adddup2(&files, turn_ahead >= 0 ? turn_ahead : sheet, kTurnAhead);
    std::string name = builder.string();
    std::array<char*, 2> arguments{name.data(), nullptr};
    pid_t process = 0;
    if (posix_spawn(&process, builder.c_str(), &files, nullptr, arguments.data(), environ) == 0)
      running_.push_back({process, std::move(said)});
    posix_spawn_file_actions_destroy(&files);
  }

  [[nodiscard]] bool run() const { return !running_.empty(); }

  /// Forgets the helpers that have ended. ECHILD counts as ended: the program ignores the ends of
  /// its children or waits for any child.
  [[nodiscard]] std::vector<Ended> take_ended() {
    std::vector<Ended> all;
    std::erase_if(running_, [&](const Helper& helper) {
      int status = 0;
      const pid_t ended = waitpid(helper.process, &status, WNOHANG);
      if (ended != helper.process && !(ended < 0 && errno == ECHILD)) return false;
      std::string fault = ended == helper.process ? fault_in(status) : "";
      const std::string said = fault.empty() ? "" : last_words(helper.said);
      if (!said.empty()) fault += ": " + said;
      for (const char* const lacking : {"out of memory", "bad_alloc", "No space left"})
        if (said.find(lacking) != std::string::npos) fault.clear();
      all.push_back({static_cast<Number>(helper.process), std::move(fault)});
      return true;
    });
    return all;
  }

 private:
  struct Helper {
    pid_t process;
    Descriptor said;  // on standard error
  };

  static void await(const std::vector<pid_t>& processes) {
    for (const pid_t process : processes)
      while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  std::vector<Helper> running_;
  bool go_on_ = false;
};

/// The messages that can be read at once, waiting at most `milliseconds` for the first. Empty
/// optional at the end.
std::optional<std::vector<Message>> read_messages(const Descriptor& messages, int milliseconds) {
  std::vector<Message> all(64);
  pollfd waiting{messages.number(), POLLIN, 0};
  ssize_t count = 0;
  if (poll(&waiting, 1, milliseconds) > 0) {
    count = read(messages.number(), all.data(), all.size() * sizeof(Message));
    if (count == 0 || (count < 0 && errno != EINTR)) return std::nullopt;
  }
  all.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)) / sizeof(Message));
  return all;
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

/// PoCL compiles kernels as far as machine code only where their binaries are read.
void build(const cl::Context& context, const cl::Device& device, const ProgramCache& cache,
           bool keeps_binaries, const BuildJob& job) {
  const auto turn = await_turn(cache, job.key, end_of_waiting(), [] {});
  if (is_tried(cache, job.key)) return;  // another process has built it meanwhile
  try {
    const cl::Program program(context, job.source);
    program.build(device, job.options.c_str());
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    if (keeps_binaries && !binaries.empty() && !binaries.front().empty())
      return cache.store(job.key, {program.getInfo<CL_PROGRAM_KERNEL_NAMES>(), binaries.front()});
  } catch (const cl::Error&) {  // the requesting process builds it again and reports the error
  }
  cache.store(compiler_key(job.key), {{}, {kSurvived.begin(), kSurvived.end()}});
}

}  // namespace

int run_builder() try {
  operating_system::end_with_parent();
  constexpr rlimit kNone{0, 0};
  setrlimit(RLIMIT_CORE, &kNone);   // a compiler's crash leaves no file
  constexpr int kMostFiles = 1024;  // a helper that outlives its parent must hold no lock or pipe
  for (int file = kLast + 1; file < kMostFiles; ++file) close(file);
  const std::string whole = read_sheet();
  std::string_view sheet = whole;
  const auto text = take(sheet), folder = take(sheet), binaries = take(sheet);
  if (!text || !folder || !binaries) {
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
  const auto tell = [&](Number is_done) {
    const Message message{job, static_cast<Number>(getpid()), is_done};
    if (!io::write_all(kMessages, bytes_of(message))) _exit(0);
  };
  while (take_from(kQueue)) {
    static_cast<void>(ftruncate(STDERR_FILENO, 0));  // what is said of the job before
    lseek(STDERR_FILENO, 0, SEEK_SET);
    tell(0);
    build(context, *device, cache, *binaries == kKept, jobs[job]);
    tell(1);
  }
  dup2(STDERR_FILENO, kMessages);  // closes the pipe
  operating_system::outlive_parent();
  constexpr int kBehindOthers = 10;
  static_cast<void>(nice(kBehindOthers));
  while (take_from(kQueueAhead)) build(context, *device, cache, *binaries == kKept, jobs[job]);
  _exit(0);  // some drivers take longer to shut down than to build a program
} catch (const cl::Error&) {
  return 5;
} catch (const std::exception&) {
  _exit(0);  // no fault of the compiler's
}

std::string compiler_key(const std::string& key) { return "compiler\n" + key; }

std::optional<std::string> compiler_fault(const ProgramCache& cache, const std::string& key) {
  const auto kept = cache.fetch(compiler_key(key));
  std::string answer = kept ? std::string(kept->binary.begin(), kept->binary.end()) : "";
  if (answer.empty() || answer == kSurvived) return std::nullopt;
  return answer;
}

bool is_tried(const ProgramCache& cache, const std::string& key) {
  return cache.fetch(key) || cache.fetch(compiler_key(key));
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
  append(text, builders.keeps_binaries ? kKept : "");
  for (const auto* some : {&jobs.needed, &jobs.ahead})
    for (const auto& [key, source, options] : *some)
      for (const std::string& part : {key, source, options}) append(text, part);
  const std::size_t needed = jobs.needed.size();
  const Descriptor memory(operating_system::open_memory_file()),
      sheet = lifted(memory), queue = queue_of(0, needed),
      ahead = queue_of(needed, needed + jobs.ahead.size());
  Descriptor turn = jobs.turn_ahead ? lifted(*jobs.turn_ahead) : Descriptor();
  std::optional<Pipe> messages = Pipe::open();
  Descriptor messages_in = messages ? lifted(messages->in) : Descriptor();
  if (!sheet.open() || !queue.open() || !ahead.open() || !messages_in.open() ||
      !io::write_all(sheet.number(), text))
    return;  // programs are then built when needed
  messages->in = Descriptor();

  Helpers helpers;
  const auto start_helper = [&] {
    helpers.start(builders.program, queue.number(), ahead.number(), messages_in.number(),
                  sheet.number(), turn.number());
  };
  for (std::size_t i = 0; i < builders.processes; ++i) start_helper();
  std::size_t taken = 0, done = 0;
  std::map<Number, Number> jobs_of;  // that helpers have begun, by process
  bool reading = true;
  const auto listen = [&](int milliseconds) {
    hear(done);
    const auto read = read_messages(messages->out, milliseconds);
    reading = read.has_value();
    const bool heard = reading && !read->empty();
    for (const auto& [job, process, is_done] : read.value_or(std::vector<Message>())) {
      if (is_done) {
        jobs_of.erase(process);
        ++done;
      } else {
        jobs_of[process] = job;
        ++taken;
      }
    }
    return heard;
  };
  // A helper that ended in a job is followed by another.
  const ProgramCache cache(builders.cache);
  const auto bury = [&] {
    for (const auto& [process, fault] : helpers.take_ended()) {
      while (reading && listen(0)) continue;  // to all that it has sent
      const auto left = jobs_of.find(process);
      if (left == jobs_of.end()) continue;
      if (!builders.own && !fault.empty())
        cache.store(compiler_key(jobs.needed[left->second].key),
                    {{}, {fault.begin(), fault.end()}});
      jobs_of.erase(left);
      ++done;
      if (taken < needed && reading) start_helper();
    }
  };
  Number job = 0;
  while (builders.own && read(queue.number(), &job, sizeof job) == sizeof job) {
    ++taken;
    listen(0);
    builders.own(jobs.needed[job]);
    ++done;
  }
  while (reading && done < needed && helpers.run()) {
    if (taken == needed) messages_in = Descriptor();  // `messages` then ends with what is needed
    listen(kWaitMs);
    bury();
  }
  while (!jobs_of.empty() && helpers.run()) {  // a process that ends closes its files first
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    bury();
  }
  if (!jobs.ahead.empty()) helpers.let_go_on();
}

}  // namespace clgauss
