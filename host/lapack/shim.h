#ifndef CLGAUSS_LAPACK_SHIM_H
#define CLGAUSS_LAPACK_SHIM_H
/* libclgauss_lapack.so: exports the names of LAPACK's routines and is loaded before the library
 * that a program takes them from. Large calls go to a device through libclgauss_core, which is
 * opened at the first of them. All other calls, and every call that the device did not answer, go
 * to the routine that would have been called otherwise. It is written in C and kept small, because
 * programs load it even if they never call LAPACK.
 *
 * lapack.c   the routines, in LAPACK's calling convention
 * target.c   the routine that a call was meant for, and the width of its integers
 * choice.c   which calls the device takes: timed once per machine and kept
 * device.c   opens libclgauss_core and lets one thread at a time use it
 * report.c   which calls ran where, for --report and CLGAUSS_LAPACK_LOG */

#include <stdint.h>

#include "clgauss.h"

/* LAPACK's letters s, d, c, z. */
enum type { kSingle, kDouble, kComplex, kDoubleComplex, kTypes };
static inline int is_single_precision(enum type type) {
  return type == kSingle || type == kComplex;
}
static inline int is_complex(enum type type) { return type == kComplex || type == kDoubleComplex; }
/* Routines that share a timing: gesv and getrf; posv and potrf; sysv and sytrf. Each of these is
 * timed by itself: getri, potri, getrs, potrs and sytrs, which use factors; dsgesv or zcgesv; getrf
 * with more rows than columns; gecon. Of complex numbers, sysv, sytrf and sytrs stand for hesv,
 * hetrf and hetrs throughout: complex symmetric matrices stay with the system. */
enum family {
  kLu,
  kCholesky,
  kInverse,
  kCholeskyInverse,
  kSolves,
  kCholeskySolves,
  kMixed,
  kTallLu,
  kCondition,
  kSymmetric,
  kSymmetricSolves,
  kFamilies
};
enum { kKinds = kTypes * kFamilies };

static inline size_t bytes_of(enum type type) {
  static const size_t kBytes[kTypes] = {4, 8, 8, 16};
  return kBytes[type];
}

/* ---- target.c -------------------------------------------------------------------------------- */

/* A loaded LAPACK library. */
struct library {
  char path[512];
  int is_wide;                    /* its integers have 64 bits */
  int is_known;                   /* whether is_wide is known; if not, no call goes to a device */
  struct choice* choices[kKinds]; /* for choice.c, protected by the device's lock */
  struct library* next;
};

/* The routine that calls from one object (a program or a library) are meant for. */
struct target {
  uintptr_t first, last; /* addresses of the object */
  void* routine;
  struct library* library;
  struct target* next;
};

/* An exported name. */
struct site {
  const char* symbol; /* such as "scipy_dgesv_64_", whose */
  const char* name;   /* name is "dgesv", */
  const char* prefix; /* prefix is "scipy_" */
  const char* suffix; /* and suffix is "_64_" */
  enum type type;
  enum family family;
  struct target* _Atomic targets;
};

/* The target of a call from the address `caller`. If no library has the routine, it ends the
 * program, as the dynamic linker would. */
const struct target* target_of(struct site* site, const void* caller);
/* A call in progress. */
struct call {
  const struct site* site;
  const struct target* target;
  enum family family; /* the site's, or kTallLu */
  int64_t n, more;    /* A is n-by-n, with `more` additional rows or columns */
  int64_t nrhs;
  int is_reported;
  double begin;
  const char* why; /* why the device did not answer */
};
/* For a child of fork(), where the thread that held the lock does not exist. */
void forget_target_lock(void);

/* A symbol of a loaded library or of the libraries it was linked with; NULL if there is none. */
void* symbol_of(const char* path, const char* symbol);

/* LAPACK's signatures. Fortran compilers pass the length of each text after all other arguments. */
typedef void gesv_routine(const void* n, const void* nrhs, void* a, const void* lda, void* ipiv,
                          void* b, const void* ldb, void* info);
typedef void dsgesv_routine(const void* n, const void* nrhs, void* a, const void* lda, void* ipiv,
                            const void* b, const void* ldb, void* x, const void* ldx, void* work,
                            void* swork, void* iter, void* info);
typedef void zcgesv_routine(const void* n, const void* nrhs, void* a, const void* lda, void* ipiv,
                            const void* b, const void* ldb, void* x, const void* ldx, void* work,
                            void* swork, void* rwork, void* iter, void* info);
typedef void gecon_routine(const char* norm, const void* n, const void* a, const void* lda,
                           const void* anorm, void* rcond, void* work, void* more_work, void* info,
                           size_t length);
typedef void getrf_routine(const void* m, const void* n, void* a, const void* lda, void* ipiv,
                           void* info);
typedef void posv_routine(const char* uplo, const void* n, const void* nrhs, void* a,
                          const void* lda, void* b, const void* ldb, void* info, size_t length);
typedef void getri_routine(const void* n, void* a, const void* lda, const void* ipiv, void* work,
                           const void* lwork, void* info);
typedef void potrf_routine(const char* uplo, const void* n, void* a, const void* lda, void* info,
                           size_t length); /* also potri */
typedef void getrs_routine(const char* trans, const void* n, const void* nrhs, const void* a,
                           const void* lda, const void* ipiv, void* b, const void* ldb, void* info,
                           size_t length);
typedef void potrs_routine(const char* uplo, const void* n, const void* nrhs, const void* a,
                           const void* lda, void* b, const void* ldb, void* info, size_t length);
typedef void sysv_routine(const char* uplo, const void* n, const void* nrhs, void* a,
                          const void* lda, void* ipiv, void* b, const void* ldb, void* work,
                          const void* lwork, void* info, size_t length);
typedef void sytrf_routine(const char* uplo, const void* n, void* a, const void* lda, void* ipiv,
                           void* work, const void* lwork, void* info, size_t length);
/* sytrs has the signature of getrs, with uplo in place of trans. */

/* ---- device.c -------------------------------------------------------------------------------- */

/* The functions of libclgauss_core that this library calls. */
struct library_calls {
  clgauss_status (*create)(const char*, unsigned, clgauss_context*);
  clgauss_status (*device_name)(clgauss_context, char*, size_t);
  clgauss_status (*device_type)(clgauss_context, int*);
  const char* (*last_error)(void);
  clgauss_status (*sgesv)(clgauss_context, int, size_t, size_t, float*, size_t, int32_t*, float*,
                          size_t);
  clgauss_status (*dgesv)(clgauss_context, int, size_t, size_t, double*, size_t, int32_t*, double*,
                          size_t);
  clgauss_status (*cgesv)(clgauss_context, int, size_t, size_t, void*, size_t, int32_t*, void*,
                          size_t);
  clgauss_status (*zgesv)(clgauss_context, int, size_t, size_t, void*, size_t, int32_t*, void*,
                          size_t);
  clgauss_status (*sposv)(clgauss_context, int, int, size_t, size_t, float*, size_t, float*,
                          size_t);
  clgauss_status (*dposv)(clgauss_context, int, int, size_t, size_t, double*, size_t, double*,
                          size_t);
  clgauss_status (*cposv)(clgauss_context, int, int, size_t, size_t, void*, size_t, void*, size_t);
  clgauss_status (*zposv)(clgauss_context, int, int, size_t, size_t, void*, size_t, void*, size_t);
  clgauss_status (*sgetrf)(clgauss_context, int, size_t, size_t, float*, size_t, int32_t*);
  clgauss_status (*dgetrf)(clgauss_context, int, size_t, size_t, double*, size_t, int32_t*);
  clgauss_status (*cgetrf)(clgauss_context, int, size_t, size_t, void*, size_t, int32_t*);
  clgauss_status (*zgetrf)(clgauss_context, int, size_t, size_t, void*, size_t, int32_t*);
  clgauss_status (*cgetri)(clgauss_context, int, size_t, void*, size_t, const int32_t*);
  clgauss_status (*zgetri)(clgauss_context, int, size_t, void*, size_t, const int32_t*);
  clgauss_status (*cgetrs)(clgauss_context, int, int, size_t, size_t, const void*, size_t,
                           const int32_t*, void*, size_t);
  clgauss_status (*zgetrs)(clgauss_context, int, int, size_t, size_t, const void*, size_t,
                           const int32_t*, void*, size_t);
  clgauss_status (*sgecon)(clgauss_context, int, int, size_t, const float*, size_t, double,
                           double*);
  clgauss_status (*dgecon)(clgauss_context, int, int, size_t, const double*, size_t, double,
                           double*);
  clgauss_status (*cgecon)(clgauss_context, int, int, size_t, const void*, size_t, double, double*);
  clgauss_status (*zgecon)(clgauss_context, int, int, size_t, const void*, size_t, double, double*);
  clgauss_status (*sgetri)(clgauss_context, int, size_t, float*, size_t, const int32_t*);
  clgauss_status (*dgetri)(clgauss_context, int, size_t, double*, size_t, const int32_t*);
  clgauss_status (*spotri)(clgauss_context, int, int, size_t, float*, size_t);
  clgauss_status (*dpotri)(clgauss_context, int, int, size_t, double*, size_t);
  clgauss_status (*cpotri)(clgauss_context, int, int, size_t, void*, size_t);
  clgauss_status (*zpotri)(clgauss_context, int, int, size_t, void*, size_t);
  clgauss_status (*sgetrs)(clgauss_context, int, int, size_t, size_t, const float*, size_t,
                           const int32_t*, float*, size_t);
  clgauss_status (*dgetrs)(clgauss_context, int, int, size_t, size_t, const double*, size_t,
                           const int32_t*, double*, size_t);
  clgauss_status (*spotrs)(clgauss_context, int, int, size_t, size_t, const float*, size_t, float*,
                           size_t);
  clgauss_status (*dpotrs)(clgauss_context, int, int, size_t, size_t, const double*, size_t,
                           double*, size_t);
  clgauss_status (*cpotrs)(clgauss_context, int, int, size_t, size_t, const void*, size_t, void*,
                           size_t);
  clgauss_status (*zpotrs)(clgauss_context, int, int, size_t, size_t, const void*, size_t, void*,
                           size_t);
  clgauss_status (*ssysv)(clgauss_context, int, int, size_t, size_t, float*, size_t, int32_t*,
                          float*, size_t);
  clgauss_status (*dsysv)(clgauss_context, int, int, size_t, size_t, double*, size_t, int32_t*,
                          double*, size_t);
  clgauss_status (*ssytrs)(clgauss_context, int, int, size_t, size_t, const float*, size_t,
                           const int32_t*, float*, size_t);
  clgauss_status (*dsytrs)(clgauss_context, int, int, size_t, size_t, const double*, size_t,
                           const int32_t*, double*, size_t);
  clgauss_status (*chesv)(clgauss_context, int, int, size_t, size_t, void*, size_t, int32_t*, void*,
                          size_t);
  clgauss_status (*zhesv)(clgauss_context, int, int, size_t, size_t, void*, size_t, int32_t*, void*,
                          size_t);
  clgauss_status (*chetrs)(clgauss_context, int, int, size_t, size_t, const void*, size_t,
                           const int32_t*, void*, size_t);
  clgauss_status (*zhetrs)(clgauss_context, int, int, size_t, size_t, const void*, size_t,
                           const int32_t*, void*, size_t);
};

struct device {
  struct library_calls calls;
  clgauss_context context; /* NULL: not open */
  char name[256];
  int is_cpu;      /* the device computes on the program's own cores */
  double seconds;  /* for opening the device */
  char error[512]; /* why it is not open or failed; may be empty */
};

/* Gives this thread the device until device_release(). Returns 0 if another thread has it, in a
 * child of fork(), within a call that LAPACK itself makes, and after the device was given up. */
int device_acquire(void);
void device_release(void);
/* The functions below may only be called by the thread that has the device. */
const struct device* device_opened(void); /* NULL if it cannot be opened; `error` says why */
const struct device* the_device(void);
/* gesv, posv and sysv, column-major; with nrhs = 0 getrf, potrf and sytrf. */
clgauss_status device_gesv(enum type type, size_t n, size_t nrhs, void* a, size_t lda,
                           int32_t* ipiv, void* b, size_t ldb);
clgauss_status device_posv(enum type type, int triangle, size_t n, size_t nrhs, void* a, size_t lda,
                           void* b, size_t ldb);
clgauss_status device_sysv(enum type type, int triangle, size_t n, size_t nrhs, void* a, size_t lda,
                           int32_t* ipiv, void* b, size_t ldb);
/* `trans` and `triangle` are constants of clgauss.h. */
clgauss_status device_getrf(enum type type, size_t m, size_t n, void* a, size_t lda, int32_t* ipiv);
clgauss_status device_getri(enum type type, size_t n, void* a, size_t lda, const int32_t* ipiv);
clgauss_status device_potri(enum type type, int triangle, size_t n, void* a, size_t lda);
clgauss_status device_getrs(enum type type, int trans, size_t n, size_t nrhs, const void* a,
                            size_t lda, const int32_t* ipiv, void* b, size_t ldb);
clgauss_status device_potrs(enum type type, int triangle, size_t n, size_t nrhs, const void* a,
                            size_t lda, void* b, size_t ldb);
clgauss_status device_sytrs(enum type type, int triangle, size_t n, size_t nrhs, const void* a,
                            size_t lda, const int32_t* ipiv, void* b, size_t ldb);
clgauss_status device_gecon(enum type type, int norm, size_t n, const void* a, size_t lda,
                            double anorm, double* rcond);
/* Call it after each answer: after several failures of the device in a row, it is given up. */
void device_failed(clgauss_status status);

/* Between these two calls, LAPACK's own calls of LAPACK go to the system and are not reported. */
void enter_system(void);
void leave_system(void);
int is_within_lapack(void);

/* ---- choice.c -------------------------------------------------------------------------------- */

/* What was measured for one kind of system with one library. */
enum { kMostSizes = 5 };
struct choice {
  int64_t least_n; /* the device takes systems from this n on; INT64_MAX: never */
  char why[256];   /* for the report */
  int count, is_cpu;
  double sizes[kMostSizes], system[kMostSizes], device[kMostSizes]; /* n; seconds */
  double opening;                                                   /* seconds; NaN: not measured */
  char device_name[256];
};

/* The index of a call's choice among those of its library. */
static inline int kind_of(const struct call* call) {
  return (int)call->family * kTypes + (int)call->site->type;
}

/* Calls with a smaller n are not examined further. */
int64_t least_n_of_all(void);
/* For getrs, potrs and sytrs: whether there are too few right-hand sides to justify a copy of the
 * factors. */
int has_few_sides(const struct call* call);
/* Whether the device takes a call. The thread must have the device; if the result is true, it is
 * open. */
int device_takes(const struct call* call);
/* Seconds that the system's routine would have taken, from the measured times; NaN if unknown. */
double seconds_of_system(const struct call* call);

/* ---- report.c -------------------------------------------------------------------------------- */

double now_in_seconds(void);
int is_reported(void); /* whether a log or report was requested */
void report_call(const struct call* call, int on_device, double seconds);
void report_measuring(double seconds);
void forget_report_lock(void); /* in a child of fork() */

#endif
