/* Reports which calls ran where. CLGAUSS_LAPACK_LOG names a file that gets a line for each call;
 * CLGAUSS_LAPACK_REPORT names a file that gets a table at the end of the process ("-": standard
 * error). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

enum { kMostRows = 64 };

/* The calls of one routine of one library. */
struct row {
  const char* name;
  const struct library* library;
  long calls[2]; /* by the system, by the device */
  double seconds[2];
  int64_t largest[2];
  double saved; /* estimated from the measured times */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row rows[kMostRows];
static int row_count;
static double measuring; /* seconds */
static char last_why[256];
static const char *log_path, *report_path;
static pid_t process;

static const char* path_given(const char* variable) {
  const char* const path = secure_getenv(variable);
  return path != NULL && path[0] != '\0' ? path : NULL;
}

static void start(void) __attribute__((constructor));
static void start(void) {
  log_path = path_given("CLGAUSS_LAPACK_LOG");
  report_path = path_given("CLGAUSS_LAPACK_REPORT");
  process = getpid();
}

void forget_report_lock(void) { pthread_mutex_init(&lock, NULL); }

double now_in_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int is_reported(void) { return log_path != NULL || report_path != NULL; }

/* Appends with a single write, so that the lines of several processes do not mix. */
static void append(const char* path, const char* text) {
  const int file = strcmp(path, "-") == 0
                       ? dup(STDERR_FILENO)
                       : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return;
  const ssize_t written = write(file, text, strlen(text));
  (void)written; /* a failure cannot be reported */
  close(file);
}

static struct row* row_of(const char* name, const struct library* library) {
  for (int i = 0; i < row_count; ++i)
    if (rows[i].name == name && rows[i].library == library) return &rows[i];
  if (row_count == kMostRows) return &rows[kMostRows - 1];
  rows[row_count].name = name;
  rows[row_count].library = library;
  return &rows[row_count++];
}

/* " rows=300" or " columns=300" if A is not square. */
static const char* shape_of(const struct call* call, char* text, size_t size) {
  text[0] = '\0';
  if (call->more > 0)
    snprintf(text, size, " %s=%lld", call->family == kTallLu ? "rows" : "columns",
             (long long)(call->n + call->more));
  return text;
}

void report_call(const struct call* call, int on_device, double seconds) {
  const double system = on_device ? seconds_of_system(call) : NAN;
  const char* const why = call->why != NULL ? call->why : "";
  pthread_mutex_lock(&lock);
  struct row* const row = row_of(call->site->name, call->target->library);
  ++row->calls[on_device];
  row->seconds[on_device] += seconds;
  if (call->n > row->largest[on_device]) row->largest[on_device] = call->n;
  if (!isnan(system)) row->saved += system - seconds;
  if (why[0] != '\0') snprintf(last_why, sizeof last_why, "%s", why);
  pthread_mutex_unlock(&lock);
  if (log_path == NULL) return;
  char line[512], shape[32];
  snprintf(line, sizeof line, "%ld %s n=%lld nrhs=%lld%s %s %.3f ms%s%s\n", (long)getpid(),
           call->site->name, (long long)call->n, (long long)call->nrhs,
           shape_of(call, shape, sizeof shape), on_device ? "device" : "system", 1e3 * seconds,
           why[0] != '\0' ? " " : "", why);
  append(log_path, line);
}

void report_measuring(double seconds) { measuring += seconds; }

static void report(void) __attribute__((destructor));
static void report(void) {
  if (report_path == NULL || row_count == 0 || getpid() != process) return;
  char text[8192];
  const struct device* const device = the_device();
  size_t at = 0;
#define ADD(...) \
  if (at < sizeof text) at += (size_t)snprintf(text + at, sizeof text - at, __VA_ARGS__)
  ADD("clgauss: LAPACK of process %ld", (long)process);
  if (device->context != NULL) ADD(", with %s, opened in %.2f s", device->name, device->seconds);
  if (measuring > 0) ADD(", measured for %.1f s, once for this machine", measuring);
  ADD("\n  routine     device    n up to         s    system    n up to         s   saved s\n");
  for (int i = 0; i < row_count; ++i) {
    const struct row* const row = &rows[i];
    ADD("  %-9s %8ld %10lld %9.3f %9ld %10lld %9.3f", row->name, row->calls[1],
        (long long)row->largest[1], row->seconds[1], row->calls[0], (long long)row->largest[0],
        row->seconds[0]);
    if (row->saved != 0) ADD(" %9.3f", row->saved);
    ADD("\n");
  }
  for (int i = 0; i < row_count; ++i) {
    int first = 0; /* the first row with that library */
    while (rows[first].library != rows[i].library) ++first;
    if (first == i) ADD("  system: %s\n", rows[i].library->path);
  }
  if (last_why[0] != '\0') ADD("  last reason for the system: %s\n", last_why);
#undef ADD
  append(report_path, text);
}
