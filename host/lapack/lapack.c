/* The routines. Each checks its arguments as LAPACK does. A call that LAPACK would reject, and a
 * small one, goes directly to the system's routine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define EXPORT __attribute__((visibility("default")))

static int64_t whole(const struct target* target, const void* number) {
  return target->library->is_wide ? *(const int64_t*)number : *(const int32_t*)number;
}

static void set_whole(const struct target* target, void* number, int64_t value) {
  if (target->library->is_wide)
    *(int64_t*)number = value;
  else
    *(int32_t*)number = (int32_t)value;
}

static struct call call_of(const struct site* site, const struct target* target, int64_t n,
                           int64_t nrhs) {
  const struct call call = {
      .site = site, .target = target, .family = site->family, .n = n, .nrhs = nrhs};
  return call;
}

/* Whether the device should try the call; if so, end_on_device() must follow. */
static int begins_on_device(struct call* call, int is_valid) {
  call->why = NULL;
  call->is_reported = is_reported() && !is_within_lapack();
  call->begin = call->is_reported ? now_in_seconds() : 0;
  if (!is_valid || call->n < least_n_of_all() || call->n > INT32_MAX) return 0;
  if (has_few_sides(call)) {
    call->why = "too few right-hand sides for a copy of the factors";
    return 0;
  }
  if (!device_acquire()) return 0;
  const int is_taken = device_takes(call);
  if (call->is_reported) call->begin = now_in_seconds(); /* excludes opening and timing */
  if (is_taken) return 1;
  const struct choice* const choice = call->target->library->choices[kind_of(call)];
  if (choice != NULL) call->why = choice->why[0] != '\0' ? choice->why : the_device()->error;
  device_release();
  return 0;
}

/* Whether the device answered the call; if not, the caller's memory is unchanged. */
static int end_on_device(struct call* call, clgauss_status status) {
  device_failed(status);
  const int is_answered = status == CLGAUSS_OK || status == CLGAUSS_SINGULAR;
  if (!is_answered) call->why = the_device()->error;
  device_release();
  if (is_answered && call->is_reported) report_call(call, 1, now_in_seconds() - call->begin);
  return is_answered;
}

static void end_on_system(const struct call* call) {
  leave_system();
  if (call->is_reported) report_call(call, 0, now_in_seconds() - call->begin);
}

/* For singular factors that were written: the first column with a zero pivot, counted from 1. If no
 * pivot is exactly zero, because the device rounded a number below its range to zero, the column
 * with the smallest pivot. U D U^T starts at the last column. Columns with negative `pivots` belong
 * to 2-by-2 blocks of D and are skipped. */
static int64_t smallest_pivot(const struct call* call, const void* a, int64_t lda,
                              const int32_t* pivots, int is_reversed) {
  const int parts = is_complex(call->site->type) ? 2 : 1;
  const int is_float = is_single_precision(call->site->type);
  int64_t place = 0;
  double smallest = INFINITY;
  for (int64_t step = 0; step < call->n && smallest > 0; ++step) {
    const int64_t i = is_reversed ? call->n - 1 - step : step;
    double size = 0;
    if (pivots[i] < 0) continue;
    for (int64_t at = i * (lda + 1) * parts, part = 0; part < parts; ++part)
      size += fabs(is_float ? ((const float*)a)[at + part] : ((const double*)a)[at + part]);
    if (size >= smallest) continue;
    smallest = size;
    place = i + 1;
  }
  return place > 0 ? place : 1;
}

/* Memory for n 32-bit pivots: the caller's, or memory that is_factored() frees. NULL if allocation
 * failed. */
static int32_t* narrow_pivots(const struct call* call, void* ipiv) {
  return call->target->library->is_wide ? malloc((size_t)call->n * sizeof(int32_t)) : ipiv;
}

/* Ends a factorisation. True if it was answered; the device also leaves the factors of a singular
 * A. */
static int is_factored(struct call* call, clgauss_status status, const void* a, int64_t lda,
                       int32_t* pivots, int is_reversed, void* ipiv, void* info) {
  const int wide = call->target->library->is_wide;
  const int is_answered = end_on_device(call, status);
  if (is_answered) {
    for (int64_t i = 0; wide && i < call->n; ++i) ((int64_t*)ipiv)[i] = pivots[i];
    set_whole(call->target, info,
              status == CLGAUSS_SINGULAR ? smallest_pivot(call, a, lda, pivots, is_reversed) : 0);
  }
  if (wide) free(pivots);
  return is_answered;
}

/* gesv, or getrf with nrhs = 0, for valid arguments. Returns whether the device answered. */
static int lu_is_answered(struct call* call, int64_t lda, void* a, void* ipiv, void* b, int64_t ldb,
                          void* info) {
  int32_t* const pivots = narrow_pivots(call, ipiv);
  if (pivots == NULL) return end_on_device(call, CLGAUSS_OUT_OF_MEMORY);
  const enum type type = call->site->type;
  const size_t n = (size_t)call->n, longer = n + (size_t)call->more;
  const int is_tall = call->family == kTallLu;
  const clgauss_status status =
      call->more > 0
          ? device_getrf(type, is_tall ? longer : n, is_tall ? n : longer, a, (size_t)lda, pivots)
          : device_gesv(type, n, (size_t)call->nrhs, a, (size_t)lda, pivots, b, (size_t)ldb);
  return is_factored(call, status, a, lda, pivots, 0, ipiv, info);
}

static void gesv(struct site* site, const void* caller, const void* n, const void* nrhs, void* a,
                 const void* lda, void* ipiv, void* b, const void* ldb, void* info) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), whole(target, nrhs));
  const int64_t ld_a = whole(target, lda), ld_b = whole(target, ldb);
  if (begins_on_device(&call, call.n > 0 && call.nrhs > 0 && call.nrhs <= INT32_MAX &&
                                  ld_a >= call.n && ld_b >= call.n) &&
      lu_is_answered(&call, ld_a, a, ipiv, b, ld_b, info))
    return;
  enter_system();
  ((gesv_routine*)target->routine)(n, nrhs, a, lda, ipiv, b, ldb, info);
  end_on_system(&call);
}

/* dsgesv, or zcgesv, which also has rwork. The device does not use single precision: it factors in
 * double. LAPACK reports that by iter < 0; -1 stands for reasons of the machine. */
static void mixed_gesv(struct site* site, const void* caller, const void* n, const void* nrhs,
                       void* a, const void* lda, void* ipiv, const void* b, const void* ldb,
                       void* x, const void* ldx, void* work, void* swork, void* rwork, void* iter,
                       void* info) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), whole(target, nrhs));
  const int64_t ld_a = whole(target, lda), ld_b = whole(target, ldb), ld_x = whole(target, ldx);
  if (begins_on_device(&call, call.n > 0 && call.nrhs > 0 && call.nrhs <= INT32_MAX &&
                                  ld_a >= call.n && ld_b >= call.n && ld_x >= call.n)) {
    const size_t bytes = bytes_of(site->type);
    for (int64_t j = 0; j < call.nrhs; ++j)
      memcpy((char*)x + (size_t)(j * ld_x) * bytes, (const char*)b + (size_t)(j * ld_b) * bytes,
             (size_t)call.n * bytes);
    if (lu_is_answered(&call, ld_a, a, ipiv, x, ld_x, info)) {
      set_whole(target, iter, -1);
      return;
    }
  }
  enter_system();
  if (site->type == kDouble)
    ((dsgesv_routine*)target->routine)(n, nrhs, a, lda, ipiv, b, ldb, x, ldx, work, swork, iter,
                                       info);
  else
    ((zcgesv_routine*)target->routine)(n, nrhs, a, lda, ipiv, b, ldb, x, ldx, work, swork, rwork,
                                       iter, info);
  end_on_system(&call);
}

static void getrf(struct site* site, const void* caller, const void* m, const void* n, void* a,
                  const void* lda, void* ipiv, void* info) {
  enum { kMostMoreRows = 3, kMostMoreColumns = 1 }; /* times n: what the timings cover */
  const struct target* const target = target_of(site, caller);
  const int64_t rows = whole(target, m), columns = whole(target, n), ld_a = whole(target, lda);
  const int is_tall = rows > columns;
  struct call call = call_of(site, target, is_tall ? columns : rows, 0);
  call.more = is_tall ? rows - columns : columns - rows;
  if (is_tall) call.family = kTallLu;
  const int64_t most = call.n * (is_tall ? kMostMoreRows : kMostMoreColumns);
  if (begins_on_device(&call, call.n > 0 && call.more <= most && ld_a >= rows) &&
      lu_is_answered(&call, ld_a, a, ipiv, NULL, call.n, info))
    return;
  enter_system();
  ((getrf_routine*)target->routine)(m, n, a, lda, ipiv, info);
  end_on_system(&call);
}

/* For routines that write nothing if A is singular or not positive definite. Such a call goes to
 * the system's routine, which leaves what LAPACK leaves. */
static int is_well_answered(struct call* call, clgauss_status status, void* info) {
  if (status == CLGAUSS_SINGULAR) status = CLGAUSS_INACCURATE; /* not a failure of the device */
  if (!end_on_device(call, status)) return 0;
  set_whole(call->target, info, 0);
  return 1;
}

static int is_lower(const char* uplo) { return *uplo == 'L' || *uplo == 'l'; }
static int is_triangle(const char* uplo) { return is_lower(uplo) || *uplo == 'U' || *uplo == 'u'; }
static int triangle_of(const char* uplo) { return is_lower(uplo) ? CLGAUSS_LOWER : CLGAUSS_UPPER; }

/* posv, or potrf with nrhs = 0, for valid arguments. Returns whether the device answered. */
static int cholesky_is_answered(struct call* call, const char* uplo, int64_t lda, void* a, void* b,
                                int64_t ldb, void* info) {
  return is_well_answered(call,
                          device_posv(call->site->type, triangle_of(uplo), (size_t)call->n,
                                      (size_t)call->nrhs, a, (size_t)lda, b, (size_t)ldb),
                          info);
}

static void posv(struct site* site, const void* caller, const char* uplo, const void* n,
                 const void* nrhs, void* a, const void* lda, void* b, const void* ldb, void* info,
                 size_t length) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), whole(target, nrhs));
  const int64_t ld_a = whole(target, lda), ld_b = whole(target, ldb);
  if (begins_on_device(&call, is_triangle(uplo) && call.n > 0 && call.nrhs > 0 &&
                                  call.nrhs <= INT32_MAX && ld_a >= call.n && ld_b >= call.n) &&
      cholesky_is_answered(&call, uplo, ld_a, a, b, ld_b, info))
    return;
  enter_system();
  ((posv_routine*)target->routine)(uplo, n, nrhs, a, lda, b, ldb, info, length);
  end_on_system(&call);
}

static void potrf(struct site* site, const void* caller, const char* uplo, const void* n, void* a,
                  const void* lda, void* info, size_t length) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), 0);
  const int64_t ld_a = whole(target, lda);
  if (begins_on_device(&call, is_triangle(uplo) && call.n > 0 && ld_a >= call.n) &&
      cholesky_is_answered(&call, uplo, ld_a, a, NULL, call.n, info))
    return;
  enter_system();
  ((potrf_routine*)target->routine)(uplo, n, a, lda, info, length);
  end_on_system(&call);
}

static void potri(struct site* site, const void* caller, const char* uplo, const void* n, void* a,
                  const void* lda, void* info, size_t length) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), 0);
  const int64_t ld_a = whole(target, lda);
  if (begins_on_device(&call, is_triangle(uplo) && call.n > 0 && ld_a >= call.n) &&
      is_well_answered(&call,
                       device_potri(site->type, triangle_of(uplo), (size_t)call.n, a, (size_t)ld_a),
                       info))
    return;
  enter_system();
  ((potrf_routine*)target->routine)(uplo, n, a, lda, info, length);
  end_on_system(&call);
}

static void potrs(struct site* site, const void* caller, const char* uplo, const void* n,
                  const void* nrhs, const void* a, const void* lda, void* b, const void* ldb,
                  void* info, size_t length) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), whole(target, nrhs));
  const int64_t ld_a = whole(target, lda), ld_b = whole(target, ldb);
  if (begins_on_device(&call, is_triangle(uplo) && call.n > 0 && call.nrhs > 0 &&
                                  call.nrhs <= INT32_MAX && ld_a >= call.n && ld_b >= call.n) &&
      is_well_answered(&call,
                       device_potrs(site->type, triangle_of(uplo), (size_t)call.n,
                                    (size_t)call.nrhs, a, (size_t)ld_a, b, (size_t)ld_b),
                       info))
    return;
  enter_system();
  ((potrs_routine*)target->routine)(uplo, n, nrhs, a, lda, b, ldb, info, length);
  end_on_system(&call);
}

/* The caller's pivots in 32 bits; 0 for a value that is neither a row nor the negative of one. NULL
 * if allocation failed. The caller frees `*own`. */
static const int32_t* pivots_of(const struct call* call, const void* ipiv, int32_t** own) {
  *own = NULL;
  if (!call->target->library->is_wide) return ipiv;
  *own = malloc((size_t)call->n * sizeof **own);
  for (int64_t i = 0; *own != NULL && i < call->n; ++i) {
    const int64_t row = ((const int64_t*)ipiv)[i];
    (*own)[i] = row >= -call->n && row <= call->n ? (int32_t)row : 0;
  }
  return *own;
}

/* The constant of clgauss.h for `trans`; 0 if it is invalid. */
static int code_of_trans(char trans) {
  switch (trans) {
    case 'N':
    case 'n':
      return CLGAUSS_NO_TRANSPOSE;
    case 'T':
    case 't':
      return CLGAUSS_TRANSPOSE;
    case 'C':
    case 'c':
      return CLGAUSS_CONJUGATE_TRANSPOSE;
    default:
      return 0;
  }
}

static int solve_is_answered(struct call* call, int trans, const void* a, int64_t lda,
                             const void* ipiv, void* b, int64_t ldb, void* info) {
  int32_t* own = NULL;
  const int32_t* const pivots = pivots_of(call, ipiv, &own);
  const clgauss_status status =
      pivots == NULL ? CLGAUSS_OUT_OF_MEMORY
                     : device_getrs(call->site->type, trans, (size_t)call->n, (size_t)call->nrhs, a,
                                    (size_t)lda, pivots, b, (size_t)ldb);
  free(own);
  return is_well_answered(call, status, info);
}

static void getrs(struct site* site, const void* caller, const char* trans, const void* n,
                  const void* nrhs, const void* a, const void* lda, const void* ipiv, void* b,
                  const void* ldb, void* info, size_t length) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), whole(target, nrhs));
  const int64_t ld_a = whole(target, lda), ld_b = whole(target, ldb);
  const int code = code_of_trans(*trans);
  if (begins_on_device(&call, code != 0 && call.n > 0 && call.nrhs > 0 && call.nrhs <= INT32_MAX &&
                                  ld_a >= call.n && ld_b >= call.n) &&
      solve_is_answered(&call, code, a, ld_a, ipiv, b, ld_b, info))
    return;
  enter_system();
  ((getrs_routine*)target->routine)(trans, n, nrhs, a, lda, ipiv, b, ldb, info, length);
  end_on_system(&call);
}

/* After an answered call, work(1) must hold the best lwork. A workspace query to the system's
 * routine tells it. */
static const int64_t kQuery = -1; /* valid as a 32-bit integer, too */

static void end_with_size(const struct call* call, int is_answered) {
  if (is_answered)
    leave_system();
  else
    end_on_system(call);
}

static int inverse_is_answered(struct call* call, void* a, int64_t lda, const void* ipiv,
                               void* info) {
  int32_t* own = NULL;
  const int32_t* const pivots = pivots_of(call, ipiv, &own);
  const clgauss_status status =
      pivots == NULL ? CLGAUSS_OUT_OF_MEMORY
                     : device_getri(call->site->type, (size_t)call->n, a, (size_t)lda, pivots);
  free(own);
  return is_well_answered(call, status, info);
}

static void getri(struct site* site, const void* caller, const void* n, void* a, const void* lda,
                  const void* ipiv, void* work, const void* lwork, void* info) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), 0);
  const int64_t ld_a = whole(target, lda), size = whole(target, lwork);
  const int is_answered = begins_on_device(&call, call.n > 0 && ld_a >= call.n && size >= call.n) &&
                          inverse_is_answered(&call, a, ld_a, ipiv, info);
  enter_system();
  ((getri_routine*)target->routine)(n, a, lda, ipiv, work, is_answered ? &kQuery : lwork, info);
  end_with_size(&call, is_answered);
}

/* CLGAUSS_ONE_NORM or CLGAUSS_INF_NORM; 0 if `norm` is invalid. */
static int code_of_norm(char norm) {
  if (norm == '1' || norm == 'O' || norm == 'o') return CLGAUSS_ONE_NORM;
  return norm == 'I' || norm == 'i' ? CLGAUSS_INF_NORM : 0;
}

/* A singular U and an invalid norm are left to the system's routine; so is a small n, because
 * LAPACK's latdf (n <= 8) uses what gecon leaves in `work`. The last work array is iwork, for
 * complex numbers rwork. */
static void gecon(struct site* site, const void* caller, const char* norm, const void* n,
                  const void* a, const void* lda, const void* anorm, void* rcond, void* work,
                  void* more_work, void* info, size_t length) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), 0);
  const int64_t ld_a = whole(target, lda);
  const int code = code_of_norm(*norm), is_single = is_single_precision(site->type);
  const double size = is_single ? *(const float*)anorm : *(const double*)anorm;
  if (begins_on_device(&call,
                       code != 0 && call.n > 8 && ld_a >= call.n && size > 0 && isfinite(size))) {
    double found = 0;
    clgauss_status status =
        device_gecon(site->type, code, (size_t)call.n, a, (size_t)ld_a, size, &found);
    if (status == CLGAUSS_OK && found == 0) status = CLGAUSS_SINGULAR;
    if (is_well_answered(&call, status, info)) {
      if (is_single)
        *(float*)rcond = (float)found;
      else
        *(double*)rcond = found;
      return;
    }
  }
  enter_system();
  ((gecon_routine*)target->routine)(norm, n, a, lda, anorm, rcond, work, more_work, info, length);
  end_on_system(&call);
}

/* sysv, or sytrf with nrhs = 0, for valid arguments. Returns whether the device answered. */
static int symmetric_is_answered(struct call* call, const char* uplo, int64_t lda, void* a,
                                 void* ipiv, void* b, int64_t ldb, void* info) {
  int32_t* const pivots = narrow_pivots(call, ipiv);
  if (pivots == NULL) return end_on_device(call, CLGAUSS_OUT_OF_MEMORY);
  const clgauss_status status =
      device_sysv(call->site->type, triangle_of(uplo), (size_t)call->n, (size_t)call->nrhs, a,
                  (size_t)lda, pivots, b, (size_t)ldb);
  return is_factored(call, status, a, lda, pivots, !is_lower(uplo), ipiv, info);
}

static void sysv(struct site* site, const void* caller, const char* uplo, const void* n,
                 const void* nrhs, void* a, const void* lda, void* ipiv, void* b, const void* ldb,
                 void* work, const void* lwork, void* info, size_t length) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), whole(target, nrhs));
  const int64_t ld_a = whole(target, lda), ld_b = whole(target, ldb);
  const int is_answered =
      begins_on_device(&call, is_triangle(uplo) && call.n > 0 && call.nrhs > 0 &&
                                  call.nrhs <= INT32_MAX && ld_a >= call.n && ld_b >= call.n &&
                                  whole(target, lwork) >= 1) &&
      symmetric_is_answered(&call, uplo, ld_a, a, ipiv, b, ld_b, info);
  int64_t of_query = 0;
  enter_system();
  ((sysv_routine*)target->routine)(uplo, n, nrhs, a, lda, ipiv, b, ldb, work,
                                   is_answered ? &kQuery : lwork, is_answered ? &of_query : info,
                                   length);
  end_with_size(&call, is_answered);
}

static void sytrf(struct site* site, const void* caller, const char* uplo, const void* n, void* a,
                  const void* lda, void* ipiv, void* work, const void* lwork, void* info,
                  size_t length) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), 0);
  const int64_t ld_a = whole(target, lda);
  const int is_answered =
      begins_on_device(
          &call, is_triangle(uplo) && call.n > 0 && ld_a >= call.n && whole(target, lwork) >= 1) &&
      symmetric_is_answered(&call, uplo, ld_a, a, ipiv, NULL, call.n, info);
  int64_t of_query = 0;
  enter_system();
  ((sytrf_routine*)target->routine)(uplo, n, a, lda, ipiv, work, is_answered ? &kQuery : lwork,
                                    is_answered ? &of_query : info, length);
  end_with_size(&call, is_answered);
}

static int symmetric_solve_is_answered(struct call* call, const char* uplo, const void* a,
                                       int64_t lda, const void* ipiv, void* b, int64_t ldb,
                                       void* info) {
  int32_t* own = NULL;
  const int32_t* const pivots = pivots_of(call, ipiv, &own);
  const clgauss_status status =
      pivots == NULL ? CLGAUSS_OUT_OF_MEMORY
                     : device_sytrs(call->site->type, triangle_of(uplo), (size_t)call->n,
                                    (size_t)call->nrhs, a, (size_t)lda, pivots, b, (size_t)ldb);
  free(own);
  return is_well_answered(call, status, info);
}

static void sytrs(struct site* site, const void* caller, const char* uplo, const void* n,
                  const void* nrhs, const void* a, const void* lda, const void* ipiv, void* b,
                  const void* ldb, void* info, size_t length) {
  const struct target* const target = target_of(site, caller);
  struct call call = call_of(site, target, whole(target, n), whole(target, nrhs));
  const int64_t ld_a = whole(target, lda), ld_b = whole(target, ldb);
  if (begins_on_device(&call, is_triangle(uplo) && call.n > 0 && call.nrhs > 0 &&
                                  call.nrhs <= INT32_MAX && ld_a >= call.n && ld_b >= call.n) &&
      symmetric_solve_is_answered(&call, uplo, a, ld_a, ipiv, b, ld_b, info))
    return;
  enter_system();
  ((getrs_routine*)target->routine)(uplo, n, nrhs, a, lda, ipiv, b, ldb, info, length);
  end_on_system(&call);
}

/* One exported name. `parameters` are those of LAPACK's routine; `call` implements it. */
#define NAME(letter, routine, type, family, prefix, suffix, text, parameters, call)             \
  EXPORT void prefix##letter##routine##suffix parameters;                                       \
  EXPORT void prefix##letter##routine##suffix parameters {                                      \
    static struct site site = {                                                                 \
        #prefix #letter #routine #suffix, #letter #routine, text, #suffix, type, family, NULL}; \
    call;                                                                                       \
  }
/* The names in LAPACK, in LAPACK with 64-bit integers, and in the wheels of NumPy and SciPy. */
#define ROUTINE(letter, routine, type, family, parameters, call)             \
  NAME(letter, routine, type, family, , _, "", parameters, call)             \
  NAME(letter, routine, type, family, , _64_, "", parameters, call)          \
  NAME(letter, routine, type, family, scipy_, _, "scipy_", parameters, call) \
  NAME(letter, routine, type, family, scipy_, _64_, "scipy_", parameters, call)
#define CALLER &site, __builtin_return_address(0)

#define GESV(letter, type)                                                                 \
  ROUTINE(letter, gesv, type, kLu,                                                         \
          (const void* n, const void* nrhs, void* a, const void* lda, void* ipiv, void* b, \
           const void* ldb, void* info),                                                   \
          gesv(CALLER, n, nrhs, a, lda, ipiv, b, ldb, info))
#define GETRF(letter, type)                                                                 \
  ROUTINE(letter, getrf, type, kLu,                                                         \
          (const void* m, const void* n, void* a, const void* lda, void* ipiv, void* info), \
          getrf(CALLER, m, n, a, lda, ipiv, info))
#define POSV(letter, type)                                                                       \
  ROUTINE(letter, posv, type, kCholesky,                                                         \
          (const char* uplo, const void* n, const void* nrhs, void* a, const void* lda, void* b, \
           const void* ldb, void* info, size_t length),                                          \
          posv(CALLER, uplo, n, nrhs, a, lda, b, ldb, info, length))
#define POTRF(letter, type)                                                                       \
  ROUTINE(letter, potrf, type, kCholesky,                                                         \
          (const char* uplo, const void* n, void* a, const void* lda, void* info, size_t length), \
          potrf(CALLER, uplo, n, a, lda, info, length))
#define GETRI(letter, type)                                                       \
  ROUTINE(letter, getri, type, kInverse,                                          \
          (const void* n, void* a, const void* lda, const void* ipiv, void* work, \
           const void* lwork, void* info),                                        \
          getri(CALLER, n, a, lda, ipiv, work, lwork, info))
#define GECON(letter, type)                                                                    \
  ROUTINE(letter, gecon, type, kCondition,                                                     \
          (const char* norm, const void* n, const void* a, const void* lda, const void* anorm, \
           void* rcond, void* work, void* more_work, void* info, size_t length),               \
          gecon(CALLER, norm, n, a, lda, anorm, rcond, work, more_work, info, length))
#define POTRI(letter, type)                                                                       \
  ROUTINE(letter, potri, type, kCholeskyInverse,                                                  \
          (const char* uplo, const void* n, void* a, const void* lda, void* info, size_t length), \
          potri(CALLER, uplo, n, a, lda, info, length))
#define GETRS(letter, type)                                                                    \
  ROUTINE(letter, getrs, type, kSolves,                                                        \
          (const char* trans, const void* n, const void* nrhs, const void* a, const void* lda, \
           const void* ipiv, void* b, const void* ldb, void* info, size_t length),             \
          getrs(CALLER, trans, n, nrhs, a, lda, ipiv, b, ldb, info, length))
#define POTRS(letter, type)                                                                   \
  ROUTINE(letter, potrs, type, kCholeskySolves,                                               \
          (const char* uplo, const void* n, const void* nrhs, const void* a, const void* lda, \
           void* b, const void* ldb, void* info, size_t length),                              \
          potrs(CALLER, uplo, n, nrhs, a, lda, b, ldb, info, length))

/* `routine` is sysv, or hesv of complex numbers; those below alike. */
#define SYSV(letter, routine, type)                                                             \
  ROUTINE(                                                                                      \
      letter, routine, type, kSymmetric,                                                        \
      (const char* uplo, const void* n, const void* nrhs, void* a, const void* lda, void* ipiv, \
       void* b, const void* ldb, void* work, const void* lwork, void* info, size_t length),     \
      sysv(CALLER, uplo, n, nrhs, a, lda, ipiv, b, ldb, work, lwork, info, length))
#define SYTRF(letter, routine, type)                                                          \
  ROUTINE(letter, routine, type, kSymmetric,                                                  \
          (const char* uplo, const void* n, void* a, const void* lda, void* ipiv, void* work, \
           const void* lwork, void* info, size_t length),                                     \
          sytrf(CALLER, uplo, n, a, lda, ipiv, work, lwork, info, length))
#define SYTRS(letter, routine, type)                                                          \
  ROUTINE(letter, routine, type, kSymmetricSolves,                                            \
          (const char* uplo, const void* n, const void* nrhs, const void* a, const void* lda, \
           const void* ipiv, void* b, const void* ldb, void* info, size_t length),            \
          sytrs(CALLER, uplo, n, nrhs, a, lda, ipiv, b, ldb, info, length))

GESV(s, kSingle)
GESV(d, kDouble)
GESV(c, kComplex)
GESV(z, kDoubleComplex)
GETRF(s, kSingle)
GETRF(d, kDouble)
GETRF(c, kComplex)
GETRF(z, kDoubleComplex)
POSV(s, kSingle)
POSV(d, kDouble)
POSV(c, kComplex)
POSV(z, kDoubleComplex)
POTRF(s, kSingle)
POTRF(d, kDouble)
POTRF(c, kComplex)
POTRF(z, kDoubleComplex)
GETRI(s, kSingle)
GETRI(d, kDouble)
GETRI(c, kComplex)
GETRI(z, kDoubleComplex)
GECON(s, kSingle)
GECON(d, kDouble)
GECON(c, kComplex)
GECON(z, kDoubleComplex)
POTRI(s, kSingle)
POTRI(d, kDouble)
POTRI(c, kComplex)
POTRI(z, kDoubleComplex)
GETRS(s, kSingle)
GETRS(d, kDouble)
GETRS(c, kComplex)
GETRS(z, kDoubleComplex)
POTRS(s, kSingle)
POTRS(d, kDouble)
POTRS(c, kComplex)
POTRS(z, kDoubleComplex)
SYSV(s, sysv, kSingle)
SYSV(d, sysv, kDouble)
SYSV(c, hesv, kComplex)
SYSV(z, hesv, kDoubleComplex)
SYTRF(s, sytrf, kSingle)
SYTRF(d, sytrf, kDouble)
SYTRF(c, hetrf, kComplex)
SYTRF(z, hetrf, kDoubleComplex)
SYTRS(s, sytrs, kSingle)
SYTRS(d, sytrs, kDouble)
SYTRS(c, hetrs, kComplex)
SYTRS(z, hetrs, kDoubleComplex)

ROUTINE(ds, gesv, kDouble, kMixed,
        (const void* n, const void* nrhs, void* a, const void* lda, void* ipiv, const void* b,
         const void* ldb, void* x, const void* ldx, void* work, void* swork, void* iter,
         void* info),
        mixed_gesv(CALLER, n, nrhs, a, lda, ipiv, b, ldb, x, ldx, work, swork, NULL, iter, info))
ROUTINE(zc, gesv, kDoubleComplex, kMixed,
        (const void* n, const void* nrhs, void* a, const void* lda, void* ipiv, const void* b,
         const void* ldb, void* x, const void* ldx, void* work, void* swork, void* rwork,
         void* iter, void* info),
        mixed_gesv(CALLER, n, nrhs, a, lda, ipiv, b, ldb, x, ldx, work, swork, rwork, iter, info))
