#ifndef CLGAUSS_H
#define CLGAUSS_H
/* clgauss in C99, and in every language that calls C: dense linear systems on OpenCL devices.
 *
 * Every function returns a status, CLGAUSS_OK or what went wrong; clgauss_last_error() then says why and what to try. What a
 * call that fails was to write is as it was before, unless its description says otherwise. No exception leaves a function, and
 * no bad argument ends the program as long as pointers point to what their types and the sizes say.
 *
 * Handles are numbers, not addresses: one that was never given out, was destroyed or is of another kind is told by
 * CLGAUSS_INVALID_HANDLE. A context, and what is made on it, belongs to one thread at a time; a call that finds it at work
 * returns CLGAUSS_INVALID_ARGUMENT. Different contexts do not disturb each other.
 *
 * Matrices are row-major or column-major, as `layout` says, with a leading dimension in elements. Columns and rows are counted
 * from 1, as LAPACK does. Where nothing would be read or written (n = 0, nrhs = 0) pointers may be NULL.
 */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CLGAUSS_API __attribute__((visibility("default")))
#else
#define CLGAUSS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions -------------------------------------------------------------------------------------------------------- */

#define CLGAUSS_VERSION_MAJOR 0
#define CLGAUSS_VERSION_MINOR 1
#define CLGAUSS_VERSION_PATCH 0
/* Of this header, to compare with clgauss_version(): 10000 major + 100 minor + patch. */
#define CLGAUSS_VERSION \
  (10000 * CLGAUSS_VERSION_MAJOR + 100 * CLGAUSS_VERSION_MINOR + CLGAUSS_VERSION_PATCH)

/* Of the library that is linked. */
CLGAUSS_API int clgauss_version(void);
CLGAUSS_API const char* clgauss_version_string(void); /* "0.1.0" */

/* ---- Statuses -------------------------------------------------------------------------------------------------------- */

enum {
  CLGAUSS_OK = 0,
  CLGAUSS_INVALID_ARGUMENT = 1, /* a NULL, or a value that makes no sense */
  CLGAUSS_INVALID_INPUT = 2,    /* sizes, leading dimensions, buffers or numbers that do not do */
  CLGAUSS_NO_DEVICE = 3,        /* no OpenCL device, none that matches, or several */
  CLGAUSS_OPENCL = 4,           /* an OpenCL call failed, or the device cannot do what is asked */
  CLGAUSS_OUT_OF_MEMORY = 5,    /* on the host or on the device; asked before anything starts */
  CLGAUSS_SINGULAR =
      6, /* a pivot is exactly zero, or A holds NaN or Inf: there is no x. Of Cholesky's: not positive */
  CLGAUSS_STOPPED = 7,         /* by your callback */
  CLGAUSS_INACCURATE = 8,      /* x is there, but its residual is larger than asked for */
  CLGAUSS_OVERFLOW = 9,        /* numbers left the range of the type: there is no x */
  CLGAUSS_INVALID_HANDLE = 10, /* not a handle, or one that was destroyed */
  CLGAUSS_INTERNAL = 11        /* a fault of clgauss itself */
};
typedef int clgauss_status;

/* "singular" for CLGAUSS_SINGULAR; never NULL. */
CLGAUSS_API const char* clgauss_status_string(clgauss_status status);

/* Why the last call of this thread that returns a status failed; "" if it did not. Stands until the thread's next call. */
CLGAUSS_API const char* clgauss_last_error(void);

/* ---- What calls name (the first two as CBLAS and LAPACKE number them) ------------------------------------------------- */

enum { CLGAUSS_ROW_MAJOR = 101, CLGAUSS_COLUMN_MAJOR = 102 }; /* layout */
/* trans: A x = b, A^T x = b, or A^H x = b, which for real numbers is A^T x = b */
enum { CLGAUSS_NO_TRANSPOSE = 111, CLGAUSS_TRANSPOSE = 112, CLGAUSS_CONJUGATE_TRANSPOSE = 113 };
enum { CLGAUSS_TYPE_DEFAULT = 0, CLGAUSS_F32 = 32, CLGAUSS_F64 = 64 }; /* element types */

/* ---- Contexts -------------------------------------------------------------------------------------------------------- */

/* OpenCL's own handles, so that this header needs no other: cl_mem, cl_command_queue and cl_event are pointers to these. */
struct _cl_mem;
struct _cl_command_queue;
struct _cl_event;

/* A device opened for work. Keep it: kernels are built once, a second solve builds nothing. */
typedef struct clgauss_context_handle* clgauss_context;

enum {
  CLGAUSS_USE_ENVIRONMENT =
      1 /* as the programs: kernels are kept on disk, and CLGAUSS_CACHE and its like are obeyed */
};

/* `device` is as for `clgauss --device`: "auto" (or NULL), "gpu", "cpu", "1:0", "nvidia:h200"; `flags` is 0 or an or of the above. */
CLGAUSS_API clgauss_status clgauss_context_create(const char* device, unsigned flags,
                                                  clgauss_context* context);

/* Inside an application's own OpenCL: on the context and device of its in-order `queue`. */
CLGAUSS_API clgauss_status clgauss_context_create_on_queue(struct _cl_command_queue* queue,
                                                           unsigned flags,
                                                           clgauss_context* context);

/* Gives the handle up; factorisations made on it live on. NULL is nothing to do. */
CLGAUSS_API clgauss_status clgauss_context_destroy(clgauss_context context);

/* The device's name, cut off to `size` bytes with the final 0. */
CLGAUSS_API clgauss_status clgauss_context_device_name(clgauss_context context, char* name,
                                                       size_t size);

enum {
  CLGAUSS_DEVICE_CPU = 1,
  CLGAUSS_DEVICE_GPU = 2,
  CLGAUSS_DEVICE_ACCELERATOR = 3,
  CLGAUSS_DEVICE_OTHER = 4
};
/* CLGAUSS_DEVICE_...: one that is a CPU computes with the cores that the program has. */
CLGAUSS_API clgauss_status clgauss_context_device_type(clgauss_context context, int* type);

/* 1 if the device computes in double, else 0; clgauss_dsolve() works on both. */
CLGAUSS_API clgauss_status clgauss_context_has_fp64(clgauss_context context, int* has_fp64);

/* ---- Systems in host memory ------------------------------------------------------------------------------------------ */

/* LAPACK's gesv: A = P^T L U with partial pivoting, X = A^-1 B. On return the n-by-n A holds L
 * (unit diagonal not stored) and U, ipiv[i] the row exchanged with row i + 1, counted from 1, and
 * the n-by-nrhs B holds X; with nrhs = 0 it is getrf. Without refinement, as LAPACK's:
 * clgauss_dsolve() has it. Factors and X are looked at before they are written, in O(n^2): what
 * differs from A and B by more than LAPACK's own tests allow is CLGAUSS_INACCURATE.
 * CLGAUSS_SINGULAR: A and ipiv are written, B is not. CLGAUSS_OVERFLOW: A or B holds NaN or Inf.
 * With every other status A, ipiv and B are as they were, also where the device failed on the way;
 * for that a GPU takes a copy of A in host memory, which the context keeps up to 2 GiB. dgesv needs
 * a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                                         float* a, size_t lda, int32_t* ipiv, float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                                         double* a, size_t lda, int32_t* ipiv, double* b,
                                         size_t ldb);

enum {
  CLGAUSS_LOWER = 121, /* of a symmetric matrix the lower triangle is there: CBLAS's numbers */
  CLGAUSS_UPPER = 122
};

/* LAPACK's posv: A = L L^T (CLGAUSS_LOWER) or R^T R (CLGAUSS_UPPER) by Cholesky, X = A^-1 B, for a
 * symmetric positive definite A of which one triangle is read; with nrhs = 0 it is potrf. On return
 * that triangle holds L or R, the other one is as it was, and the n-by-nrhs B holds X, all of it
 * looked at as gesv's. CLGAUSS_SINGULAR: A is not positive definite, clgauss_last_error() names the
 * column. With every status but CLGAUSS_OK A and B are as they were. dposv needs a device with
 * fp64. */
CLGAUSS_API clgauss_status clgauss_sposv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, float* a, size_t lda, float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dposv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, double* a, size_t lda, double* b, size_t ldb);

/* LAPACK's getrf of an m-by-n A, with partial pivoting over all rows. With k = min(m, n) and l =
 * max(m, n), l k^2 - k^3 / 3 flops. On return A holds the m-by-k L (unit diagonal not stored) and
 * the k-by-n U, and the k numbers of ipiv the row exchanges, all of it looked at as gesv's is.
 * CLGAUSS_SINGULAR: of the first k columns; A and ipiv are written. With every status but this and
 * CLGAUSS_OK they are as they were. CLGAUSS_INVALID_INPUT: more than 2^24 rows (s) or 2^30 (d), and
 * fewer columns. `_host`, for clgauss_dgetrf() keeps the factors on the device. dgetrf_host needs a
 * device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgetrf_host(clgauss_context context, int layout, size_t m,
                                               size_t n, float* a, size_t lda, int32_t* ipiv);
CLGAUSS_API clgauss_status clgauss_dgetrf_host(clgauss_context context, int layout, size_t m,
                                               size_t n, double* a, size_t lda, int32_t* ipiv);

/* LAPACK's getrs: B <- A^-1 B or A^-T B, n-by-nrhs, by the factors of A and ipiv as gesv and getrf
 * left them. 2 n^2 nrhs flops; the factors go to the device for them, so that it takes many
 * right-hand sides to be worth it. X is looked at before it is written, as gesv's, with P^T L U in
 * the place of A and || |L| |U| ||_1 in that of its norm. CLGAUSS_SINGULAR: U has a zero on its
 * diagonal; clgauss_last_error() names the column. CLGAUSS_OVERFLOW: A holds NaN or Inf, or L U
 * leaves the range of the type. With every status but CLGAUSS_OK B is as it was. `_host`, for
 * clgauss_dgetrs() has the factors on the device. dgetrs_host needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgetrs_host(clgauss_context context, int layout, int trans,
                                               size_t n, size_t nrhs, const float* a, size_t lda,
                                               const int32_t* ipiv, float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dgetrs_host(clgauss_context context, int layout, int trans,
                                               size_t n, size_t nrhs, const double* a, size_t lda,
                                               const int32_t* ipiv, double* b, size_t ldb);

/* LAPACK's getri: A <- A^-1, n-by-n, by its factors and ipiv as above. 3 n^3 flops. Looked at before
 * it is written: ||A X - I||_1 is at most 30 n eps (|| |L| |U| ||_1 ||X||_1 + 1), column by column.
 * Statuses are those of getrs_host. With every status but CLGAUSS_OK A is as it was. dgetri needs a
 * device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgetri(clgauss_context context, int layout, size_t n, float* a,
                                          size_t lda, const int32_t* ipiv);
CLGAUSS_API clgauss_status clgauss_dgetri(clgauss_context context, int layout, size_t n, double* a,
                                          size_t lda, const int32_t* ipiv);

enum { CLGAUSS_ONE_NORM = 171, CLGAUSS_INF_NORM = 175 }; /* as the BLAS standard numbers them */

/* LAPACK's gecon: *rcond, an estimate of 1 / (||A|| ||A^-1||) in the norm that `norm` and anorm =
 * ||A|| are of, from the L and U of A as gesv and getrf left them; 0 where U has a zero on its
 * diagonal. At most 16 n^2 flops, and the factors go to the device for them. Each solve is looked
 * at as those of getrs_host. CLGAUSS_OVERFLOW: A holds NaN or Inf, or numbers left the range of
 * the type. With every status but CLGAUSS_OK *rcond is as it was. clgauss_lu_rcond() has the
 * factors on the device. dgecon_host needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgecon_host(clgauss_context context, int layout, int norm,
                                               size_t n, const float* a, size_t lda, double anorm,
                                               double* rcond);
CLGAUSS_API clgauss_status clgauss_dgecon_host(clgauss_context context, int layout, int norm,
                                               size_t n, const double* a, size_t lda, double anorm,
                                               double* rcond);

/* LAPACK's potrs and potri: the same by the L (CLGAUSS_LOWER) or R (CLGAUSS_UPPER) of A = L L^T or
 * R^T R that posv and potrf left in one triangle of A. potri writes that triangle of the symmetric
 * inverse; the other one is as it was. dpotrs and dpotri need a device with fp64. */
CLGAUSS_API clgauss_status clgauss_spotrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const float* a, size_t lda, float* b,
                                          size_t ldb);
CLGAUSS_API clgauss_status clgauss_dpotrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const double* a, size_t lda, double* b,
                                          size_t ldb);
CLGAUSS_API clgauss_status clgauss_spotri(clgauss_context context, int layout, int uplo, size_t n,
                                          float* a, size_t lda);
CLGAUSS_API clgauss_status clgauss_dpotri(clgauss_context context, int layout, int uplo, size_t n,
                                          double* a, size_t lda);

/* LAPACK's sysv: A = L D L^T (CLGAUSS_LOWER) or U D U^T (CLGAUSS_UPPER) with the pivots of Bunch and
 * Kaufman, X = A^-1 B, for a symmetric A of which one triangle is read, and which may be
 * indefinite; with nrhs = 0 it is sytrf. On return that triangle holds L or U and D, and ipiv the
 * exchanges, negative for D's blocks of two columns, both as LAPACK's sytrf has them; the other
 * triangle is as it was, and the n-by-nrhs B holds X, all of it looked at as gesv's.
 * CLGAUSS_SINGULAR: A and ipiv are written, B is not. With every status but this and CLGAUSS_OK A,
 * ipiv and B are as they were. dsysv needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_ssysv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, float* a, size_t lda, int32_t* ipiv, float* b,
                                         size_t ldb);
CLGAUSS_API clgauss_status clgauss_dsysv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, double* a, size_t lda, int32_t* ipiv,
                                         double* b, size_t ldb);

/* LAPACK's sytrs: B <- A^-1 B, n-by-nrhs, by the factors in one triangle of A and ipiv as sysv and
 * sytrf left them. As getrs_host, in cost, statuses and what is looked at. dsytrs needs a device
 * with fp64. */
CLGAUSS_API clgauss_status clgauss_ssytrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const float* a, size_t lda,
                                          const int32_t* ipiv, float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dsytrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const double* a, size_t lda,
                                          const int32_t* ipiv, double* b, size_t ldb);

/* LAPACK's gels without a transposition: of the m-by-n A, m >= n, the x with the least ||b - A x||, m < n, the least x with A x = b,
 * by a QR factorisation, for each column of B. B has max(m, n) rows: on entry the first m hold b, on return the first n hold x; the others
 * are as they were, and so is A. Not as LAPACK: x is checked (CLGAUSS_INACCURATE, with x), and CLGAUSS_SINGULAR means that A is rank-deficient;
 * clgauss_last_error() says the rank and to what tolerance. dgels works on every device, without fp64 by refinement. */
CLGAUSS_API clgauss_status clgauss_sgels(clgauss_context context, int layout, size_t m, size_t n,
                                         size_t nrhs, const float* a, size_t lda, float* b,
                                         size_t ldb);
CLGAUSS_API clgauss_status clgauss_dgels(clgauss_context context, int layout, size_t m, size_t n,
                                         size_t nrhs, const double* a, size_t lda, double* b,
                                         size_t ldb);

/* As gels, and of an A of any rank: where many x have the least ||b - A x||, the least of them (LAPACK's
 * gelsy, without its jpvt). rank gets the rank of A with its columns, if m < n its rows, brought to one
 * size, to the tolerance rcond, from 0 to below 1; below 0: eps max(m, n), eps 2^-23 (sgelsy) or 2^-52.
 * Never CLGAUSS_SINGULAR. dgelsy works on every device, where f32 factors tell the rank to eps 2^-23. */
CLGAUSS_API clgauss_status clgauss_sgelsy(clgauss_context context, int layout, size_t m, size_t n,
                                          size_t nrhs, const float* a, size_t lda, float* b,
                                          size_t ldb, double rcond, size_t* rank);
CLGAUSS_API clgauss_status clgauss_dgelsy(clgauss_context context, int layout, size_t m, size_t n,
                                          size_t nrhs, const double* a, size_t lda, double* b,
                                          size_t ldb, double rcond, size_t* rank);

/* As gelsy, but x minimizes sum_i weights[i] (b - A x)_i^2 + ridge ||x||^2: m weights, or NULL for 1,
 * and a ridge, finite and at least 0. rank: with a ridge of [weights^1/2 A; ridge^1/2 I], if m < n of
 * [weights^1/2 A, ridge^1/2 I], which is factored; min(m, n) unless the ridge is below the tolerance. */
CLGAUSS_API clgauss_status clgauss_slstsq(clgauss_context context, int layout, size_t m, size_t n,
                                          size_t nrhs, const float* a, size_t lda, float* b,
                                          size_t ldb, const float* weights, double ridge,
                                          double rcond, size_t* rank);
CLGAUSS_API clgauss_status clgauss_dlstsq(clgauss_context context, int layout, size_t m, size_t n,
                                          size_t nrhs, const double* a, size_t lda, double* b,
                                          size_t ldb, const double* weights, double ridge,
                                          double rcond, size_t* rank);

/* The same as sgesv and dgesv for complex numbers, of two floats (cgesv) or doubles (zgesv) each,
 * real part first, as C's float _Complex and std::complex<float> are; leading dimensions count
 * numbers. As in LAPACK the pivot has the largest |re| + |im| of its column. zgesv needs a device
 * with fp64. */
CLGAUSS_API clgauss_status clgauss_cgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                                         void* a, size_t lda, int32_t* ipiv, void* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_zgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                                         void* a, size_t lda, int32_t* ipiv, void* b, size_t ldb);

/* getrf_host, getrs_host, also by A^H, and getri of such complex numbers, by factors and ipiv as
 * cgesv and zgesv leave them; flops are four times those of real numbers, of getri 16 n^3. Looked at
 * and, where a call fails, left as the functions of real numbers do it; getri's columns are as
 * getrs's X, for B = I. CLGAUSS_INVALID_INPUT: more than 2^30 rows or columns. zgetrf_host,
 * zgetrs_host and zgetri need a device with fp64. */
CLGAUSS_API clgauss_status clgauss_cgetrf_host(clgauss_context context, int layout, size_t m,
                                               size_t n, void* a, size_t lda, int32_t* ipiv);
CLGAUSS_API clgauss_status clgauss_zgetrf_host(clgauss_context context, int layout, size_t m,
                                               size_t n, void* a, size_t lda, int32_t* ipiv);
CLGAUSS_API clgauss_status clgauss_cgetrs_host(clgauss_context context, int layout, int trans,
                                               size_t n, size_t nrhs, const void* a, size_t lda,
                                               const int32_t* ipiv, void* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_zgetrs_host(clgauss_context context, int layout, int trans,
                                               size_t n, size_t nrhs, const void* a, size_t lda,
                                               const int32_t* ipiv, void* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_cgetri(clgauss_context context, int layout, size_t n, void* a,
                                          size_t lda, const int32_t* ipiv);
CLGAUSS_API clgauss_status clgauss_zgetri(clgauss_context context, int layout, size_t n, void* a,
                                          size_t lda, const int32_t* ipiv);

/* posv, with nrhs = 0 potrf, and potrs of such complex numbers: of a Hermitian positive definite A
 * = L L^H (CLGAUSS_LOWER) or R^H R (CLGAUSS_UPPER), of whose diagonal the real parts are read; L's
 * and R's are real. 4/3 n^3 flops, and 8 n^2 for a right-hand side. Looked at and, where a call
 * fails, left as the functions of real numbers do it. zposv and zpotrs need a device with fp64. */
CLGAUSS_API clgauss_status clgauss_cposv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, void* a, size_t lda, void* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_zposv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, void* a, size_t lda, void* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_cpotrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const void* a, size_t lda, void* b,
                                          size_t ldb);
CLGAUSS_API clgauss_status clgauss_zpotrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const void* a, size_t lda, void* b,
                                          size_t ldb);

enum {
  CLGAUSS_METHOD_AUTOMATIC = 0, /* the fastest for the device and n that gives the accuracy */
  CLGAUSS_METHOD_LU = 1,        /* in factor_type, without refinement */
  CLGAUSS_METHOD_MIXED = 2,     /* factors in float, x refined to double; lu where that fails */
  CLGAUSS_METHOD_RBT = 3,       /* the same with random butterflies instead of exchanges */
  CLGAUSS_METHOD_GAUSS = 4,     /* step by step, for experiments */
  CLGAUSS_METHOD_CHOLESKY =
      5, /* A must be symmetric (complex: Hermitian) and positive definite; half the work of LU */
  CLGAUSS_METHOD_JACOBI = 6, /* iterations to learn from; A must be strictly diagonally dominant */
  CLGAUSS_METHOD_SEIDEL = 7,
  CLGAUSS_METHOD_LDLT = 8 /* A must be symmetric, and may be indefinite; half the work of LU */
};
enum {
  CLGAUSS_ACCURACY_DEFAULT = 0, /* of the type of the call */
  CLGAUSS_ACCURACY_SINGLE = 1,  /* the backward error of float */
  CLGAUSS_ACCURACY_DOUBLE = 2,  /* the backward error of double, also on devices without fp64 */
  CLGAUSS_ACCURACY_MAXIMUM = 3  /* x itself to the digits of double, where rcond allows it */
};

/* Zeros are the defaults: clgauss_solve_options options = {.struct_size = sizeof options}; It may grow at its end. */
typedef struct clgauss_solve_options {
  size_t struct_size;         /* sizeof(clgauss_solve_options) */
  int method;                 /* CLGAUSS_METHOD_... */
  int accuracy;               /* CLGAUSS_ACCURACY_... */
  int factor_type;            /* CLGAUSS_F32 or CLGAUSS_F64; 0: what method and accuracy take */
  int trust;                  /* not 0: estimate rcond, forward error and growth */
  int determinant;            /* not 0: it is wanted */
  int reserved;               /* 0 */
  double max_scaled_residual; /* 0: 16, as the HPL benchmark */
  /* Called now and then with what is done and the share done, 0 to 1; not 0 stops the work: CLGAUSS_STOPPED. May be NULL. It must
   * not call clgauss on the same context, nor leave by longjmp. */
  int (*progress)(const char* what, double fraction, void* user);
  void* user;
} clgauss_solve_options;

/* What the estimates say against an x whose residual is small: nothing; that hardly a digit of it can be relied on; or that A
 * is singular to rounding, and x may have no correct digit. */
enum {
  CLGAUSS_DOUBT_UNKNOWN = 0,
  CLGAUSS_DOUBT_NONE = 1,
  CLGAUSS_DOUBT_FEW_DIGITS = 2,
  CLGAUSS_DOUBT_NEARLY_SINGULAR = 3
};

/* What is known of an answer. It may grow at its end; what was not asked for is NaN, or 0 for whole numbers. */
typedef struct clgauss_report {
  size_t struct_size;   /* sizeof(clgauss_report), set by the caller */
  int method;           /* what gave x: CLGAUSS_METHOD_... */
  int factor_type;      /* CLGAUSS_F32 or CLGAUSS_F64 */
  size_t failed_column; /* whose pivot is zero or not finite, counted from 1; 0: none */
  size_t corrections;   /* how often x was refined */
  double
      backward_error; /* ||b - A x|| / (||A|| ||x|| + ||b||), infinity norms, in double; of the worst right-hand side */
  double scaled_residual; /* backward_error / (eps n) */
  double rcond;           /* of A, in the 1-norm; with `trust` */
  double
      forward_error; /* a bound of ||x - x_true|| / ||x||, of the worst right-hand side; with `trust` */
  double reciprocal_growth; /* max|A| / max|U|; with `trust` */
  int correct_digits;       /* of x, by forward_error; with `trust` */
  int determinant_sign;     /* -1, 0 or 1 */
  double determinant_log10; /* det A = sign 10^log10 */
  double seconds;
  /* Of a complex det A its argument in radians, det A = sign 10^log10 e^(i argument) with a sign of 0 or 1. */
  double determinant_argument;
  int doubt;    /* CLGAUSS_DOUBT_..., one verdict of rcond and forward_error; with `trust` */
  int reserved; /* 0 */
} clgauss_report;

/* X = A^-1 B, judged by its residual in double; A and B stay as they are, and X may be B. `options` and `report` may be NULL; the
 * report is also written with CLGAUSS_SINGULAR, CLGAUSS_OVERFLOW and CLGAUSS_INACCURATE, X also with the last. What is not
 * row-major without gaps, and every float, is copied to doubles on the host; the context keeps that memory, up to 2 GiB, for the next
 * call. ssolve computes in float and judges x by the backward error of float, unless `options` say otherwise. */
CLGAUSS_API clgauss_status clgauss_ssolve(clgauss_context context, int layout, size_t n,
                                          size_t nrhs, const float* a, size_t lda, const float* b,
                                          size_t ldb, float* x, size_t ldx,
                                          const clgauss_solve_options* options,
                                          clgauss_report* report);
CLGAUSS_API clgauss_status clgauss_dsolve(clgauss_context context, int layout, size_t n,
                                          size_t nrhs, const double* a, size_t lda, const double* b,
                                          size_t ldb, double* x, size_t ldx,
                                          const clgauss_solve_options* options,
                                          clgauss_report* report);

/* The same for complex numbers, as cgesv has them. Methods are AUTOMATIC, LU, MIXED and, for a Hermitian A, CHOLESKY;
 * CLGAUSS_INVALID_ARGUMENT for the others. A and B are copied to doubles on the host in any case. zsolve works without fp64, too, by MIXED. */
CLGAUSS_API clgauss_status clgauss_csolve(clgauss_context context, int layout, size_t n,
                                          size_t nrhs, const void* a, size_t lda, const void* b,
                                          size_t ldb, void* x, size_t ldx,
                                          const clgauss_solve_options* options,
                                          clgauss_report* report);
CLGAUSS_API clgauss_status clgauss_zsolve(clgauss_context context, int layout, size_t n,
                                          size_t nrhs, const void* a, size_t lda, const void* b,
                                          size_t ldb, void* x, size_t ldx,
                                          const clgauss_solve_options* options,
                                          clgauss_report* report);

/* What is proven of an answer: rigorous bounds of its error, with every rounding counted, no estimates. It may grow at its end. */
typedef struct clgauss_certificate {
  size_t struct_size; /* sizeof(clgauss_certificate), set by the caller */
  int proven;         /* 1: A is not singular, and the bounds hold; else `reason` says why not */
  int reserved;       /* 0 */
  double norm_bound; /* of || I - R A ||, R being an inverse that was computed; below 1 if proven */
  double digits;     /* decimal digits that the bounds leave of every element of X that is not 0 */
  double norm_digits; /* and of the largest element of the worst right-hand side */
  char reason[128];   /* cut off with a final 0 */
} clgauss_certificate;

/* Proves how far X, any approximate answer of A X = B, can be off: |x_true - x| <= bounds, element by element. Bounds are n-by-nrhs
 * with the layout and leading dimension of X, and are written only if `proven`; they may be NULL. An A that is too
 * ill-conditioned for a proof, or an X, A or B with NaN or Inf, is CLGAUSS_OK with `proven` 0. It takes about five LUs on
 * a device with fp64: CLGAUSS_OPENCL without it. */
CLGAUSS_API clgauss_status clgauss_dcertify(clgauss_context context, int layout, size_t n,
                                            size_t nrhs, const double* a, size_t lda,
                                            const double* b, size_t ldb, const double* x,
                                            size_t ldx, double* bounds,
                                            clgauss_certificate* certificate);

/* X_s = A_s^-1 B_s for `batch` systems of one n, 1 to 2048, in one go: matrix s begins stride elements behind matrix s - 1; A stays
 * as it is, B becomes X. info[s] is 0; or the first column, counted from 1, whose pivot is zero or not finite, or -1 where numbers
 * left the range of the type: then X_s is NaN. The status is that of the worst system, and B and info are written with
 * CLGAUSS_SINGULAR, CLGAUSS_OVERFLOW and CLGAUSS_INACCURATE, too. dgesv_batched needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgesv_batched(clgauss_context context, int layout, size_t n,
                                                 size_t nrhs, const float* a, size_t lda,
                                                 size_t stride_a, float* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);
CLGAUSS_API clgauss_status clgauss_dgesv_batched(clgauss_context context, int layout, size_t n,
                                                 size_t nrhs, const double* a, size_t lda,
                                                 size_t stride_a, double* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);

/* ||A||_1 of a rows-by-columns matrix, for clgauss_lu_rcond(); NaN if it holds one. */
CLGAUSS_API clgauss_status clgauss_snorm1(int layout, size_t rows, size_t columns, const float* a,
                                          size_t lda, double* norm);
CLGAUSS_API clgauss_status clgauss_dnorm1(int layout, size_t rows, size_t columns, const double* a,
                                          size_t lda, double* norm);

/* ---- Factorisations -------------------------------------------------------------------------------------------------- */

/* Factors of an n-by-n matrix, and the workspace for them: one handle takes one matrix after the other. */
typedef struct clgauss_lu_handle* clgauss_lu;

/* `type` is CLGAUSS_F32, for the functions with s, or CLGAUSS_F64, for those with d. */
CLGAUSS_API clgauss_status clgauss_lu_create(clgauss_context context, int type, size_t n,
                                             clgauss_lu* lu);
CLGAUSS_API clgauss_status clgauss_lu_destroy(clgauss_lu lu); /* NULL is nothing to do */

/* Factors a host matrix, which stays as it is, on the device. A zero pivot is told by clgauss_lu_failed_column(). */
CLGAUSS_API clgauss_status clgauss_sgetrf(clgauss_lu lu, int layout, const float* a, size_t lda);
CLGAUSS_API clgauss_status clgauss_dgetrf(clgauss_lu lu, int layout, const double* a, size_t lda);

/* B <- A^-1 B or A^-T B, n-by-nrhs, in host memory. CLGAUSS_SINGULAR: B stays as it is. */
CLGAUSS_API clgauss_status clgauss_sgetrs(clgauss_lu lu, int layout, int trans, size_t nrhs,
                                          float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dgetrs(clgauss_lu lu, int layout, int trans, size_t nrhs,
                                          double* b, size_t ldb);

/* The same on cl_mem: element (1, 1) of the matrix is number `offset` of the buffer. Enqueued on `queue` (in order, of the context
 * and its device; NULL: the context's own) after the `events_in_wait_list` events of `wait_list`; nothing waits. `event`, unless
 * NULL, is set to one of the operation's end, for clReleaseEvent(), and to NULL if the call fails.
 *
 * getrf_buffer factors A in place, and the buffer is in use as long as the factors are. In row-major it then holds L and U of P A =
 * L U; in column-major, where the buffer is A^T row by row and is not turned over, those of P A^T = L U, with which
 * getrs_buffer solves for A all the same. A singular A makes B NaN. In column-major nrhs > 1 takes a copy of B on the device. */
CLGAUSS_API clgauss_status clgauss_sgetrf_buffer(clgauss_lu lu, int layout, struct _cl_mem* a,
                                                 size_t offset, size_t lda,
                                                 struct _cl_command_queue* queue,
                                                 uint32_t events_in_wait_list,
                                                 struct _cl_event* const* wait_list,
                                                 struct _cl_event** event);
CLGAUSS_API clgauss_status clgauss_dgetrf_buffer(clgauss_lu lu, int layout, struct _cl_mem* a,
                                                 size_t offset, size_t lda,
                                                 struct _cl_command_queue* queue,
                                                 uint32_t events_in_wait_list,
                                                 struct _cl_event* const* wait_list,
                                                 struct _cl_event** event);
CLGAUSS_API clgauss_status clgauss_sgetrs_buffer(clgauss_lu lu, int layout, int trans, size_t nrhs,
                                                 struct _cl_mem* b, size_t offset, size_t ldb,
                                                 struct _cl_command_queue* queue,
                                                 uint32_t events_in_wait_list,
                                                 struct _cl_event* const* wait_list,
                                                 struct _cl_event** event);
CLGAUSS_API clgauss_status clgauss_dgetrs_buffer(clgauss_lu lu, int layout, int trans, size_t nrhs,
                                                 struct _cl_mem* b, size_t offset, size_t ldb,
                                                 struct _cl_command_queue* queue,
                                                 uint32_t events_in_wait_list,
                                                 struct _cl_event* const* wait_list,
                                                 struct _cl_event** event);

/* The same of gesv_batched, row-major: element (i, j) of matrix s is number offset + s stride + i ld + j. info is a buffer of `batch`
 * int32_t, from its begin: 0, or the first column, counted from 1, whose pivot is zero or not finite; then X_s is NaN. */
CLGAUSS_API clgauss_status clgauss_sgesv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);
CLGAUSS_API clgauss_status clgauss_dgesv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);

/* The first column, counted from 1, whose pivot is zero or NaN (a row of A where a buffer was column-major); 0: none. Waits. */
CLGAUSS_API clgauss_status clgauss_lu_failed_column(clgauss_lu lu, size_t* column);

/* ipiv[i], i < n: the row that was exchanged with row i + 1, counted from 1 (the column where a buffer was column-major). Waits. */
CLGAUSS_API clgauss_status clgauss_lu_pivots(clgauss_lu lu, int32_t* ipiv);

/* LAPACK's gecon: an estimate of 1 / (||A||_1 ||A^-1||_1) from the factors and anorm = ||A||_1; 0 for a singular A. Waits. */
CLGAUSS_API clgauss_status clgauss_lu_rcond(clgauss_lu lu, double anorm, double* rcond);

#ifdef __cplusplus
}
#endif
#endif
