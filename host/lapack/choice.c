/* Decides which calls the device takes. Both sides are timed once for each machine, library and
 * kind of system, with all data in host memory. The times are kept as text in the cache, so that
 * all later processes decide alike. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

enum { kVersion = 2, kLeastMeasured = 256 };
/* The last size is timed only if the device is not ahead at the one before and is not a CPU. There,
 * copies weigh less, which matters most for Cholesky with its little arithmetic. */
static const double kSizes[kMostSizes] = {256, 512, 1024, 2048, 4096};
/* How many times as fast the device must be. A CPU device shares its cores with the program. */
static const double kMargin = 1.1, kMarginOnCpu = 2;
/* If the system's routine takes longer than this, no larger system is timed and two runs
 * suffice. */
static const double kLongSeconds = 0.1;

static double gained; /* seconds that opening the device earlier would have saved */

static int is_forced(void) {
  const char* const wanted = getenv("CLGAUSS_LAPACK");
  return wanted != NULL && strcmp(wanted, "force") == 0;
}

/* The value of CLGAUSS_LAPACK_MIN_N; -1 if it is not set. */
static int64_t given_n(void) {
  const char* const text = getenv("CLGAUSS_LAPACK_MIN_N");
  if (text == NULL || text[0] == '\0') return -1;
  char* end = NULL;
  errno = 0;
  const long long n = strtoll(text, &end, 10);
  if (errno != 0 || *end != '\0' || n < 0) {
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_said))
      fprintf(stderr, "clgauss: CLGAUSS_LAPACK_MIN_N is '%s', not a whole number: ignored\n", text);
    return -1;
  }
  return n;
}

/* The number of right-hand sides in a timed call, which is also the least that the device takes. */
static int64_t sides_of(enum family family, int64_t n) {
  switch (family) {
    case kLu:
    case kCholesky:
    case kMixed:
    case kSymmetric:
      return 1;
    case kSolves:
    case kCholeskySolves:
    case kSymmetricSolves:
      return n / 4;
    default:
      return 0;
  }
}

/* The number of rows beyond n in a timed call. */
static int64_t more_of(enum family family, int64_t n) { return family == kTallLu ? n : 0; }

/* The work of a call: flops / n^2, up to a factor that depends on the family. */
static double work_of(enum family family, int64_t n, int64_t more, int64_t nrhs) {
  if (family == kCondition) return 1;
  static const double kShares[kFamilies] = {
      [kLu] = 2. / 3,    [kCholesky] = 1. / 3, [kInverse] = 4. / 3,  [kCholeskyInverse] = 2. / 3,
      [kMixed] = 2. / 3, [kTallLu] = 2. / 3,   [kSymmetric] = 1. / 3}; /* times n */
  return kShares[family] * (double)n + (double)more + 2 * (double)nrhs;
}

int has_few_sides(const struct call* call) {
  const int is_of_factors = call->family == kSolves || call->family == kCholeskySolves ||
                            call->family == kSymmetricSolves;
  return is_of_factors && call->nrhs < sides_of(call->family, call->n) && !is_forced();
}

int64_t least_n_of_all(void) {
  static _Atomic int64_t known = -1;
  int64_t least = atomic_load_explicit(&known, memory_order_relaxed);
  if (least >= 0) return least;
  least = given_n();
  if (least < 0) least = is_forced() ? 1 : kLeastMeasured;
  atomic_store_explicit(&known, least, memory_order_relaxed);
  return least;
}

/* ---- Kept in the cache ----------------------------------------------------------------------- */

static uint64_t hash(uint64_t state, const char* text) { /* FNV-1a */
  for (; *text != '\0'; ++text) state = (state ^ (unsigned char)*text) * 0x100000001b3ULL;
  return (state ^ 1) * 0x100000001b3ULL;
}

static const char* text_of(const char* variable) {
  const char* const text = getenv(variable);
  return text != NULL ? text : "";
}

static int cores(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* The path of the file for a choice, which depends on everything that affects the times. Empty if
 * there is no cache folder. */
static void path_of_choice(char* path, size_t size, const struct library* library, int kind) {
  const char* cache = text_of("XDG_CACHE_HOME");
  char folder[PATH_MAX - 64];
  path[0] = '\0';
  if (strcmp(text_of("CLGAUSS_CACHE"), "off") == 0) return;
  if (cache[0] == '/')
    snprintf(folder, sizeof folder, "%s/clgauss", cache);
  else if (text_of("HOME")[0] == '/')
    snprintf(folder, sizeof folder, "%s/.cache/clgauss", text_of("HOME"));
  else
    return;
  char numbers[128];
  struct stat about = {0};
  stat(library->path, &about);
  snprintf(numbers, sizeof numbers, "%d %lld %lld %d", cores(), (long long)about.st_size,
           (long long)about.st_mtime, kind);
  const char* const parts[] = {CLGAUSS_LIBRARY,
                               library->path,
                               numbers,
                               text_of("CLGAUSS_DEVICE"),
                               text_of("OCL_ICD_VENDORS"),
                               text_of("RUSTICL_ENABLE"),
                               text_of("OMP_NUM_THREADS"),
                               text_of("OPENBLAS_NUM_THREADS"),
                               text_of("OPENBLAS_CORETYPE"),
                               text_of("MKL_NUM_THREADS"),
                               text_of("POCL_MAX_PTHREAD_COUNT")};
  uint64_t key = 0xcbf29ce484222325ULL;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) key = hash(key, parts[i]);
  snprintf(path, size, "%s/lapack-%016llx.txt", folder, (unsigned long long)key);
}

static int read_choice(const char* path, struct choice* choice) {
  FILE* const file = fopen(path, "re");
  if (file == NULL) return 0;
  int version = 0;
  int is_whole = fscanf(file, "clgauss-lapack %d\nlibrary %*[^\n]\ndevice %255[^\n]\n", &version,
                        choice->device_name) == 2 &&
                 version == kVersion &&
                 fscanf(file, "opening %lf cpu %d sizes %d\n", &choice->opening, &choice->is_cpu,
                        &choice->count) == 3 &&
                 choice->count >= 0 && choice->count <= kMostSizes;
  for (int i = 0; is_whole && i < choice->count; ++i)
    is_whole = fscanf(file, "%lf %lf %lf\n", &choice->sizes[i], &choice->system[i],
                      &choice->device[i]) == 3;
  char end[8];
  is_whole = is_whole && fscanf(file, "%7s", end) == 1 && strcmp(end, "end") == 0;
  fclose(file);
  return is_whole;
}

/* Writes a temporary file and renames it, so that nobody reads half a file. */
static void write_choice(const char* path, const struct library* library,
                         const struct choice* choice) {
  char folder[PATH_MAX], temporary[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  for (char* at = folder + 1; *at != '\0'; ++at) /* creates every folder of the path */
    if (*at == '/') {
      *at = '\0';
      mkdir(folder, 0700);
      *at = '/';
    }
  if (snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid()) >=
      (int)sizeof temporary)
    return;
  FILE* const file = fopen(temporary, "we");
  if (file == NULL) return;
  fprintf(file, "clgauss-lapack %d\nlibrary %s\ndevice %s\nopening %.9g cpu %d sizes %d\n",
          kVersion, library->path, choice->device_name, choice->opening, choice->is_cpu,
          choice->count);
  for (int i = 0; i < choice->count; ++i)
    fprintf(file, "%.0f %.9g %.9g\n", choice->sizes[i], choice->system[i], choice->device[i]);
  fprintf(file, "end\n");
  const int is_written = ferror(file) == 0;
  if (fclose(file) != 0 || !is_written || rename(temporary, path) != 0) unlink(temporary);
}

/* ---- Measured -------------------------------------------------------------------------------- */

/* Fills A with a real, symmetric, diagonally dominant matrix that both sides can solve, with `more`
 * rows below. The same numbers are also valid as factors. B becomes ones, and no rows are
 * exchanged. */
static void fill(enum type type, int is_wide, void* a, void* b, void* pivots, size_t n,
                 size_t more) {
  const size_t parts = is_complex(type) ? 2 : 1;
  const size_t rows = n + more;
  memset(a, 0, rows * n * bytes_of(type));
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < rows; ++i) {
      const size_t low = i < j ? i : j, high = i < j ? j : i;
      const double value =
          i == j ? 2 : ((double)((low * 31 + high * 17) % 23) / 16 - 0.5) / (double)n;
      const size_t at = (j * rows + i) * parts;
      if (bytes_of(type) / parts == 4)
        ((float*)a)[at] = (float)value;
      else
        ((double*)a)[at] = value;
    }
  for (size_t i = 0; i < n * n / 4 * parts; ++i)
    if (bytes_of(type) / parts == 4)
      ((float*)b)[i] = 1;
    else
      ((double*)b)[i] = 1;
  for (size_t i = 0; i < n; ++i)
    if (is_wide)
      ((int64_t*)pivots)[i] = (int64_t)i + 1;
    else
      ((int32_t*)pivots)[i] = (int32_t)i + 1;
}

static void mixed_on_system(void* routine, enum type type, size_t n, const void* order,
                            const void* sides, void* a, void* pivots, void* b, void* info) {
  const size_t column = n * bytes_of(type);
  char *const x = (char*)b + column, *const work = x + column, *const rwork = work + column,
              *const swork = rwork + column;
  int64_t iter = 0;
  if (type == kDouble)
    ((dsgesv_routine*)routine)(order, sides, a, order, pivots, b, order, x, order, work, swork,
                               &iter, info);
  else
    ((zcgesv_routine*)routine)(order, sides, a, order, pivots, b, order, x, order, work, swork,
                               rwork, &iter, info);
}

static int on_system(void* routine, const struct library* library, enum type type,
                     enum family family, size_t n, void* a, void* pivots, void* b) {
  int64_t wide_n = (int64_t)n, wide_sides = sides_of(family, wide_n),
          wide_rows = wide_n + more_of(family, wide_n), wide_size = wide_n * wide_n / 4,
          wide_info = 0;
  int32_t narrow_n = (int32_t)n, narrow_sides = (int32_t)wide_sides,
          narrow_rows = (int32_t)wide_rows, narrow_size = (int32_t)wide_size, narrow_info = 0;
  const int wide = library->is_wide;
  void *const order = wide ? (void*)&wide_n : &narrow_n,
              *const sides = wide ? (void*)&wide_sides : &narrow_sides,
              *const rows = wide ? (void*)&wide_rows : &narrow_rows,
              *const size = wide ? (void*)&wide_size : &narrow_size,
              *const info = wide ? (void*)&wide_info : &narrow_info;
  switch (family) {
    case kLu:
      ((gesv_routine*)routine)(order, sides, a, order, pivots, b, order, info);
      break;
    case kCholesky:
      ((posv_routine*)routine)("L", order, sides, a, order, b, order, info, 1);
      break;
    case kInverse:
      ((getri_routine*)routine)(order, a, order, pivots, b, size, info);
      break;
    case kCholeskyInverse:
      ((potrf_routine*)routine)("L", order, a, order, info, 1);
      break;
    case kSolves:
      ((getrs_routine*)routine)("N", order, sides, a, order, pivots, b, order, info, 1);
      break;
    case kMixed:
      mixed_on_system(routine, type, n, order, sides, a, pivots, b, info);
      break;
    case kTallLu:
      ((getrf_routine*)routine)(rows, order, a, rows, pivots, info);
      break;
    case kCondition: {
      const double anorm = 3;
      const float small_anorm = 3;
      char* const work = (char*)b + sizeof anorm; /* after rcond */
      ((gecon_routine*)routine)("1", order, a, order,
                                is_single_precision(type) ? (const void*)&small_anorm : &anorm, b,
                                work, work + 4 * n * sizeof anorm, info, 1);
      break;
    }
    case kSymmetric:
      ((sysv_routine*)routine)("L", order, sides, a, order, pivots, b, order,
                               (char*)b + n * bytes_of(type), size, info, 1);
      break;
    case kSymmetricSolves:
      ((getrs_routine*)routine)("L", order, sides, a, order, pivots, b, order, info, 1);
      break;
    default:
      ((potrs_routine*)routine)("L", order, sides, a, order, b, order, info, 1);
  }
  return wide ? wide_info == 0 : narrow_info == 0;
}

static clgauss_status on_device(enum type type, enum family family, size_t n, void* a,
                                int32_t* pivots, void* b) {
  const size_t sides = (size_t)sides_of(family, (int64_t)n);
  switch (family) {
    case kLu:
    case kMixed:
      return device_gesv(type, n, sides, a, n, pivots, b, n);
    case kCholesky:
      return device_posv(type, CLGAUSS_LOWER, n, sides, a, n, b, n);
    case kInverse:
      return device_getri(type, n, a, n, pivots);
    case kCholeskyInverse:
      return device_potri(type, CLGAUSS_LOWER, n, a, n);
    case kSolves:
      return device_getrs(type, CLGAUSS_NO_TRANSPOSE, n, sides, a, n, pivots, b, n);
    case kTallLu: {
      const size_t rows = n + (size_t)more_of(family, (int64_t)n);
      return device_getrf(type, rows, n, a, rows, pivots);
    }
    case kCondition:
      return device_gecon(type, CLGAUSS_ONE_NORM, n, a, n, 3, (double*)b);
    case kSymmetric:
      return device_sysv(type, CLGAUSS_LOWER, n, sides, a, n, pivots, b, n);
    case kSymmetricSolves:
      return device_sytrs(type, CLGAUSS_LOWER, n, sides, a, n, pivots, b, n);
    default:
      return device_potrs(type, CLGAUSS_LOWER, n, sides, a, n, b, n);
  }
}

static double margin_of(const struct choice* choice) {
  return choice->is_cpu ? kMarginOnCpu : kMargin;
}

static int is_ahead(const struct choice* choice, int s) {
  return choice->system[s] >= margin_of(choice) * choice->device[s];
}

/* The routine that is timed for a family; NULL: each routine is timed itself. */
static const char* timed_for(enum family family, enum type type) {
  switch (family) {
    case kLu:
      return "gesv";
    case kCholesky:
      return "posv";
    case kSymmetric:
      return is_complex(type) ? "hesv" : "sysv";
    default:
      return NULL;
  }
}

static int measure(const struct call* call, struct choice* choice) {
  const struct site* const site = call->site;
  const struct target* const target = call->target;
  const enum family family = call->family;
  void* routine = target->routine;
  const char* const timed = timed_for(family, site->type);
  if (timed != NULL) {
    char name[64];
    snprintf(name, sizeof name, "%s%c%s%s", site->prefix, "sdcz"[site->type], timed, site->suffix);
    routine = symbol_of(target->library->path, name);
    if (routine == NULL) {
      snprintf(choice->why, sizeof choice->why, "%.150s has no %s", target->library->path, name);
      return 0;
    }
  }
  const size_t most = (size_t)kSizes[kMostSizes - 1];
  void* const a =
      malloc((most + (size_t)more_of(family, (int64_t)most)) * most * bytes_of(site->type));
  void* const b = malloc(most * most * bytes_of(site->type)); /* also the work array */
  int64_t* const pivots = malloc(most * sizeof *pivots);
  int is_well = a != NULL && b != NULL && pivots != NULL;
  for (int s = 0; is_well && s < kMostSizes; ++s) {
    if (s == kMostSizes - 1 && (choice->is_cpu || is_ahead(choice, s - 1))) break;
    const size_t n = (size_t)kSizes[s], more = (size_t)more_of(family, (int64_t)n);
    double system = INFINITY, of_device = INFINITY;
    for (int repeat = 0; is_well && repeat < 3; ++repeat) { /* the first run builds kernels */
      fill(site->type, 0, a, b, pivots, n, more);
      const double begin = now_in_seconds();
      const clgauss_status status = on_device(site->type, family, n, a, (int32_t*)pivots, b);
      const double seconds = now_in_seconds() - begin;
      if (repeat > 0 && seconds < of_device) of_device = seconds;
      if (status != CLGAUSS_OK) {
        snprintf(choice->why, sizeof choice->why, "%.200s", the_device()->calls.last_error());
        is_well = 0;
      }
    }
    for (int repeat = 0; is_well && repeat < 3; ++repeat) {
      fill(site->type, target->library->is_wide, a, b, pivots, n, more);
      const double begin = now_in_seconds();
      is_well = on_system(routine, target->library, site->type, family, n, a, pivots, b);
      const double seconds = now_in_seconds() - begin;
      if (seconds < system) system = seconds;
      if (repeat > 0 && system > kLongSeconds) break; /* the first run may start threads */
    }
    if (!is_well) break;
    choice->sizes[s] = (double)n;
    choice->system[s] = system;
    choice->device[s] = of_device;
    choice->count = s + 1;
    if (system > kLongSeconds || of_device > 10 * kLongSeconds) break;
  }
  free(a);
  free(b);
  free(pivots);
  return choice->count > 0;
}

/* Sets least_n: the first size from which the device is ahead at every measured size. */
static void decide(struct choice* choice, const struct library* library) {
  choice->least_n = INT64_MAX;
  for (int s = choice->count; s-- > 0 && is_ahead(choice, s);)
    choice->least_n = (int64_t)choice->sizes[s];
  const int last = choice->count - 1;
  if (choice->least_n == INT64_MAX)
    snprintf(choice->why, sizeof choice->why,
             "%.60s is not %g times as fast as %.80s: n = %.0f takes %.3g ms, and %.3g ms",
             choice->device_name, margin_of(choice), library->path, choice->sizes[last],
             1e3 * choice->device[last], 1e3 * choice->system[last]);
}

static double at_n(const double* seconds, const struct choice* choice, enum family family,
                   int64_t n) {
  int s = 0;
  while (s + 1 < choice->count && choice->sizes[s + 1] <= (double)n) ++s;
  const double ratio = (double)n / choice->sizes[s];
  return seconds[s] * ratio * ratio * (family == kCondition ? 1 : ratio);
}

static void measure_and_keep(const struct call* call, const char* path, struct choice* choice) {
  const struct target* const target = call->target;
  choice->count = 0;
  choice->least_n = INT64_MAX;
  const struct device* const device = device_opened();
  if (device == NULL) {
    snprintf(choice->why, sizeof choice->why, "%.250s", the_device()->error);
    return;
  }
  snprintf(choice->device_name, sizeof choice->device_name, "%s", device->name);
  choice->is_cpu = device->is_cpu;
  choice->opening = device->seconds;
  const double begin = now_in_seconds();
  const int is_measured = measure(call, choice);
  report_measuring(now_in_seconds() - begin);
  if (!is_measured) return;
  write_choice(path, target->library, choice);
  decide(choice, target->library);
}

/* The caller must hold the device. */
static struct choice* choice_of(const struct call* call) {
  const struct target* const target = call->target;
  struct choice** const place = &target->library->choices[kind_of(call)];
  if (*place != NULL) return *place;
  struct choice* const choice = calloc(1, sizeof *choice);
  if (choice == NULL) return NULL;
  *place = choice;
  choice->least_n = INT64_MAX;
  const int64_t given = given_n();
  if (!target->library->is_known) {
    snprintf(choice->why, sizeof choice->why, "the width of its integers is not known: %.180s",
             target->library->path);
    return choice;
  }
  if (is_forced() || given >= 0) {
    choice->least_n = given >= 0 ? given : 1;
    choice->opening = NAN;
    return choice;
  }
  char path[PATH_MAX];
  path_of_choice(path, sizeof path, target->library, kind_of(call));
  if (path[0] == '\0') {
    snprintf(
        choice->why, sizeof choice->why,
        "what is measured cannot be kept: set XDG_CACHE_HOME or HOME, or CLGAUSS_LAPACK_MIN_N");
    return choice;
  }
  if (read_choice(path, choice))
    decide(choice, target->library);
  else
    measure_and_keep(call, path, choice);
  return choice;
}

int device_takes(const struct call* call) {
  struct choice* const choice = choice_of(call);
  const int64_t n = call->n;
  if (choice == NULL || n < choice->least_n) return 0;
  const int is_measured = !isnan(choice->opening);
  if (the_device()->context == NULL && is_measured) {
    /* Opening pays off once this process's earlier calls would have saved as much time as opening
     * costs. The estimate depends on n alone, so that a program behaves the same in every run. */
    gained += at_n(choice->system, choice, call->family, n) -
              at_n(choice->device, choice, call->family, n);
    if (gained < choice->opening) return 0;
  }
  const struct device* const device = device_opened();
  if (device == NULL) return 0;
  if (is_measured && strcmp(device->name, choice->device_name) != 0) { /* it has changed */
    char path[PATH_MAX];
    path_of_choice(path, sizeof path, call->target->library, kind_of(call));
    measure_and_keep(call, path, choice);
  }
  return n >= choice->least_n;
}

double seconds_of_system(const struct call* call) {
  const struct choice* const choice = call->target->library->choices[kind_of(call)];
  const enum family family = call->family;
  const int64_t n = call->n;
  if (choice == NULL || choice->count == 0) return NAN;
  return at_n(choice->system, choice, family, n) * work_of(family, n, call->more, call->nrhs) /
         work_of(family, n, more_of(family, n), sides_of(family, n));
}
