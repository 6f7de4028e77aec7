#ifndef CLGAUSS_H
#define CLGAUSS_H
/* clgauss in C99, and in every language that calls C: dense linear systems on OpenCL devices.
 *
 * Every function returns a status: CLGAUSS_OK, or what went wrong. clgauss_last_error() then says
 * why, and what to try. A call that fails leaves its outputs as they were, unless its description
 * says otherwise. No exception leaves a function. A bad argument does not end the program, as long
 * as pointers point to memory of the type and size that the arguments state.
 *
 * Handles are numbers, not addresses. A handle that was never created, was destroyed or is of
 * another kind gives CLGAUSS_INVALID_HANDLE. A context, and what is made on it, belongs to one
 * thread at a time: a call on a context that is working for another call returns
 * CLGAUSS_INVALID_ARGUMENT. Different contexts work independently.
 *
 * Matrices are row-major or column-major, as `layout` says. Leading dimensions, strides and offsets
 * count elements. Element (i, j), from 0, is a[i * lda + j] in row-major, where lda is at least the
 * number of columns, and a[j * lda + i] in column-major, where lda is at least the number of rows.
 * In messages, ipiv and info, rows and columns count from 1, as in LAPACK. Pointers may be NULL
 * where nothing would be read or written (n = 0, nrhs = 0).
 *
 * Functions with s take float, with d double, with c and z complex float and complex double. eps is
 * 2^-23 for float and 2^-52 for double. */

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

/* ---- Versions -------------------------------------------------------------------------------- */

#define CLGAUSS_VERSION_MAJOR 0
#define CLGAUSS_VERSION_MINOR 1
#define CLGAUSS_VERSION_PATCH 0
/* The version of this header, for comparison with clgauss_version(): 10000 major + 100 minor +
 * patch. */
#define CLGAUSS_VERSION \
  (10000 * CLGAUSS_VERSION_MAJOR + 100 * CLGAUSS_VERSION_MINOR + CLGAUSS_VERSION_PATCH)

/* The version of the linked library. */
CLGAUSS_API int clgauss_version(void);
CLGAUSS_API const char* clgauss_version_string(void); /* "0.1.0" */

/* ---- Statuses -------------------------------------------------------------------------------- */

enum {
  CLGAUSS_OK = 0,
  CLGAUSS_INVALID_ARGUMENT = 1, /* a NULL, or a value without a meaning */
  CLGAUSS_INVALID_INPUT = 2,    /* sizes, leading dimensions, buffers or numbers that do not fit */
  CLGAUSS_NO_DEVICE = 3,        /* no OpenCL device, none that matches, or several */
  CLGAUSS_OPENCL = 4,           /* an OpenCL call failed, or the device lacks a feature */
  CLGAUSS_OUT_OF_MEMORY = 5,    /* on the host or on the device; checked in advance */
  /* a pivot is exactly zero, or A holds NaN or Inf: there is no x. With Cholesky: A is not positive
   * definite */
  CLGAUSS_SINGULAR = 6,
  CLGAUSS_STOPPED = 7,         /* by your callback */
  CLGAUSS_INACCURATE = 8,      /* x is written, but its residual is above the bound */
  CLGAUSS_OVERFLOW = 9,        /* numbers left the range of the type: there is no x */
  CLGAUSS_INVALID_HANDLE = 10, /* not a handle, or one that was destroyed */
  CLGAUSS_INTERNAL = 11        /* a fault of clgauss itself */
};
typedef int clgauss_status;

/* "singular" for CLGAUSS_SINGULAR; never NULL. */
CLGAUSS_API const char* clgauss_status_string(clgauss_status status);

/* Why the last call of this thread that returns a status failed; "" if it did not. Valid until this
 * thread's next call. */
CLGAUSS_API const char* clgauss_last_error(void);

/* ---- Constants of calls (the first two as in CBLAS and LAPACKE) ------------------------------ */

enum { CLGAUSS_ROW_MAJOR = 101, CLGAUSS_COLUMN_MAJOR = 102 }; /* layout */
/* trans: A x = b, A^T x = b, or A^H x = b, which for real numbers is A^T x = b */
enum { CLGAUSS_NO_TRANSPOSE = 111, CLGAUSS_TRANSPOSE = 112, CLGAUSS_CONJUGATE_TRANSPOSE = 113 };
enum { CLGAUSS_TYPE_DEFAULT = 0, CLGAUSS_F32 = 32, CLGAUSS_F64 = 64 }; /* element types */

/* ---- Contexts -------------------------------------------------------------------------------- */

/* OpenCL's own handles, so that this header needs no other: cl_mem, cl_command_queue and cl_event
 * are pointers to these. */
struct _cl_mem;
struct _cl_command_queue;
struct _cl_event;

/* A device opened for work. Keep it: kernels are built once, and a second solve builds nothing. */
typedef struct clgauss_context_handle* clgauss_context;

enum {
  /* as the programs do: keep kernels on disk, and read CLGAUSS_CACHE and the other variables */
  CLGAUSS_USE_ENVIRONMENT = 1
};

/* Opens a device. `device` is as for `clgauss --device`: "auto" (or NULL), "gpu", "cpu", "1:0",
 * "nvidia:h200". `flags` is 0 or CLGAUSS_USE_ENVIRONMENT. */
CLGAUSS_API clgauss_status clgauss_context_create(const char* device, unsigned flags,
                                                  clgauss_context* context);

/* For an application's own OpenCL: opens the context and device of its in-order `queue`. */
CLGAUSS_API clgauss_status clgauss_context_create_on_queue(struct _cl_command_queue* queue,
                                                           unsigned flags,
                                                           clgauss_context* context);

/* Destroys the handle; factorisations made on it stay valid. NULL does nothing. */
CLGAUSS_API clgauss_status clgauss_context_destroy(clgauss_context context);

/* Writes the device's name, cut off to `size` bytes, with the terminating 0. */
CLGAUSS_API clgauss_status clgauss_context_device_name(clgauss_context context, char* name,
                                                       size_t size);

enum {
  CLGAUSS_DEVICE_CPU = 1,
  CLGAUSS_DEVICE_GPU = 2,
  CLGAUSS_DEVICE_ACCELERATOR = 3,
  CLGAUSS_DEVICE_OTHER = 4
};
/* Writes CLGAUSS_DEVICE_...; a device that is a CPU uses the same cores as the program. */
CLGAUSS_API clgauss_status clgauss_context_device_type(clgauss_context context, int* type);

/* 1 if the device computes in double, else 0; clgauss_dsolve() works on both. */
CLGAUSS_API clgauss_status clgauss_context_has_fp64(clgauss_context context, int* has_fp64);

/* ---- Systems in host memory ------------------------------------------------------------------ */

/* LAPACK's gesv: A = P^T L U with partial pivoting, X = A^-1 B. A is n-by-n, B n-by-nrhs, ipiv has
 * n numbers. 2/3 n^3 + 2 n^2 nrhs flops. On return A holds L (its unit diagonal is not stored) and
 * U, ipiv[i] the row, from 1, that was exchanged with row i + 1, and B holds X. With nrhs = 0 this
 * is getrf. X is not refined, as in LAPACK; clgauss_dsolve() refines. Factors and X are checked in
 * O(n^2) before they are written: a difference from A and B above what LAPACK's own tests allow is
 * CLGAUSS_INACCURATE. CLGAUSS_SINGULAR: A and ipiv are written, B is not. CLGAUSS_OVERFLOW: A or B
 * holds NaN or Inf. Every other error leaves A, ipiv and B as they were, even if the device failed
 * halfway. For that a GPU needs a copy of A in host memory, which the context keeps up to 2 GiB.
 * dgesv needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                                         float* a, size_t lda, int32_t* ipiv, float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                                         double* a, size_t lda, int32_t* ipiv, double* b,
                                         size_t ldb);

enum {
  CLGAUSS_LOWER = 121, /* the lower triangle of a symmetric matrix is given; numbers as in CBLAS */
  CLGAUSS_UPPER = 122
};

/* LAPACK's posv: A = L L^T (CLGAUSS_LOWER) or R^T R (CLGAUSS_UPPER) by Cholesky, X = A^-1 B, for a
 * symmetric positive definite n-by-n A, of which one triangle is read. B is n-by-nrhs. n^3 / 3 + 2
 * n^2 nrhs flops. With nrhs = 0 this is potrf. On return that triangle holds L or R, the other one
 * is unchanged, and B holds X; all are checked as for gesv. CLGAUSS_SINGULAR: A is not positive
 * definite; clgauss_last_error() names the column. Every error leaves A and B as they were. dposv
 * needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sposv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, float* a, size_t lda, float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dposv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, double* a, size_t lda, double* b, size_t ldb);

/* LAPACK's getrf of an m-by-n A, with partial pivoting over all rows. With k = min(m, n) and l =
 * max(m, n) it takes l k^2 - k^3 / 3 flops. On return A holds the m-by-k L (its unit diagonal is
 * not stored) and the k-by-n U, and ipiv has the k row exchanges; all are checked as for gesv.
 * CLGAUSS_SINGULAR: a pivot of the first k columns is zero; A and ipiv are written. Every other
 * error leaves them as they were. CLGAUSS_INVALID_INPUT: more than 2^24 rows (s) or 2^30 (d), with
 * fewer columns. `_host` distinguishes it from clgauss_dgetrf(), which keeps the factors on the
 * device. dgetrf_host needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgetrf_host(clgauss_context context, int layout, size_t m,
                                               size_t n, float* a, size_t lda, int32_t* ipiv);
CLGAUSS_API clgauss_status clgauss_dgetrf_host(clgauss_context context, int layout, size_t m,
                                               size_t n, double* a, size_t lda, int32_t* ipiv);

/* LAPACK's getrs: B <- A^-1 B or A^-T B, n-by-nrhs, from the n-by-n factors and the ipiv of gesv
 * and getrf. 2 n^2 nrhs flops; the factors are copied to the device, so that only many right-hand
 * sides are worth a call. X is checked before it is written, as for gesv, with P^T L U in place of
 * A. CLGAUSS_SINGULAR: U has a zero on its diagonal; clgauss_last_error() names the column.
 * CLGAUSS_OVERFLOW: A holds NaN or Inf, or L U leaves the range of the type. Every error leaves B
 * as it was. clgauss_dgetrs() uses factors on the device. dgetrs_host needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgetrs_host(clgauss_context context, int layout, int trans,
                                               size_t n, size_t nrhs, const float* a, size_t lda,
                                               const int32_t* ipiv, float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dgetrs_host(clgauss_context context, int layout, int trans,
                                               size_t n, size_t nrhs, const double* a, size_t lda,
                                               const int32_t* ipiv, double* b, size_t ldb);

/* LAPACK's getri: A <- A^-1, n-by-n, from its factors and ipiv as above. 3 n^3 flops. The inverse
 * is checked before it is written: ||A X - I||_1 is at most 30 n eps (||A||_1 ||X||_1 + 1), column
 * by column. Errors are those of getrs_host; every error leaves A as it was. dgetri needs a
 * device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgetri(clgauss_context context, int layout, size_t n, float* a,
                                          size_t lda, const int32_t* ipiv);
CLGAUSS_API clgauss_status clgauss_dgetri(clgauss_context context, int layout, size_t n, double* a,
                                          size_t lda, const int32_t* ipiv);

enum { CLGAUSS_ONE_NORM = 171, CLGAUSS_INF_NORM = 175 }; /* as the BLAS standard numbers them */

/* LAPACK's gecon: writes to *rcond an estimate of 1 / (||A|| ||A^-1||) from the n-by-n L and U of A
 * as gesv and getrf leave them; 0 if U has a zero on its diagonal. `norm` names the norm, and anorm
 * is ||A|| in it. At most 16 n^2 flops, in f64 by the host's cores, on any device. CLGAUSS_OVERFLOW:
 * A holds NaN or Inf, or numbers left the range of f64. Every error leaves *rcond as it was.
 * clgauss_lu_rcond() uses factors on the device. */
CLGAUSS_API clgauss_status clgauss_sgecon_host(clgauss_context context, int layout, int norm,
                                               size_t n, const float* a, size_t lda, double anorm,
                                               double* rcond);
CLGAUSS_API clgauss_status clgauss_dgecon_host(clgauss_context context, int layout, int norm,
                                               size_t n, const double* a, size_t lda, double anorm,
                                               double* rcond);

/* LAPACK's potrs and potri: as getrs_host and getri, from the L (CLGAUSS_LOWER) or R
 * (CLGAUSS_UPPER) of A = L L^T or R^T R that posv leaves in one triangle of the n-by-n A. potri
 * writes that triangle of the symmetric inverse; the other one is unchanged. dpotrs and dpotri need
 * a device with fp64. */
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

/* LAPACK's sysv: A = L D L^T (CLGAUSS_LOWER) or U D U^T (CLGAUSS_UPPER) with the pivots of Bunch
 * and Kaufman, X = A^-1 B, for a symmetric n-by-n A that may be indefinite, of which one triangle
 * is read. B is n-by-nrhs, ipiv has n numbers. n^3 / 3 + 2 n^2 nrhs flops. With nrhs = 0 this is
 * sytrf. On return that triangle holds L or U and D, and ipiv the exchanges, negative for D's
 * blocks of two columns, both as in LAPACK's sytrf. The other triangle is unchanged, and B holds X;
 * all are checked as for gesv. CLGAUSS_SINGULAR: A and ipiv are written, B is not. Every other
 * error leaves A, ipiv and B as they were. dsysv needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_ssysv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, float* a, size_t lda, int32_t* ipiv, float* b,
                                         size_t ldb);
CLGAUSS_API clgauss_status clgauss_dsysv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, double* a, size_t lda, int32_t* ipiv,
                                         double* b, size_t ldb);

/* LAPACK's sytrs: B <- A^-1 B, n-by-nrhs, from the factors in one triangle of the n-by-n A and the
 * ipiv of sysv and sytrf. Cost, checks and errors are those of getrs_host. dsytrs needs a device
 * with fp64. */
CLGAUSS_API clgauss_status clgauss_ssytrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const float* a, size_t lda,
                                          const int32_t* ipiv, float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dsytrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const double* a, size_t lda,
                                          const int32_t* ipiv, double* b, size_t ldb);

/* LAPACK's gels without a transposition, for an m-by-n A and each column of B, by a QR
 * factorisation. With m >= n, x has the least ||b - A x||; with m < n, x is the one of least norm
 * with A x = b. B has max(m, n) rows: on entry the first m hold b, on return the first n hold x.
 * Its other rows, and A, are unchanged. About 2 l k^2 - 2/3 k^3 flops with k = min(m, n) and l =
 * max(m, n). Unlike LAPACK's, x is checked: CLGAUSS_INACCURATE, with x written. CLGAUSS_SINGULAR: A
 * is rank-deficient; clgauss_last_error() gives the rank and the tolerance. dgels works on every
 * device, without fp64 by refinement. */
CLGAUSS_API clgauss_status clgauss_sgels(clgauss_context context, int layout, size_t m, size_t n,
                                         size_t nrhs, const float* a, size_t lda, float* b,
                                         size_t ldb);
CLGAUSS_API clgauss_status clgauss_dgels(clgauss_context context, int layout, size_t m, size_t n,
                                         size_t nrhs, const double* a, size_t lda, double* b,
                                         size_t ldb);

/* As gels, for an A of any rank: where many x have the least ||b - A x||, the one of least norm
 * (LAPACK's gelsy, without its jpvt, and a rank that may be larger). *rank becomes the rank of A with its columns (if m < n its
 * rows) equilibrated, at the tolerance rcond, which is below 1; a negative rcond means eps max(m,
 * n), with eps 2^-23 (sgelsy) or 2^-52. Never CLGAUSS_SINGULAR. dgelsy works on every device;
 * without fp64 the factors in float find the rank at eps 2^-23. */
CLGAUSS_API clgauss_status clgauss_sgelsy(clgauss_context context, int layout, size_t m, size_t n,
                                          size_t nrhs, const float* a, size_t lda, float* b,
                                          size_t ldb, double rcond, size_t* rank);
CLGAUSS_API clgauss_status clgauss_dgelsy(clgauss_context context, int layout, size_t m, size_t n,
                                          size_t nrhs, const double* a, size_t lda, double* b,
                                          size_t ldb, double rcond, size_t* rank);

/* As gelsy, but x minimizes sum_i weights[i] (b - A x)_i^2 + ridge ||x||^2. `weights` has m
 * numbers, or is NULL for all 1; weights and ridge are finite and at least 0. With a ridge, *rank
 * is that of [weights^1/2 A; ridge^1/2 I], if m < n of [weights^1/2 A, ridge^1/2 I], which is
 * factored: min(m, n) unless the ridge is below the tolerance. */
CLGAUSS_API clgauss_status clgauss_slstsq(clgauss_context context, int layout, size_t m, size_t n,
                                          size_t nrhs, const float* a, size_t lda, float* b,
                                          size_t ldb, const float* weights, double ridge,
                                          double rcond, size_t* rank);
CLGAUSS_API clgauss_status clgauss_dlstsq(clgauss_context context, int layout, size_t m, size_t n,
                                          size_t nrhs, const double* a, size_t lda, double* b,
                                          size_t ldb, const double* weights, double ridge,
                                          double rcond, size_t* rank);

/* sgesv and dgesv for complex numbers of two floats (cgesv) or two doubles (zgesv), real part
 * first, as C's float _Complex and std::complex<float> are. Leading dimensions count complex
 * numbers. As in LAPACK the pivot has the largest |re| + |im| of its column. Four times the flops
 * of real numbers. zgesv needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_cgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                                         void* a, size_t lda, int32_t* ipiv, void* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_zgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                                         void* a, size_t lda, int32_t* ipiv, void* b, size_t ldb);

/* getrf_host, getrs_host (A^H as well), getri and gecon_host for complex numbers, with factors and
 * ipiv as cgesv and zgesv leave them. Four times the flops of real numbers; getri takes 8 n^3.
 * Checks and errors are those of the real functions; getri's columns are also checked as the X of
 * getrs, for B = I. gecon's norms are those of moduli. CLGAUSS_INVALID_INPUT: more than 2^30 rows
 * or columns. zgetrf_host, zgetrs_host and zgetri need a device with fp64. */
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
CLGAUSS_API clgauss_status clgauss_cgecon_host(clgauss_context context, int layout, int norm,
                                               size_t n, const void* a, size_t lda, double anorm,
                                               double* rcond);
CLGAUSS_API clgauss_status clgauss_zgecon_host(clgauss_context context, int layout, int norm,
                                               size_t n, const void* a, size_t lda, double anorm,
                                               double* rcond);

/* posv (with nrhs = 0: potrf), potrs and potri for complex numbers: a Hermitian positive definite A
 * = L L^H (CLGAUSS_LOWER) or R^H R (CLGAUSS_UPPER). Only the real parts of A's diagonal are read;
 * the diagonals of L and R, and of the inverse that potri writes, are real. posv takes 4/3 n^3
 * flops, and 8 n^2 for each right-hand side, potri 8 n^3. Checks and errors are those of the real
 * functions. zposv, zpotrs and zpotri need a device with fp64. */
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
CLGAUSS_API clgauss_status clgauss_cpotri(clgauss_context context, int layout, int uplo, size_t n,
                                          void* a, size_t lda);
CLGAUSS_API clgauss_status clgauss_zpotri(clgauss_context context, int layout, int uplo, size_t n,
                                          void* a, size_t lda);

/* LAPACK's hesv (with nrhs = 0: hetrf) and hetrs: as sysv and sytrs, for a Hermitian A = L D L^H
 * (CLGAUSS_LOWER) or U D U^H (CLGAUSS_UPPER) that may be indefinite. Only the real parts of A's
 * diagonal are read; D's diagonal is real. 4/3 n^3 flops, and 8 n^2 for each right-hand side.
 * zhesv and zhetrs need a device with fp64. */
CLGAUSS_API clgauss_status clgauss_chesv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, void* a, size_t lda, int32_t* ipiv, void* b,
                                         size_t ldb);
CLGAUSS_API clgauss_status clgauss_zhesv(clgauss_context context, int layout, int uplo, size_t n,
                                         size_t nrhs, void* a, size_t lda, int32_t* ipiv, void* b,
                                         size_t ldb);
CLGAUSS_API clgauss_status clgauss_chetrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const void* a, size_t lda,
                                          const int32_t* ipiv, void* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_zhetrs(clgauss_context context, int layout, int uplo, size_t n,
                                          size_t nrhs, const void* a, size_t lda,
                                          const int32_t* ipiv, void* b, size_t ldb);

enum {
  CLGAUSS_METHOD_AUTOMATIC = 0, /* the fastest for the device and n that gives the accuracy */
  CLGAUSS_METHOD_LU = 1,        /* in factor_type, without refinement */
  CLGAUSS_METHOD_MIXED = 2,     /* factors in float, x refined to double; lu where that fails */
  CLGAUSS_METHOD_RBT = 3,       /* the same with random butterflies instead of exchanges */
  CLGAUSS_METHOD_GAUSS = 4,     /* step by step, for experiments */
  /* A must be symmetric (complex: Hermitian) and positive definite; half the work of LU */
  CLGAUSS_METHOD_CHOLESKY = 5,
  CLGAUSS_METHOD_JACOBI = 6, /* iterations, for learning; A must be strictly diagonally dominant */
  CLGAUSS_METHOD_SEIDEL = 7,
  /* A must be symmetric (complex: Hermitian), and may be indefinite; half the work of LU */
  CLGAUSS_METHOD_LDLT = 8
};
enum {
  CLGAUSS_ACCURACY_DEFAULT = 0, /* single for functions with s and c, double for d and z */
  CLGAUSS_ACCURACY_SINGLE = 1,  /* the backward error of float */
  CLGAUSS_ACCURACY_DOUBLE = 2,  /* the backward error of double, also on devices without fp64 */
  CLGAUSS_ACCURACY_MAXIMUM = 3  /* x itself to the digits of double, where rcond allows it */
};

/* Zeros are the defaults: clgauss_solve_options options = {.struct_size = sizeof options}; Later
 * versions may add members at the end. */
typedef struct clgauss_solve_options {
  size_t struct_size;         /* sizeof(clgauss_solve_options) */
  int method;                 /* CLGAUSS_METHOD_... */
  int accuracy;               /* CLGAUSS_ACCURACY_... */
  int factor_type;            /* CLGAUSS_F32 or CLGAUSS_F64; 0: as method and accuracy need */
  int trust;                  /* not 0: estimate rcond, forward error and growth */
  int determinant;            /* not 0: compute the determinant */
  int reserved;               /* 0 */
  double max_scaled_residual; /* 0: 16, as the HPL benchmark */
  /* Called now and then with the current step and the share done, 0 to 1. A result that is not 0
   * stops the work: CLGAUSS_STOPPED. May be NULL. It must not call clgauss on the same context, nor
   * leave by longjmp. */
  int (*progress)(const char* what, double fraction, void* user);
  void* user;
} clgauss_solve_options;

/* What the estimates say about an x whose residual is small: nothing was estimated; no doubt; fewer
 * than 3 digits of x can be relied on; or A is singular to rounding, and x may have no correct
 * digit. */
enum {
  CLGAUSS_DOUBT_UNKNOWN = 0,
  CLGAUSS_DOUBT_NONE = 1,
  CLGAUSS_DOUBT_FEW_DIGITS = 2,
  CLGAUSS_DOUBT_NEARLY_SINGULAR = 3
};

/* What is known of an answer. Values that were not requested are NaN, or 0 for whole numbers. Later
 * versions may add members at the end. */
typedef struct clgauss_report {
  size_t struct_size;   /* sizeof(clgauss_report), set by the caller */
  int method;           /* that computed x: CLGAUSS_METHOD_... */
  int factor_type;      /* CLGAUSS_F32 or CLGAUSS_F64 */
  size_t failed_column; /* whose pivot is zero or not finite, counted from 1; 0: none */
  size_t corrections;   /* how often x was refined */
  /* ||b - A x|| / (||A|| ||x|| + ||b||), infinity norms, in double; of the worst right-hand side */
  double backward_error;
  double scaled_residual; /* backward_error / (eps n) */
  double rcond;           /* of A, in the 1-norm; with `trust` */
  /* a bound of ||x - x_true|| / ||x||, of the worst right-hand side; with `trust` */
  double forward_error;
  double reciprocal_growth; /* max|A| / max|U|; with `trust` */
  int correct_digits;       /* of x, by forward_error; with `trust` */
  int determinant_sign;     /* -1, 0 or 1 */
  double determinant_log10; /* det A = sign 10^log10 */
  double seconds;           /* of the solve, by the wall clock */
  /* For a complex det A its argument in radians: det A = sign 10^log10 e^(i argument), with a sign
   * of 0 or 1. */
  double determinant_argument;
  int doubt;    /* CLGAUSS_DOUBT_..., from rcond and forward_error; with `trust` */
  int reserved; /* 0 */
  /* How many eigenvalues of A have each sign, with CLGAUSS_METHOD_LDLT: their sum is n. */
  size_t positive, negative, zero;
} clgauss_report;

/* Solves A X = B for an n-by-n A and n-by-nrhs B and X, and checks X by its residual in double.
 * About 2/3 n^3 flops and 2 n^2 for each right-hand side. A and B are unchanged; X may be B.
 * `options` and `report` may be NULL. The report is also written with CLGAUSS_SINGULAR,
 * CLGAUSS_OVERFLOW and CLGAUSS_INACCURATE, and X with the last. The host copies floats, and
 * matrices that are not row-major without gaps, to doubles; the context keeps that memory, up to 2
 * GiB, for the next call. ssolve computes in float and checks x against the backward error of
 * float, unless `options` say otherwise. */
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

/* The same for complex numbers, stored as for cgesv. Methods are AUTOMATIC, LU, MIXED and, for a
 * Hermitian A, CHOLESKY and LDLT; any other is CLGAUSS_INVALID_ARGUMENT. The host always copies A
 * and B to doubles. zsolve also works without fp64, by MIXED. */
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

/* What is proven about an answer: rigorous bounds of its error, which count every rounding error;
 * they are not estimates. Later versions may add members at the end. */
typedef struct clgauss_certificate {
  size_t struct_size; /* sizeof(clgauss_certificate), set by the caller */
  int proven;         /* 1: A is not singular, and the bounds hold; else `reason` says why not */
  int reserved;       /* 0 */
  double norm_bound;  /* of || I - R A ||, R a computed inverse; below 1 if proven */
  double digits;      /* decimal digits proven of every element of X that is not 0 */
  double norm_digits; /* and of the largest element of the worst right-hand side */
  char reason[128];   /* cut off, with the terminating 0 */
} clgauss_certificate;

/* Proves how far X, any approximate solution of A X = B, can be off: |x_true - x| <= bounds,
 * element by element. A is n-by-n, B, X and `bounds` are n-by-nrhs; bounds have the layout and
 * leading dimension of X, may be NULL, and are written only if `proven`. If A is too
 * ill-conditioned for a proof, or X, A or B holds NaN or Inf, the status is CLGAUSS_OK with
 * `proven` 0. The proof takes about five LUs on a device with fp64; without fp64:
 * CLGAUSS_OPENCL. */
CLGAUSS_API clgauss_status clgauss_dcertify(clgauss_context context, int layout, size_t n,
                                            size_t nrhs, const double* a, size_t lda,
                                            const double* b, size_t ldb, const double* x,
                                            size_t ldx, double* bounds,
                                            clgauss_certificate* certificate);

/* The same for complex numbers, stored as for cgesv. `bounds` are doubles that bound the moduli of
 * X's errors, in the layout and with the leading dimension of X, counted in numbers. The proof is
 * that of a real system of order 2 n: eight times the work of dcertify and four times its memory.
 * ccertify proves bounds for A, B and X as they are in float. */
CLGAUSS_API clgauss_status clgauss_ccertify(clgauss_context context, int layout, size_t n,
                                            size_t nrhs, const void* a, size_t lda, const void* b,
                                            size_t ldb, const void* x, size_t ldx, double* bounds,
                                            clgauss_certificate* certificate);
CLGAUSS_API clgauss_status clgauss_zcertify(clgauss_context context, int layout, size_t n,
                                            size_t nrhs, const void* a, size_t lda, const void* b,
                                            size_t ldb, const void* x, size_t ldx, double* bounds,
                                            clgauss_certificate* certificate);

/* The same for an n-by-n X, any approximate inverse of A: |A^-1 - X| <= bounds, element by element,
 * for complex numbers of moduli. The products with n columns, in twice the precision, take most of
 * the time: 27 times that of dcertify with one column at n = 1000 on 2 cores. */
CLGAUSS_API clgauss_status clgauss_dcertify_inv(clgauss_context context, int layout, size_t n,
                                                const double* a, size_t lda, const double* x,
                                                size_t ldx, double* bounds,
                                                clgauss_certificate* certificate);
CLGAUSS_API clgauss_status clgauss_ccertify_inv(clgauss_context context, int layout, size_t n,
                                                const void* a, size_t lda, const void* x,
                                                size_t ldx, double* bounds,
                                                clgauss_certificate* certificate);
CLGAUSS_API clgauss_status clgauss_zcertify_inv(clgauss_context context, int layout, size_t n,
                                                const void* a, size_t lda, const void* x,
                                                size_t ldx, double* bounds,
                                                clgauss_certificate* certificate);

/* What is proven about det A. Later versions may add members at the end. */
typedef struct clgauss_det_certificate {
  size_t struct_size; /* sizeof(clgauss_det_certificate), set by the caller */
  int proven;         /* 1: A is not singular, and what follows holds; else `reason` says why not */
  int sign;           /* of a real det A: 1 or -1; 0 unless proven, and for a complex one */
  double log10_low;   /* log10_low <= log10 |det A| <= log10_high; NaN unless proven */
  double log10_high;
  double norm_bound; /* of what shows that A is not singular; below 1 if proven */
  char reason[128];  /* cut off, with the terminating 0 */
  /* | det A / |det A| - phase | <= phase_bound < 1, with the real part of phase before the
   * imaginary one; of a real A, phase is sign and the bound 0. Unless proven, 0 and infinity. */
  double phase[2];
  double phase_bound;
} clgauss_det_certificate;

/* Proves the sign of the determinant of an n-by-n A, and encloses its magnitude; n = 0: 1. If A is
 * too ill-conditioned for a proof, singular, or holds NaN or Inf, the status is CLGAUSS_OK with
 * `proven` 0. The proof takes five to ten LUs, and five n-by-n matrices of double on a device with
 * fp64; without fp64: CLGAUSS_OPENCL. */
CLGAUSS_API clgauss_status clgauss_dcertify_det(clgauss_context context, int layout, size_t n,
                                                const double* a, size_t lda,
                                                clgauss_det_certificate* certificate);

/* The same for complex numbers, stored as for cgesv: proves the phase of the determinant, and
 * encloses its modulus. The proof takes ten to twenty complex LUs, and twenty n-by-n matrices
 * of double. ccertify_det proves the determinant of A as it is in float. */
CLGAUSS_API clgauss_status clgauss_ccertify_det(clgauss_context context, int layout, size_t n,
                                                const void* a, size_t lda,
                                                clgauss_det_certificate* certificate);
CLGAUSS_API clgauss_status clgauss_zcertify_det(clgauss_context context, int layout, size_t n,
                                                const void* a, size_t lda,
                                                clgauss_det_certificate* certificate);

/* X_s = A_s^-1 B_s for `batch` systems of one n, 1 to 2048, in one call. Matrix s begins `stride`
 * elements after matrix s - 1. A is unchanged, B becomes X. info has `batch` numbers. info[s] is 0;
 * or the first column, from 1, whose pivot is zero or not finite; or -1 if numbers left the range
 * of the type. If it is not 0, X_s is NaN. The status is that of the worst system; B and info are
 * also written with CLGAUSS_SINGULAR, CLGAUSS_OVERFLOW and CLGAUSS_INACCURATE. The inverses of a
 * batch are its solution with B_s = I:
 *   clgauss_dgesv_batched(context, CLGAUSS_ROW_MAJOR, n, n, a, n, n * n, b, n, n * n, batch, info);
 * makes B_s = A_s^-1 of identities. dgesv_batched needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgesv_batched(clgauss_context context, int layout, size_t n,
                                                 size_t nrhs, const float* a, size_t lda,
                                                 size_t stride_a, float* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);
CLGAUSS_API clgauss_status clgauss_dgesv_batched(clgauss_context context, int layout, size_t n,
                                                 size_t nrhs, const double* a, size_t lda,
                                                 size_t stride_a, double* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);

/* The same for complex numbers, stored as for cgesv, with n up to 256. Leading dimensions and
 * strides count complex numbers. */
CLGAUSS_API clgauss_status clgauss_cgesv_batched(clgauss_context context, int layout, size_t n,
                                                 size_t nrhs, const void* a, size_t lda,
                                                 size_t stride_a, void* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);
CLGAUSS_API clgauss_status clgauss_zgesv_batched(clgauss_context context, int layout, size_t n,
                                                 size_t nrhs, const void* a, size_t lda,
                                                 size_t stride_a, void* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);

/* The same by Cholesky, for symmetric (complex: Hermitian) positive definite A_s, of which the
 * triangle `uplo` is read, and the real parts of a complex diagonal. n^3 / 3 + 2 n^2 nrhs flops for
 * each system, four times as many with complex numbers. info[s] is 0; or the first column, from 1,
 * whose pivot is not a positive number (CLGAUSS_SINGULAR); or -1 if numbers left the range of the
 * type. n is up to 2048, with complex numbers up to 256. */
CLGAUSS_API clgauss_status clgauss_sposv_batched(clgauss_context context, int layout, int uplo,
                                                 size_t n, size_t nrhs, const float* a, size_t lda,
                                                 size_t stride_a, float* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);
CLGAUSS_API clgauss_status clgauss_dposv_batched(clgauss_context context, int layout, int uplo,
                                                 size_t n, size_t nrhs, const double* a, size_t lda,
                                                 size_t stride_a, double* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);
CLGAUSS_API clgauss_status clgauss_cposv_batched(clgauss_context context, int layout, int uplo,
                                                 size_t n, size_t nrhs, const void* a, size_t lda,
                                                 size_t stride_a, void* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);
CLGAUSS_API clgauss_status clgauss_zposv_batched(clgauss_context context, int layout, int uplo,
                                                 size_t n, size_t nrhs, const void* a, size_t lda,
                                                 size_t stride_a, void* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);

/* The same by L D L^T with the pivots of Bunch and Kaufman, for symmetric A_s that may be indefinite,
 * n up to 256. n^3 / 3 + 2 n^2 nrhs flops for each system. info[s] is as for gesv_batched. */
CLGAUSS_API clgauss_status clgauss_ssysv_batched(clgauss_context context, int layout, int uplo,
                                                 size_t n, size_t nrhs, const float* a, size_t lda,
                                                 size_t stride_a, float* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);
CLGAUSS_API clgauss_status clgauss_dsysv_batched(clgauss_context context, int layout, int uplo,
                                                 size_t n, size_t nrhs, const double* a, size_t lda,
                                                 size_t stride_a, double* b, size_t ldb,
                                                 size_t stride_b, size_t batch, int32_t* info);

/* X_s = A_s^-1 B_s for `batch` systems of different n and nrhs in one call, sorted inside into
 * groups of similar n. Each array has an element for every system; a[s] is n[s]-by-n[s], b[s]
 * n[s]-by-nrhs[s]. A is unchanged, B becomes X. info, X_s and the status are as for gesv_batched;
 * n may be 0 or exceed 2048; the largest are solved one after the other. Invalid arguments of one
 * system fail the whole call before anything is written. dgesv_vbatched needs a device with fp64. */
CLGAUSS_API clgauss_status clgauss_sgesv_vbatched(clgauss_context context, int layout,
                                                  const size_t* n, const size_t* nrhs,
                                                  const float* const* a, const size_t* lda,
                                                  float* const* b, const size_t* ldb, size_t batch,
                                                  int32_t* info);
CLGAUSS_API clgauss_status clgauss_dgesv_vbatched(clgauss_context context, int layout,
                                                  const size_t* n, const size_t* nrhs,
                                                  const double* const* a, const size_t* lda,
                                                  double* const* b, const size_t* ldb, size_t batch,
                                                  int32_t* info);

/* Writes ||A||_1 of a rows-by-columns matrix, for clgauss_lu_rcond(); NaN if A holds a NaN. */
CLGAUSS_API clgauss_status clgauss_snorm1(int layout, size_t rows, size_t columns, const float* a,
                                          size_t lda, double* norm);
CLGAUSS_API clgauss_status clgauss_dnorm1(int layout, size_t rows, size_t columns, const double* a,
                                          size_t lda, double* norm);

/* ---- Factorisations -------------------------------------------------------------------------- */

/* Factors of an n-by-n matrix on the device, and the workspace for them. One handle factors one
 * matrix after the other. */
typedef struct clgauss_lu_handle* clgauss_lu;

/* `type` is CLGAUSS_F32 for the functions with s, CLGAUSS_F64 for those with d. */
CLGAUSS_API clgauss_status clgauss_lu_create(clgauss_context context, int type, size_t n,
                                             clgauss_lu* lu);
CLGAUSS_API clgauss_status clgauss_lu_destroy(clgauss_lu lu); /* NULL does nothing */

/* Factors an n-by-n host matrix on the device; A is unchanged. 2/3 n^3 flops. A zero pivot is no
 * error here: clgauss_lu_failed_column() finds it. */
CLGAUSS_API clgauss_status clgauss_sgetrf(clgauss_lu lu, int layout, const float* a, size_t lda);
CLGAUSS_API clgauss_status clgauss_dgetrf(clgauss_lu lu, int layout, const double* a, size_t lda);

/* B <- A^-1 B or A^-T B, n-by-nrhs, in host memory. 2 n^2 nrhs flops. CLGAUSS_SINGULAR: B is
 * unchanged. */
CLGAUSS_API clgauss_status clgauss_sgetrs(clgauss_lu lu, int layout, int trans, size_t nrhs,
                                          float* b, size_t ldb);
CLGAUSS_API clgauss_status clgauss_dgetrs(clgauss_lu lu, int layout, int trans, size_t nrhs,
                                          double* b, size_t ldb);

/* The same on cl_mem: element (1, 1) of the matrix is number `offset` of the buffer. The work is
 * enqueued on `queue` (in order, of the context and its device; NULL: the context's own queue)
 * after the `events_in_wait_list` events of `wait_list`; the call does not wait. `event`, unless
 * NULL, becomes an event of the operation's end, for clReleaseEvent(), or NULL if the call fails.
 *
 * getrf_buffer factors A in place; the buffer stays in use as long as the factors do. In row-major
 * it then holds L and U of P A = L U. In column-major the buffer is A^T row by row and is not
 * transposed: it holds the factors of P A^T = L U, with which getrs_buffer solves for A as well. A
 * singular A makes B NaN. In column-major nrhs > 1 needs a copy of B on the device. */
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

/* gesv_batched on cl_mem, row-major: element (i, j) of matrix s is number offset + s stride + i ld
 * + j. info is a buffer of `batch` int32_t, from its beginning: 0, or the first column, from 1,
 * whose pivot is zero or not finite; then X_s is NaN. The call does not wait. */
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

/* The same for complex numbers, as in cgesv_batched: offsets, too, count complex numbers. */
CLGAUSS_API clgauss_status clgauss_cgesv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);
CLGAUSS_API clgauss_status clgauss_zgesv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);

/* posv_batched on cl_mem, row-major as gesv_batched_buffer. Only the lower triangles are read, and
 * of a complex diagonal the real parts. info: 0, or the first column, from 1, whose pivot is not
 * positive; then X_s is NaN. */
CLGAUSS_API clgauss_status clgauss_sposv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);
CLGAUSS_API clgauss_status clgauss_dposv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);
CLGAUSS_API clgauss_status clgauss_cposv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);
CLGAUSS_API clgauss_status clgauss_zposv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);

/* sysv_batched on cl_mem, row-major as gesv_batched_buffer, n up to 256. Only the lower triangles are
 * read. info is as for gesv_batched_buffer. */
CLGAUSS_API clgauss_status clgauss_ssysv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);
CLGAUSS_API clgauss_status clgauss_dsysv_batched_buffer(
    clgauss_context context, size_t n, size_t nrhs, struct _cl_mem* a, size_t offset_a, size_t lda,
    size_t stride_a, struct _cl_mem* b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch,
    struct _cl_mem* info, struct _cl_command_queue* queue, uint32_t events_in_wait_list,
    struct _cl_event* const* wait_list, struct _cl_event** event);

/* Writes the first column, from 1, whose pivot is zero or NaN (the row of A if the buffer was
 * column-major); 0: none. Waits for the factorisation. */
CLGAUSS_API clgauss_status clgauss_lu_failed_column(clgauss_lu lu, size_t* column);

/* Writes n numbers: ipiv[i] is the row, from 1, that was exchanged with row i + 1 (the column if
 * the buffer was column-major). Waits for the factorisation. */
CLGAUSS_API clgauss_status clgauss_lu_pivots(clgauss_lu lu, int32_t* ipiv);

/* LAPACK's gecon: writes an estimate of 1 / (||A||_1 ||A^-1||_1) from the factors and anorm =
 * ||A||_1; 0 for a singular A. Waits. */
CLGAUSS_API clgauss_status clgauss_lu_rcond(clgauss_lu lu, double anorm, double* rcond);

#ifdef __cplusplus
}
#endif
#endif
