#ifndef CLGAUSS_LAPACK_SHIM_H
#define CLGAUSS_LAPACK_SHIM_H
/* libclgauss_lapack.so: the names of LAPACK's routines, in front of the library that a program took
 * them from. Large calls go to a device by libclgauss_core, opened at the first of them; all
 * others, and every call that the device did not answer, go to the routine that would have been
 * called without it. In C, and small: it is loaded into programs that never call LAPACK, too.
 *
 * lapack.c   the routines, by LAPACK's calling convention
 * target.c   the routine that a call was meant for, and the width of its integers
 * choice.c   which calls the device takes: measured, once for a machine and kept
 * device.c   libclgauss_core, opened, in one thread at a time
 * report.c   what was done where, for --report and CLGAUSS_LAPACK_LOG */

#include <stdint.h>

#include "clgauss.h"

/* Of LAPACK's letters s, d, c, z. */
enum type { kSingle, kDouble, kComplex, kDoubleComplex, kTypes };
/* What is measured together: gesv and getrf, posv and potrf, each of getri, potri, getrs and potrs,
 * which go on with the factors, dsgesv or zcgesv, getrf of more rows than columns, gecon, sysv and
 * sytrf, and sytrs. */
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

/* A LAPACK that is loaded. */
struct library {
  char path[512];
  int is_wide;                    /* its integers have 64 bits */
  int is_known;                   /* they were asked for; else no call of it goes to a device */
  struct choice* choices[kKinds]; /* of choice.c, under the device's lock */
  struct library* next;
};

/* Where the calls of one object (a program, a library) were meant to go. */
struct target {
  uintptr_t first, last; /* addresses of the object */
  void* routine;
  struct library* library;
  struct target* next;
};

/* An exported name. */
struct site {
  const char* symbol; /* as "scipy_dgesv_64_", of which */
  const char* name;   /* is "dgesv", */
  const char* prefix; /* "scipy_" */
  const char* suffix; /* and "_64_" */
  enum type type;
  enum family family;
  struct target* _Atomic targets;
};

/* Of a call from `caller`, an address in the object that called. Ends the program, as the dynamic
 * linker would, where nobody has such a routine. */
const struct target* target_of(struct site* site, const void* caller);
/* A call on its way. */
struct call {
  const struct site* site;
  const struct target* target;
  enum family family; /* the site's, or kTallLu */
  int64_t n, more;    /* A is n-by-n, or has so many rows or columns more */
  int64_t nrhs;
  int is_reported;
  double begin;
  const char* why; /* the device did not answer it */
};
/* In a child of fork(): who held the lock is not there. */
void forget_target_lock(void);

/* A symbol of a loaded library and of what it was linked with; NULL: neither has it. */
void* symbol_of(const char* path, const char* symbol);

/* As LAPACK has them. Fortran's compilers hand the length of each text over behind all else. */
typedef void gesv_routine(const void* n, const void* nrhs, void* a, const void* lda, void* ipiv,
                          void* b, const void* ldb, void* info);
typedef void dsgesv_routine(const void* n, const void* nrhs, void* a, const void* lda, void* ipiv,
                            const void* b, const void* ldb, void* x, const void* ldx, void* work,
                            void* swork, void* iter, void* info);
typedef void zcgesv_routine(const void* n, const void* nrhs, void* a, const void* lda, void* ipiv,
                            const void* b, const void* ldb, void* x, const void* ldx, void* work,
                            void* swork, void* rwork, void* iter, void* info);
typedef void gecon_routine(const char* norm, const void* n, const void* a, const void* lda,
                           const void* anorm, void* rcond, void* work, void* iwork, void* info,
                           size_t length);
typedef void getrf_routine(const void* m, const void* n, void* a, const void* lda, void* ipiv,
                           void* info);
typedef void posv_routine(const char* uplo, const void* n, const void* nrhs, void* a,
                          const void* lda, void* b, const void* ldb, void* info, size_t length);
typedef void getri_routine(const void* n, void* a, const void* lda, const void* ipiv, void* work,
                           const void* lwork, void* info);
typedef void potrf_routine(const char* uplo, const void* n, void* a, const void* lda, void* info,
                           size_t length); /* and potri */
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
/* sytrs is called as getrs, with uplo for trans. */

/* ---- device.c -------------------------------------------------------------------------------- */

/* The functions of libclgauss_core that are called. */
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
  clgauss_status (*sgetri)(clgauss_context, int, size_t, float*, size_t, const int32_t*);
  clgauss_status (*dgetri)(clgauss_context, int, size_t, double*, size_t, const int32_t*);
  clgauss_status (*spotri)(clgauss_context, int, int, size_t, float*, size_t);
  clgauss_status (*dpotri)(clgauss_context, int, int, size_t, double*, size_t);
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
};

struct device {
  struct library_calls calls;
  clgauss_context context; /* NULL: not open */
  char name[256];
  int is_cpu;      /* it computes with the cores that the program has */
  double seconds;  /* of opening it */
  char error[512]; /* why it is not open, or failed; "" */
};

/* This thread has the device from now on, until device_release(); 0 where another one has it, in a
 * child of fork(), within a call of LAPACK by LAPACK, and where the device is given up. */
int device_acquire(void);
void device_release(void);
/* What follows is for the thread that has it. */
const struct device* device_opened(void); /* NULL: it cannot be; `error` says why */
const struct device* the_device(void);
/* gesv, posv and sysv by columns; with nrhs = 0 getrf, potrf and sytrf. */
clgauss_status device_gesv(enum type type, size_t n, size_t nrhs, void* a, size_t lda,
                           int32_t* ipiv, void* b, size_t ldb);
clgauss_status device_posv(enum type type, int triangle, size_t n, size_t nrhs, void* a, size_t lda,
                           void* b, size_t ldb);
clgauss_status device_sysv(enum type type, int triangle, size_t n, size_t nrhs, void* a, size_t lda,
                           int32_t* ipiv, void* b, size_t ldb);
/* `trans` and `triangle` as clgauss.h numbers them. potri, sysv, sytrs and gecon are of kSingle and
 * kDouble alone. */
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
/* After an error: a device that fails again and again is given up. */
void device_failed(clgauss_status status);

/* The calls of LAPACK by LAPACK itself go where they would; nobody is told of them. */
void enter_system(void);
void leave_system(void);
int is_within_lapack(void);

/* ---- choice.c -------------------------------------------------------------------------------- */

/* What was measured of one kind of systems with one library. */
enum { kMostSizes = 5 };
struct choice {
  int64_t least_n; /* from which on the device takes them; INT64_MAX: never */
  char why[256];   /* for the report */
  int count, is_cpu;
  double sizes[kMostSizes], system[kMostSizes], device[kMostSizes]; /* n; seconds */
  double opening;                                                   /* seconds; NaN: asked for */
  char device_name[256];
};

/* Which of a library's choices is a call's. */
static inline int kind_of(const struct call* call) {
  return (int)call->family * kTypes + (int)call->site->type;
}

/* Below no call is looked at further. */
int64_t least_n_of_all(void);
/* Of getrs, potrs and sytrs: too few right-hand sides to be worth a copy of the factors. */
int has_few_sides(const struct call* call);
/* Whether the device takes a call; the thread has it, and it is open if it does. */
int device_takes(const struct call* call);
/* Seconds that the system's routine would have taken, by what was measured; NaN: not known. */
double seconds_of_system(const struct call* call);

/* ---- report.c -------------------------------------------------------------------------------- */

double now_in_seconds(void);
int is_reported(void); /* whether anybody wants to know */
void report_call(const struct call* call, int on_device, double seconds);
void report_measuring(double seconds);
void forget_report_lock(void); /* in a child of fork() */

#endif
