/* libclgauss_core: loaded and opened at the first call that is worth it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "shim.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device device;
static atomic_int is_given_up, is_child;
static int failures; /* in a row */
static _Thread_local int depth __attribute__((tls_model("initial-exec")));

/* A child of fork() has none of the driver's threads, nor the thread that held the lock. */
static void in_child(void) {
  atomic_store(&is_given_up, 1);
  atomic_store(&is_child, 1);
  forget_target_lock();
  forget_report_lock();
}

/* If a program ended while another thread builds kernels, the compiler's static data would be
 * destroyed during the build. So this waits until the device is free and prevents further use. */
static void before_exit(void* unused) {
  enum { kMostSeconds = 30 };
  (void)unused;
  atomic_store(&is_given_up, 1);
  if (depth > 0 || atomic_load(&is_child)) return;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += kMostSeconds;
  if (pthread_mutex_timedlock(&lock, &until) == 0) pthread_mutex_unlock(&lock);
}

static void before_exit_of_any(void) { before_exit(NULL); }

/* A function of glibc for the destructors of thread-local variables. exit() runs those of its own
 * thread before all atexit() handlers; compilers register such handlers whenever they first need
 * something. */
extern int __cxa_thread_atexit_impl(void (*)(void*), void*, void*) __attribute__((weak));
extern void* __dso_handle;

static void start(void) __attribute__((constructor));
static void start(void) {
  const char* const wanted = getenv("CLGAUSS_LAPACK");
  if (getauxval(AT_SECURE) != 0 || (wanted != NULL && strcmp(wanted, "off") == 0))
    atomic_store(&is_given_up, 1);
  pthread_atfork(NULL, NULL, in_child);
  if (__cxa_thread_atexit_impl != NULL) /* when preloaded, this is the program's first thread */
    __cxa_thread_atexit_impl(before_exit, NULL, &__dso_handle);
}

void enter_system(void) { ++depth; }
void leave_system(void) { --depth; }
int is_within_lapack(void) { return depth > 0; }

int device_acquire(void) {
  if (depth > 0 || atomic_load_explicit(&is_given_up, memory_order_relaxed)) return 0;
  if (pthread_mutex_trylock(&lock) != 0) return 0;
  ++depth;
  return 1;
}

void device_release(void) {
  --depth;
  pthread_mutex_unlock(&lock);
}

const struct device* the_device(void) { return &device; }

/* Loads libclgauss_core from this file's folder, or from the library search path. */
static void* open_library(void) {
  Dl_info info;
  char path[4096];
  if (dladdr((const void*)open_library, &info) != 0) {
    const char* const slash = strrchr(info.dli_fname, '/');
    const int length = slash != NULL ? (int)(slash - info.dli_fname) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s", length, info.dli_fname, CLGAUSS_LIBRARY);
    void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) return handle;
  }
  return dlopen(CLGAUSS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static int load_calls(void* library) {
  const struct {
    void* to;
    const char* name;
  } all[] = {{&device.calls.create, "clgauss_context_create"},
             {&device.calls.device_name, "clgauss_context_device_name"},
             {&device.calls.device_type, "clgauss_context_device_type"},
             {&device.calls.last_error, "clgauss_last_error"},
             {&device.calls.sgesv, "clgauss_sgesv"},
             {&device.calls.dgesv, "clgauss_dgesv"},
             {&device.calls.cgesv, "clgauss_cgesv"},
             {&device.calls.zgesv, "clgauss_zgesv"},
             {&device.calls.sposv, "clgauss_sposv"},
             {&device.calls.dposv, "clgauss_dposv"},
             {&device.calls.cposv, "clgauss_cposv"},
             {&device.calls.zposv, "clgauss_zposv"},
             {&device.calls.sgetrf, "clgauss_sgetrf_host"},
             {&device.calls.dgetrf, "clgauss_dgetrf_host"},
             {&device.calls.cgetrf, "clgauss_cgetrf_host"},
             {&device.calls.zgetrf, "clgauss_zgetrf_host"},
             {&device.calls.cgetri, "clgauss_cgetri"},
             {&device.calls.zgetri, "clgauss_zgetri"},
             {&device.calls.cgetrs, "clgauss_cgetrs_host"},
             {&device.calls.zgetrs, "clgauss_zgetrs_host"},
             {&device.calls.sgecon, "clgauss_sgecon_host"},
             {&device.calls.dgecon, "clgauss_dgecon_host"},
             {&device.calls.cgecon, "clgauss_cgecon_host"},
             {&device.calls.zgecon, "clgauss_zgecon_host"},
             {&device.calls.sgetri, "clgauss_sgetri"},
             {&device.calls.dgetri, "clgauss_dgetri"},
             {&device.calls.spotri, "clgauss_spotri"},
             {&device.calls.dpotri, "clgauss_dpotri"},
             {&device.calls.cpotri, "clgauss_cpotri"},
             {&device.calls.zpotri, "clgauss_zpotri"},
             {&device.calls.sgetrs, "clgauss_sgetrs_host"},
             {&device.calls.dgetrs, "clgauss_dgetrs_host"},
             {&device.calls.spotrs, "clgauss_spotrs"},
             {&device.calls.dpotrs, "clgauss_dpotrs"},
             {&device.calls.cpotrs, "clgauss_cpotrs"},
             {&device.calls.zpotrs, "clgauss_zpotrs"},
             {&device.calls.ssysv, "clgauss_ssysv"},
             {&device.calls.dsysv, "clgauss_dsysv"},
             {&device.calls.ssytrs, "clgauss_ssytrs"},
             {&device.calls.dsytrs, "clgauss_dsytrs"},
             {&device.calls.chesv, "clgauss_chesv"},
             {&device.calls.zhesv, "clgauss_zhesv"},
             {&device.calls.chetrs, "clgauss_chetrs"},
             {&device.calls.zhetrs, "clgauss_zhetrs"}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    void* const found = dlsym(library, all[i].name);
    if (found == NULL) {
      snprintf(device.error, sizeof device.error, "%s is of another version: it has no %s",
               CLGAUSS_LIBRARY, all[i].name);
      return 0;
    }
    memcpy(all[i].to, &found, sizeof found);
  }
  return 1;
}

static int open_device(void) {
  const double begin = now_in_seconds();
  void* const library = open_library();
  if (library == NULL) {
    snprintf(device.error, sizeof device.error, "%s", dlerror());
    return 0;
  }
  if (!load_calls(library)) return 0;
  int type = 0;
  const char* const wanted = getenv("CLGAUSS_DEVICE");
  if (device.calls.create(wanted != NULL && wanted[0] != '\0' ? wanted : "auto",
                          CLGAUSS_USE_ENVIRONMENT, &device.context) != CLGAUSS_OK ||
      device.calls.device_name(device.context, device.name, sizeof device.name) != CLGAUSS_OK ||
      device.calls.device_type(device.context, &type) != CLGAUSS_OK) {
    snprintf(device.error, sizeof device.error, "%s", device.calls.last_error());
    device.context = NULL;
    return 0;
  }
  device.is_cpu = type == CLGAUSS_DEVICE_CPU;
  device.seconds = now_in_seconds() - begin;
  atexit(before_exit_of_any); /* if a thread other than the first calls exit() */
  return 1;
}

const struct device* device_opened(void) {
  if (device.context == NULL && device.error[0] == '\0' && !open_device())
    atomic_store(&is_given_up, 1);
  return device.context != NULL ? &device : NULL;
}

void device_failed(clgauss_status status) {
  enum { kMostFailures = 3 };
  if (status == CLGAUSS_OK || status == CLGAUSS_SINGULAR) {
    failures = 0;
    return;
  }
  snprintf(device.error, sizeof device.error, "%s", device.calls.last_error());
  const int is_of_call = status == CLGAUSS_INACCURATE || status == CLGAUSS_OVERFLOW ||
                         status == CLGAUSS_INVALID_ARGUMENT || status == CLGAUSS_INVALID_INPUT;
  if (!is_of_call && ++failures >= kMostFailures) atomic_store(&is_given_up, 1);
}

clgauss_status device_gesv(enum type type, size_t n, size_t nrhs, void* a, size_t lda,
                           int32_t* ipiv, void* b, size_t ldb) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->sgesv(device.context, CLGAUSS_COLUMN_MAJOR, n, nrhs, a, lda, ipiv, b, ldb);
    case kDouble:
      return calls->dgesv(device.context, CLGAUSS_COLUMN_MAJOR, n, nrhs, a, lda, ipiv, b, ldb);
    case kComplex:
      return calls->cgesv(device.context, CLGAUSS_COLUMN_MAJOR, n, nrhs, a, lda, ipiv, b, ldb);
    default:
      return calls->zgesv(device.context, CLGAUSS_COLUMN_MAJOR, n, nrhs, a, lda, ipiv, b, ldb);
  }
}

clgauss_status device_posv(enum type type, int triangle, size_t n, size_t nrhs, void* a, size_t lda,
                           void* b, size_t ldb) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->sposv(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, b, ldb);
    case kDouble:
      return calls->dposv(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, b, ldb);
    case kComplex:
      return calls->cposv(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, b, ldb);
    default:
      return calls->zposv(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, b, ldb);
  }
}

clgauss_status device_sysv(enum type type, int triangle, size_t n, size_t nrhs, void* a, size_t lda,
                           int32_t* ipiv, void* b, size_t ldb) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->ssysv(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, ipiv, b,
                          ldb);
    case kDouble:
      return calls->dsysv(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, ipiv, b,
                          ldb);
    case kComplex:
      return calls->chesv(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, ipiv, b,
                          ldb);
    default:
      return calls->zhesv(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, ipiv, b,
                          ldb);
  }
}

clgauss_status device_getrf(enum type type, size_t m, size_t n, void* a, size_t lda,
                            int32_t* ipiv) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->sgetrf(device.context, CLGAUSS_COLUMN_MAJOR, m, n, a, lda, ipiv);
    case kDouble:
      return calls->dgetrf(device.context, CLGAUSS_COLUMN_MAJOR, m, n, a, lda, ipiv);
    case kComplex:
      return calls->cgetrf(device.context, CLGAUSS_COLUMN_MAJOR, m, n, a, lda, ipiv);
    default:
      return calls->zgetrf(device.context, CLGAUSS_COLUMN_MAJOR, m, n, a, lda, ipiv);
  }
}

clgauss_status device_getri(enum type type, size_t n, void* a, size_t lda, const int32_t* ipiv) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->sgetri(device.context, CLGAUSS_COLUMN_MAJOR, n, a, lda, ipiv);
    case kDouble:
      return calls->dgetri(device.context, CLGAUSS_COLUMN_MAJOR, n, a, lda, ipiv);
    case kComplex:
      return calls->cgetri(device.context, CLGAUSS_COLUMN_MAJOR, n, a, lda, ipiv);
    default:
      return calls->zgetri(device.context, CLGAUSS_COLUMN_MAJOR, n, a, lda, ipiv);
  }
}

clgauss_status device_potri(enum type type, int triangle, size_t n, void* a, size_t lda) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->spotri(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, a, lda);
    case kDouble:
      return calls->dpotri(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, a, lda);
    case kComplex:
      return calls->cpotri(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, a, lda);
    default:
      return calls->zpotri(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, a, lda);
  }
}

clgauss_status device_getrs(enum type type, int trans, size_t n, size_t nrhs, const void* a,
                            size_t lda, const int32_t* ipiv, void* b, size_t ldb) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->sgetrs(device.context, CLGAUSS_COLUMN_MAJOR, trans, n, nrhs, a, lda, ipiv, b,
                           ldb);
    case kDouble:
      return calls->dgetrs(device.context, CLGAUSS_COLUMN_MAJOR, trans, n, nrhs, a, lda, ipiv, b,
                           ldb);
    case kComplex:
      return calls->cgetrs(device.context, CLGAUSS_COLUMN_MAJOR, trans, n, nrhs, a, lda, ipiv, b,
                           ldb);
    default:
      return calls->zgetrs(device.context, CLGAUSS_COLUMN_MAJOR, trans, n, nrhs, a, lda, ipiv, b,
                           ldb);
  }
}

clgauss_status device_potrs(enum type type, int triangle, size_t n, size_t nrhs, const void* a,
                            size_t lda, void* b, size_t ldb) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->spotrs(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, b, ldb);
    case kDouble:
      return calls->dpotrs(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, b, ldb);
    case kComplex:
      return calls->cpotrs(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, b, ldb);
    default:
      return calls->zpotrs(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, b, ldb);
  }
}

clgauss_status device_sytrs(enum type type, int triangle, size_t n, size_t nrhs, const void* a,
                            size_t lda, const int32_t* ipiv, void* b, size_t ldb) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->ssytrs(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, ipiv, b,
                           ldb);
    case kDouble:
      return calls->dsytrs(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, ipiv, b,
                           ldb);
    case kComplex:
      return calls->chetrs(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, ipiv, b,
                           ldb);
    default:
      return calls->zhetrs(device.context, CLGAUSS_COLUMN_MAJOR, triangle, n, nrhs, a, lda, ipiv, b,
                           ldb);
  }
}

clgauss_status device_gecon(enum type type, int norm, size_t n, const void* a, size_t lda,
                            double anorm, double* rcond) {
  const struct library_calls* const calls = &device.calls;
  switch (type) {
    case kSingle:
      return calls->sgecon(device.context, CLGAUSS_COLUMN_MAJOR, norm, n, a, lda, anorm, rcond);
    case kDouble:
      return calls->dgecon(device.context, CLGAUSS_COLUMN_MAJOR, norm, n, a, lda, anorm, rcond);
    case kComplex:
      return calls->cgecon(device.context, CLGAUSS_COLUMN_MAJOR, norm, n, a, lda, anorm, rcond);
    default:
      return calls->zgecon(device.context, CLGAUSS_COLUMN_MAJOR, norm, n, a, lda, anorm, rcond);
  }
}
