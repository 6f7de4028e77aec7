/* clgauss.h as a C99 program sees it: every function on every device, and bad input to every function. The answers are integers that
 * float holds, so that a wrong one cannot hide in rounding. */
#include <CL/cl.h>
#include <clgauss.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
static const char* device_text = "";

static void fail_at(int line, const char* what, const char* more) {
  printf("c_test.c:%d, device %s: %s (%s)\n", line, device_text, what, more);
  ++failures;
}
#define EXPECT(condition)                                                  \
  do {                                                                     \
    if (!(condition)) fail_at(__LINE__, #condition, clgauss_last_error()); \
  } while (0)
/* A status, and a message where and only where it is not CLGAUSS_OK. */
#define EXPECT_STATUS(wanted, call) expect_status(__LINE__, #call, wanted, call)
static void expect_status(int line, const char* call, clgauss_status wanted,
                          clgauss_status status) {
  if (status != wanted) {
    fail_at(line, call, clgauss_status_string(status));
    printf("  wanted %s: %s\n", clgauss_status_string(wanted), clgauss_last_error());
  } else if ((clgauss_last_error()[0] == '\0') != (status == CLGAUSS_OK)) {
    fail_at(line, call, "a message, or none, that does not go with the status");
  }
}
#define EXPECT_MESSAGE(part) EXPECT(strstr(clgauss_last_error(), part) != NULL)

enum { N = 7, NRHS = 3, LDA = 9, LDB = 8, PAD = -77 };
static const int kLayouts[] = {CLGAUSS_ROW_MAJOR, CLGAUSS_COLUMN_MAJOR};

static size_t at(int layout, size_t i, size_t j, size_t ld) {
  return layout == CLGAUSS_ROW_MAJOR ? i * ld + j : j * ld + i;
}

/* A(0, 0) = 0: without exchanges there is no answer. */
static double a_of(size_t i, size_t j) {
  return i == j ? (i == 0 ? 0 : 12.0 + (double)i) : (double)((3 * i + 5 * j) % 7) - 2;
}
static double spd_of(size_t i, size_t j) {
  return i == j ? N + 1 : a_of(i < j ? j : i, i < j ? i : j) / 4;
}
static double x_of(size_t i, size_t j) { return (double)i - 2 * (double)j + 1; }
static double b_of(int transposed, size_t i, size_t j) {
  double sum = 0;
  for (size_t k = 0; k < N; ++k) sum += (transposed ? a_of(k, i) : a_of(i, k)) * x_of(k, j);
  return sum;
}

/* The same tests for float and for double. */
#define REAL float
#define P(name) clgauss_s##name
#define Z(name) clgauss_c##name
#define T(name) name##_f32
#define TYPE CLGAUSS_F32
#define OTHER_TYPE CLGAUSS_F64
#define OTHER_REAL double
#define OTHER(name) clgauss_d##name
#define EPS FLT_EPSILON
#include "typed_tests.h"
#undef REAL
#undef P
#undef Z
#undef T
#undef TYPE
#undef OTHER_TYPE
#undef OTHER_REAL
#undef OTHER
#undef EPS
#define REAL double
#define P(name) clgauss_d##name
#define Z(name) clgauss_z##name
#define T(name) name##_f64
#define TYPE CLGAUSS_F64
#define OTHER_TYPE CLGAUSS_F32
#define OTHER_REAL float
#define OTHER(name) clgauss_s##name
#define EPS DBL_EPSILON
#include "typed_tests.h"

static void test_versions_and_statuses(void) {
  char text[32];
  EXPECT(clgauss_version() == CLGAUSS_VERSION);
  snprintf(text, sizeof text, "%d.%d.%d", CLGAUSS_VERSION_MAJOR, CLGAUSS_VERSION_MINOR,
           CLGAUSS_VERSION_PATCH);
  EXPECT(strcmp(clgauss_version_string(), text) == 0);
  for (int status = -1; status <= 12; ++status) {
    const int known = status >= CLGAUSS_OK && status <= CLGAUSS_INTERNAL;
    EXPECT((strcmp(clgauss_status_string(status), "unknown status") != 0) == known);
  }
}

static void test_contexts(clgauss_context context) {
  char name[256], few[5] = "xxxx";
  int fp64 = -1;
  clgauss_context made = NULL;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_device_name(context, name, sizeof name));
  EXPECT(strlen(name) > 0);
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_device_name(context, few, 3));
  EXPECT(strncmp(few, name, 2) == 0 && few[2] == '\0' && few[3] == 'x');
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_context_device_name(context, NULL, 3));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_context_device_name(context, few, 0));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_context_device_name(NULL, few, 3));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_has_fp64(context, &fp64));
  EXPECT(fp64 == 0 || fp64 == 1);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_context_has_fp64(context, NULL));
  int type = 0;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_device_type(context, &type));
  EXPECT(type >= CLGAUSS_DEVICE_CPU && type <= CLGAUSS_DEVICE_OTHER);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_context_device_type(context, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_context_create(device_text, 0, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_context_create(device_text, 2, &made));
  EXPECT_STATUS(CLGAUSS_NO_DEVICE, clgauss_context_create("no such device", 0, &made));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_context_create_on_queue(NULL, 0, &made));
  EXPECT(made == NULL);
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_destroy(NULL));
}

/* Handles that were destroyed, made up or are of another kind. */
static void test_handles(clgauss_context context) {
  clgauss_context gone = NULL;
  clgauss_lu lu = NULL;
  float a[1] = {2}, b[1] = {6};
  int32_t ipiv[1];
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_create(device_text, CLGAUSS_USE_ENVIRONMENT, &gone));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_create(gone, CLGAUSS_F32, 1, &lu));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_destroy(gone));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_context_destroy(gone));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_lu_create(gone, CLGAUSS_F32, 1, &lu));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                clgauss_sgesv(gone, CLGAUSS_ROW_MAJOR, 1, 1, a, 1, ipiv, b, 1));
  EXPECT_MESSAGE("destroyed");
  /* The factorisation keeps what it needs of its context. */
  EXPECT_STATUS(CLGAUSS_OK, clgauss_sgetrf(lu, CLGAUSS_ROW_MAJOR, a, 1));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_sgetrs(lu, CLGAUSS_ROW_MAJOR, CLGAUSS_NO_TRANSPOSE, 1, b, 1));
  EXPECT(b[0] == 3);
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_context_destroy((clgauss_context)(void*)lu));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_destroy(lu));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_lu_destroy(lu));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_sgetrf(lu, CLGAUSS_ROW_MAJOR, a, 1));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_lu_destroy((clgauss_lu)(void*)a));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_lu_destroy((clgauss_lu)(void*)context));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_lu_destroy(NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_lu_pivots(NULL, ipiv));
  EXPECT_MESSAGE("NULL");
}

/* Accuracy, options and report of the solve that judges its answer. */
static void test_reports(clgauss_context context) {
  static double a[N * N], b[N], x[N];
  clgauss_solve_options options = {.struct_size = sizeof options, .trust = 1, .determinant = 1};
  clgauss_report report = {.struct_size = sizeof report};
  for (size_t i = 0; i < N; ++i) {
    b[i] = b_of(0, i, 0);
    for (size_t j = 0; j < N; ++j) a[i * N + j] = a_of(i, j);
  }
#define SOLVE() \
  clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, N, 1, a, N, b, 1, x, 1, &options, &report)
  EXPECT_STATUS(CLGAUSS_OK, SOLVE());
  for (size_t i = 0; i < N; ++i) EXPECT(fabs(x[i] - x_of(i, 0)) <= 1e-13);
  EXPECT(report.rcond > 0.001 && report.rcond < 1);
  EXPECT(report.forward_error <= 1e-12 && report.correct_digits >= 12);
  EXPECT(report.reciprocal_growth > 0.1);
  EXPECT(report.backward_error <= 1e-14 && report.scaled_residual <= 16);
  EXPECT(report.determinant_sign == 1 || report.determinant_sign == -1);
  EXPECT(report.determinant_log10 > 0 && report.seconds > 0 && report.failed_column == 0);
  EXPECT(report.factor_type == CLGAUSS_F32 || report.factor_type == CLGAUSS_F64);

  options.accuracy = CLGAUSS_ACCURACY_MAXIMUM;
  options.trust = options.determinant = 0;
  EXPECT_STATUS(CLGAUSS_OK, SOLVE());
  for (size_t i = 0; i < N; ++i) EXPECT(x[i] == x_of(i, 0));
  EXPECT(isnan(report.rcond) && isnan(report.determinant_log10) && report.determinant_sign == 0);

  options.accuracy =
      CLGAUSS_ACCURACY_SINGLE; /* whose residual in double is larger than asked for */
  options.factor_type = CLGAUSS_F32;
  options.method = CLGAUSS_METHOD_LU;
  options.max_scaled_residual = 1e-12;
  a[N + 1] = 12.1;
  EXPECT_STATUS(CLGAUSS_INACCURATE, SOLVE());
  EXPECT(report.scaled_residual > 1e-12 && report.method == CLGAUSS_METHOD_LU);
  EXPECT(report.factor_type == CLGAUSS_F32);

  for (size_t j = 0; j < N; ++j) a[2 * N + j] = 0;
  x[0] = PAD;
  EXPECT_STATUS(CLGAUSS_SINGULAR, SOLVE());
  EXPECT(report.failed_column >= 1 && report.failed_column <= N && isnan(report.backward_error));
  EXPECT(x[0] == PAD);

  const clgauss_solve_options good = {.struct_size = sizeof options};
#define EXPECT_BAD(setting)                           \
  do {                                                \
    options = good;                                   \
    options.setting;                                  \
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SOLVE()); \
    EXPECT_MESSAGE("options");                        \
  } while (0)
  EXPECT_BAD(struct_size = 0);
  EXPECT_BAD(struct_size = sizeof options - 1);
  EXPECT_BAD(struct_size = (size_t)-1);
  EXPECT_BAD(method = 9);
  EXPECT_BAD(method = -1);
  EXPECT_BAD(accuracy = 4);
  EXPECT_BAD(accuracy = -1);
  EXPECT_BAD(factor_type = 16);
  EXPECT_BAD(reserved = 1);
  EXPECT_BAD(max_scaled_residual = -1);
  EXPECT_BAD(max_scaled_residual = NAN);
  options = good;
  report.struct_size = 8;
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, SOLVE());
  EXPECT_MESSAGE("report");

  /* Structures of a later version, which are longer: what is not known here must not be asked for. */
  struct {
    clgauss_solve_options known;
    int later;
  } longer = {.known = {.struct_size = sizeof longer}};
  struct {
    clgauss_report known;
    double later;
  } long_report = {.known = {.struct_size = sizeof long_report}, .later = 3};
  a[2 * N + 2] = 1;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, N, 1, a, N, b, 1, x, 1,
                                           &longer.known, &long_report.known));
  EXPECT(long_report.later == 0 && long_report.known.struct_size == sizeof long_report);
  longer.later = 1;
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, N, 1, a, N, b,
                                                         1, x, 1, &longer.known, NULL));
}

struct progress_state {
  clgauss_context context;
  int calls, stop;
};

static int progress(const char* what, double fraction, void* user) {
  struct progress_state* state = user;
  int fp64;
  ++state->calls;
  EXPECT(strlen(what) > 0 && fraction >= 0 && fraction <= 1);
  clgauss_lu lu = NULL; /* the context is at work */
  EXPECT(clgauss_lu_create(state->context, CLGAUSS_F32, 1, &lu) == CLGAUSS_INVALID_ARGUMENT);
  EXPECT(clgauss_context_has_fp64(state->context, &fp64) == CLGAUSS_OK);
  return state->stop;
}

static void test_progress(clgauss_context context) {
  enum { SIZE = 300 };
  double* const a = malloc(SIZE * SIZE * sizeof *a);
  double b[SIZE];
  struct progress_state state = {.context = context};
  clgauss_solve_options options = {
      .struct_size = sizeof options, .progress = progress, .user = &state};
  for (size_t i = 0; i < SIZE * SIZE; ++i) a[i] = i % (SIZE + 1) == 0 ? 50 : (double)(i % 11) / 11;
  for (size_t i = 0; i < SIZE; ++i) b[i] = 1;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dsolve(context, CLGAUSS_COLUMN_MAJOR, SIZE, 1, a, SIZE, b, SIZE,
                                           b, SIZE, &options, NULL));
  EXPECT(state.calls > 0);
  state.stop = 1;
  EXPECT_STATUS(CLGAUSS_STOPPED, clgauss_dsolve(context, CLGAUSS_COLUMN_MAJOR, SIZE, 1, a, SIZE, b,
                                                SIZE, b, SIZE, &options, NULL));
  /* Of complex numbers, half as many in a row: what was stopped leaves X as it was. */
  enum { HALF = SIZE / 2 };
  double x[2 * HALF];
  for (size_t i = 0; i < 2 * HALF * HALF; ++i) a[i] = (double)(i % 11) / 11;
  for (size_t i = 0; i < HALF; ++i) a[2 * i * (HALF + 1)] = 50;
  for (size_t i = 0; i < 2 * HALF; ++i) x[i] = PAD;
  EXPECT_STATUS(CLGAUSS_STOPPED, clgauss_zsolve(context, CLGAUSS_COLUMN_MAJOR, HALF, 1, a, HALF, b,
                                                HALF, x, HALF, &options, NULL));
  for (size_t i = 0; i < 2 * HALF; ++i) EXPECT(x[i] == PAD);
  state.stop = 0;
  state.calls = 0;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_zsolve(context, CLGAUSS_COLUMN_MAJOR, HALF, 1, a, HALF, b, HALF,
                                           x, HALF, &options, NULL));
  EXPECT(state.calls > 0);
  free(a);
}

/* Of float where the device has no double: the C interface says so. */
/* Bounds that hold, in both layouts; nothing is proven of a singular A, and nothing written. */
static void test_certify(clgauss_context context) {
  double a[N * LDA], b[N * LDB], x[N * LDB], bounds[N * LDB];
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
    clgauss_certificate proof = {.struct_size = sizeof proof};
    for (size_t i = 0; i < N * LDB; ++i) x[i] = bounds[i] = PAD;
    for (size_t i = 0; i < N; ++i)
      for (size_t j = 0; j < N; ++j) a[at(layout, i, j, LDA)] = a_of(i, j);
    for (size_t i = 0; i < N; ++i)
      for (size_t j = 0; j < NRHS; ++j) b[at(layout, i, j, LDB)] = b_of(0, i, j);
    for (size_t i = 0; i < N; ++i)
      for (size_t j = 0; j < NRHS; ++j) x[at(layout, i, j, LDB)] = x_of(i, j) + 1e-9;
    EXPECT_STATUS(CLGAUSS_OK, clgauss_dcertify(context, layout, N, NRHS, a, LDA, b, LDB, x, LDB,
                                               bounds, &proof));
    EXPECT(proof.proven == 1 && proof.norm_bound < 1 && proof.reason[0] == '\0');
    EXPECT(proof.norm_digits > 8 && proof.norm_digits < 11);
    for (size_t i = 0; i < N; ++i)
      for (size_t j = 0; j < NRHS; ++j) {
        const double bound = bounds[at(layout, i, j, LDB)];
        EXPECT(bound >= fabs(x[at(layout, i, j, LDB)] - x_of(i, j)) && bound < 1.1e-9);
      }
    EXPECT(bounds[at(layout, layout == CLGAUSS_ROW_MAJOR ? 0 : N,
                     layout == CLGAUSS_ROW_MAJOR ? NRHS : 0, LDB)] == PAD);
    EXPECT_STATUS(CLGAUSS_OK,
                  clgauss_dcertify(context, layout, N, NRHS, a, LDA, b, LDB, x, LDB, NULL, &proof));

    for (size_t j = 0; j < N; ++j) a[at(layout, 2, j, LDA)] = a[at(layout, 4, j, LDA)];
    for (size_t i = 0; i < N * LDB; ++i) bounds[i] = PAD;
    EXPECT_STATUS(CLGAUSS_OK, clgauss_dcertify(context, layout, N, NRHS, a, LDA, b, LDB, x, LDB,
                                               bounds, &proof));
    EXPECT(proof.proven == 0 && proof.reason[0] != '\0' && bounds[0] == PAD);
  }
  clgauss_certificate proof = {.struct_size = sizeof proof};
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dcertify(context, CLGAUSS_ROW_MAJOR, 0, 0, NULL, 0, NULL, 0,
                                             NULL, 0, NULL, &proof));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_dcertify(context, CLGAUSS_ROW_MAJOR, N, NRHS, a,
                                                           LDA, b, LDB, x, LDB, NULL, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                clgauss_dcertify(context, CLGAUSS_ROW_MAJOR, N, NRHS, NULL, LDA, b, LDB, x, LDB,
                                 NULL, &proof));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT, clgauss_dcertify(context, CLGAUSS_ROW_MAJOR, N, NRHS, a,
                                                        N - 1, b, LDB, x, LDB, NULL, &proof));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE, clgauss_dcertify(NULL, CLGAUSS_ROW_MAJOR, N, NRHS, a, LDA,
                                                         b, LDB, x, LDB, NULL, &proof));
  proof.struct_size = 8;
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_dcertify(context, CLGAUSS_ROW_MAJOR, N, NRHS, a,
                                                           LDA, b, LDB, x, LDB, NULL, &proof));
  EXPECT_MESSAGE("sizeof(clgauss_certificate)");
}

/* Bounds of an inverse that hold, real and complex, in both layouts. */
static void test_certify_inv(clgauss_context context) {
  const double a[2 * 3] = {2, 1, PAD,
                           0, 4, PAD}; /* by rows 2 1, 0 4; its inverse 1/2 -1/8, 0 1/4 */
  const double za[2 * 3 * 2] = {0, 2, 0, 1, PAD, PAD, 0, 0, 0, 4, PAD, PAD}; /* i times that */
  const float ca[2 * 3 * 2] = {0, 2, 0, 1, PAD, PAD, 0, 0, 0, 4, PAD, PAD};
  const double inverse[4] = {0.5, -0.125, 0, 0.25}, off[4] = {1e-9, -2e-9, 3e-9, 0};
  double x[4], zx[8], bounds[4];
  float cx[8];
  for (int l = 0; l < 2; ++l) {
    const int layout = kLayouts[l];
    clgauss_certificate proof = {.struct_size = sizeof proof};
    for (size_t k = 0; k < 4; ++k) { /* by columns A and X are the transposes of these */
      x[k] = inverse[k] + off[k];
      zx[2 * k] = 0;
      zx[2 * k + 1] = -x[k];
      cx[2 * k] = 0;
      cx[2 * k + 1] = -(float)x[k];
    }
    EXPECT_STATUS(CLGAUSS_OK, clgauss_dcertify_inv(context, layout, 2, a, 3, x, 2, bounds, &proof));
    EXPECT(proof.proven == 1 && proof.norm_bound < 1);
    for (size_t k = 0; k < 4; ++k)
      EXPECT(bounds[k] >= fabs(off[k]) * (1 - 1e-6) && bounds[k] <= fabs(off[k]) + 1e-14);
    EXPECT_STATUS(CLGAUSS_OK,
                  clgauss_zcertify_inv(context, layout, 2, za, 3, zx, 2, bounds, &proof));
    EXPECT(proof.proven == 1);
    for (size_t k = 0; k < 4; ++k)
      EXPECT(bounds[k] >= fabs(off[k]) * (1 - 1e-6) && bounds[k] <= fabs(off[k]) + 1e-14);
    EXPECT_STATUS(CLGAUSS_OK,
                  clgauss_ccertify_inv(context, layout, 2, ca, 3, cx, 2, bounds, &proof));
    EXPECT(proof.proven == 1);
    for (size_t k = 0; k < 4; ++k)
      EXPECT(bounds[k] >= fabs(cx[2 * k + 1] + inverse[k]) && bounds[k] <= 1e-7);
    EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                  clgauss_dcertify_inv(context, layout, 2, a, 1, x, 2, bounds, &proof));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  clgauss_dcertify_inv(context, layout, 2, a, 3, NULL, 2, bounds, &proof));
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  clgauss_dcertify_inv(context, layout, 2, a, 3, x, 2, bounds, NULL));
    const double singular[4] = {1, 2, 2, 4};
    bounds[0] = PAD;
    EXPECT_STATUS(CLGAUSS_OK,
                  clgauss_dcertify_inv(context, layout, 2, singular, 2, x, 2, bounds, &proof));
    EXPECT(proof.proven == 0 && bounds[0] == PAD);
  }
}

/* The sign of a permutation of rows with a known determinant, in both layouts. */
static void test_certify_det(clgauss_context context) {
  double a[3 * 4] = {0, 2, 0, PAD, 0, 0, -0.25, PAD, 8, 1, 1, PAD}; /* det = 2 * -0.25 * 8 */
  clgauss_det_certificate proof = {.struct_size = sizeof proof};
  for (int l = 0; l < 2; ++l) {
    EXPECT_STATUS(CLGAUSS_OK, clgauss_dcertify_det(context, kLayouts[l], 3, a, 4, &proof));
    EXPECT(proof.proven == 1 && proof.sign == -1 && proof.reason[0] == '\0');
    EXPECT(proof.norm_bound < 1 && proof.log10_low <= log10(4) && proof.log10_high >= log10(4));
    EXPECT(proof.log10_high - proof.log10_low < 1e-12);
    EXPECT(proof.phase[0] == -1 && proof.phase[1] == 0 && proof.phase_bound == 0);
  }
  proof.struct_size = offsetof(clgauss_det_certificate, phase); /* a program built before */
  proof.phase_bound = -3;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dcertify_det(context, CLGAUSS_ROW_MAJOR, 3, a, 4, &proof));
  EXPECT(proof.proven == 1 && proof.phase_bound == -3);
  proof.struct_size = sizeof proof;
  a[8] = 0; /* the third row is 0 1 1: column 1 is zero */
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dcertify_det(context, CLGAUSS_ROW_MAJOR, 3, a, 4, &proof));
  EXPECT(proof.proven == 0 && proof.sign == 0 && proof.reason[0] != '\0');
  EXPECT(isnan(proof.log10_low) && isnan(proof.log10_high));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dcertify_det(context, CLGAUSS_ROW_MAJOR, 0, NULL, 0, &proof));
  EXPECT(proof.proven == 1 && proof.sign == 1 && proof.log10_low == 0 && proof.log10_high == 0);
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                clgauss_dcertify_det(context, CLGAUSS_ROW_MAJOR, 3, a, 4, NULL));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                clgauss_dcertify_det(context, CLGAUSS_ROW_MAJOR, 3, NULL, 4, &proof));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                clgauss_dcertify_det(context, CLGAUSS_ROW_MAJOR, 3, a, 2, &proof));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                clgauss_dcertify_det(NULL, CLGAUSS_ROW_MAJOR, 3, a, 4, &proof));
  proof.struct_size = 8;
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                clgauss_dcertify_det(context, CLGAUSS_ROW_MAJOR, 3, a, 4, &proof));
}

/* One verdict of rcond and forward_error. */
static void test_doubts(clgauss_context context) {
  enum { kHilbert = 14 };
  double a[kHilbert * kHilbert], b[kHilbert], x[kHilbert];
  const clgauss_solve_options options = {.struct_size = sizeof options, .trust = 1};
  clgauss_report report = {.struct_size = sizeof report};
  for (size_t i = 0; i < kHilbert; ++i) b[i] = 1;
  for (size_t i = 0; i < kHilbert; ++i)
    for (size_t j = 0; j < kHilbert; ++j) a[i * kHilbert + j] = 1 / (double)(i + j + 1);
  (void)clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, kHilbert, 1, a, kHilbert, b, 1, x, 1, &options,
                       &report);
  EXPECT(report.doubt == CLGAUSS_DOUBT_NEARLY_SINGULAR && report.correct_digits == 0);
  for (size_t i = 0; i < kHilbert; ++i) a[i * (kHilbert + 1)] += 1;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, kHilbert, 1, a, kHilbert, b,
                                           1, x, 1, &options, &report));
  EXPECT(report.doubt == CLGAUSS_DOUBT_NONE && report.correct_digits >= 3);
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, kHilbert, 1, a, kHilbert, b,
                                           1, x, 1, NULL, &report));
  EXPECT(report.doubt == CLGAUSS_DOUBT_UNKNOWN);
  report.struct_size = offsetof(clgauss_report, doubt); /* a program that was built before */
  report.doubt = -3;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, kHilbert, 1, a, kHilbert, b,
                                           1, x, 1, &options, &report));
  EXPECT(report.correct_digits >= 3 && report.doubt == -3);
}

/* The signs of the eigenvalues of [0 1; 1 0], a 2 x 2 pivot, and of -4. */
static void test_inertia(clgauss_context context) {
  const double a[9] = {0, 1, 0, 1, 0, 0, 0, 0, -4}, b[3] = {1, 2, 4};
  double x[3];
  clgauss_solve_options options = {.struct_size = sizeof options, .method = CLGAUSS_METHOD_LDLT};
  clgauss_report report = {.struct_size = sizeof report};
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, 3, 1, a, 3, b, 1, x, 1,
                                           &options, &report));
  EXPECT(x[0] == 2 && x[1] == 1 && x[2] == -1);
  EXPECT(report.positive == 1 && report.negative == 2 && report.zero == 0);
  options.method = CLGAUSS_METHOD_LU;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, 3, 1, a, 3, b, 1, x, 1,
                                           &options, &report));
  EXPECT(report.positive == 0 && report.negative == 0 && report.zero == 0);
}

static void test_without_fp64(clgauss_context context) {
  clgauss_lu lu = NULL;
  double a[1] = {2}, b[1] = {6};
  int32_t ipiv[1] = {1};
  EXPECT_STATUS(CLGAUSS_OPENCL, clgauss_lu_create(context, CLGAUSS_F64, 1, &lu));
  EXPECT_STATUS(CLGAUSS_OPENCL, clgauss_dgesv(context, CLGAUSS_ROW_MAJOR, 1, 1, a, 1, ipiv, b, 1));
  EXPECT_STATUS(CLGAUSS_OPENCL, clgauss_dgetri(context, CLGAUSS_ROW_MAJOR, 1, a, 1, ipiv));
  EXPECT_STATUS(CLGAUSS_OPENCL,
                clgauss_dpotrs(context, CLGAUSS_ROW_MAJOR, CLGAUSS_LOWER, 1, 1, a, 1, b, 1));
  EXPECT(lu == NULL && b[0] == 6 && a[0] == 2);
}

/* The device as the caller's own OpenCL has it, for what takes cl_mem. */
static void test_on_queue(cl_platform_id platform, cl_device_id device) {
  cl_int error;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                              0};
  cl_context mine = clCreateContext(properties, 1, &device, NULL, NULL, &error);
  cl_context foreign = clCreateContext(properties, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(mine, device, NULL, &error);
  cl_command_queue second = clCreateCommandQueueWithProperties(mine, device, NULL, &error);
  cl_command_queue foreign_queue =
      clCreateCommandQueueWithProperties(foreign, device, NULL, &error);
  const cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES,
                                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue unordered =
      clCreateCommandQueueWithProperties(mine, device, out_of_order, &error);
  clgauss_context context = NULL;
  int fp64 = 0;
  EXPECT_STATUS(CLGAUSS_OK,
                clgauss_context_create_on_queue(queue, CLGAUSS_USE_ENVIRONMENT, &context));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_has_fp64(context, &fp64));
  const struct queues queues = {mine, foreign, queue, second, foreign_queue, unordered};
  test_buffers_f32(context, &queues);
  test_bad_buffers_f32(context, &queues);
  if (fp64) {
    test_buffers_f64(context, &queues);
    test_bad_buffers_f64(context, &queues);
  }
  if (unordered != NULL) { /* not every device has one */
    clgauss_context made = NULL;
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT, clgauss_context_create_on_queue(unordered, 0, &made));
    clReleaseCommandQueue(unordered);
  }
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_destroy(context));
  clReleaseCommandQueue(foreign_queue);
  clReleaseCommandQueue(second);
  clReleaseCommandQueue(queue);
  clReleaseContext(foreign);
  clReleaseContext(mine);
}

static void test_device(cl_platform_id platform, cl_device_id device) {
  clgauss_context context = NULL;
  int fp64 = 0;
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_create(device_text, CLGAUSS_USE_ENVIRONMENT, &context));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_has_fp64(context, &fp64));
  test_contexts(context);
  test_handles(context);
  test_host_f32(context);
  test_large_solve_f32(context);
  test_posv_f32(context);
  test_factors_f32(context, 5);
  test_factors_f32(context, 150);
  test_gecon_f32(context);
  test_rectangular_shapes_f32(context);
  test_bad_factors_f32(context);
  test_symmetric_f32(context);
  test_gels_f32(context);
  test_gelsy_f32(context);
  test_lstsq_f32(context);
  test_gels_f64(context);
  test_gelsy_f64(context);
  test_lstsq_f64(context);
  test_complex_f32(context);
  test_hermitian_f32(context);
  test_complex_solve_f32(context);
  test_complex_solve_f64(context);
  test_bad_host_f32(context);
  test_batched_f32(context);
  test_posv_batched_f32(context);
  test_sysv_batched_f32(context);
  test_vbatched_f32(context);
  test_too_large_f32(context);
  if (fp64) {
    test_host_f64(context);
    test_large_solve_f64(context);
    test_posv_f64(context);
    test_symmetric_f64(context);
    test_factors_f64(context, 5);
    test_factors_f64(context, 150);
    test_gecon_f64(context);
    test_rectangular_shapes_f64(context);
    test_bad_factors_f64(context);
    test_complex_f64(context);
    test_hermitian_f64(context);
    test_bad_host_f64(context);
    test_batched_f64(context);
    test_posv_batched_f64(context);
    test_sysv_batched_f64(context);
    test_vbatched_f64(context);
    test_too_large_f64(context);
    test_certify(context);
    test_certify_inv(context);
    test_certify_det(context);
    test_complex_certify_f32(context);
    test_complex_certify_f64(context);
    test_complex_certify_det_f32(context);
    test_complex_certify_det_f64(context);
    test_doubts(context);
    test_inertia(context);
  } else {
    test_without_fp64(context);
  }
  test_reports(context);
  test_progress(context);
  test_on_queue(platform, device);
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_destroy(context));
}

static void on_signal(int signal) { (void)signal; }

/* Before this program asks for OpenCL itself: drivers take handlers when they are first asked. */
static void test_signal_handlers(void) {
  static const int kSignals[] = {SIGABRT, SIGFPE, SIGILL, SIGINT, SIGSEGV, SIGTERM};
  const size_t count = sizeof kSignals / sizeof kSignals[0];
  clgauss_context context = NULL;
  for (size_t i = 0; i < count; ++i) signal(kSignals[i], on_signal);
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_create("auto", 0, &context));
  EXPECT_STATUS(CLGAUSS_OK, clgauss_context_destroy(context));
  for (size_t i = 0; i < count; ++i) EXPECT(signal(kSignals[i], SIG_DFL) == on_signal);
}

int main(void) {
  cl_platform_id platforms[16];
  cl_uint platform_count = 0, devices_tested = 0;
  test_versions_and_statuses();
  test_signal_handlers();
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p) {
    cl_device_id devices[16];
    cl_uint device_count = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &device_count) != CL_SUCCESS)
      continue;
    for (cl_uint d = 0; d < device_count; ++d, ++devices_tested) {
      char spec[32];
      snprintf(spec, sizeof spec, "%u:%u", (unsigned)p, (unsigned)d);
      device_text = spec;
      test_device(platforms[p], devices[d]);
    }
  }
  printf("clgauss.h %s: %u devices, %d failures\n", clgauss_version_string(),
         (unsigned)devices_tested, failures);
  return failures == 0 && devices_tested > 0 ? 0 : 1;
}
