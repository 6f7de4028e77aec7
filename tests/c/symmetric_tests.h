/* Included by typed_tests.h, once for each type: sysv and sytrs. */

/* Ones across outweigh the rest: pivots of two columns; a few large numbers on the diagonal, of both
 * signs: pivots of one. */
static double T(indefinite)(size_t n, size_t i, size_t j) {
  const size_t low = i < j ? i : j, high = i < j ? j : i;
  const double small = (double)((3 * low + 5 * high) % 7) - 3;
  if (low % 5 == 1 && i == j) return small + (low % 2 == 0 ? 12.0 : -12.0) * (double)n;
  return small + (i + j == n - 1 ? 8.0 * (double)n : 0);
}

/* One triangle of A, 77 in the other, and B = A X. */
static void T(fill_indefinite)(int layout, int uplo, size_t n, REAL* a, REAL* b, size_t ld) {
  for (size_t i = 0; i < n * ld; ++i) a[i] = b[i] = PAD;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j)
      a[at(layout, i, j, ld)] =
          (REAL)((uplo == CLGAUSS_LOWER ? j <= i : j >= i) ? T(indefinite)(n, i, j) : 77);
    for (size_t c = 0; c < NRHS; ++c) {
      double sum = 0;
      for (size_t k = 0; k < n; ++k) sum += T(side)(k, c) * T(indefinite)(n, i, k);
      b[at(layout, i, c, ld)] = (REAL)sum;
    }
  }
}

/* What is not the caller's triangle is as it was. */
static void T(expect_rest)(int layout, int uplo, size_t n, const REAL* a, size_t ld) {
  for (size_t i = 0; i < n; ++i) {
    EXPECT(a[i * ld + n] == PAD && a[i * ld + n + 1] == PAD);
    for (size_t j = 0; j < i; ++j)
      EXPECT(a[uplo == CLGAUSS_LOWER ? at(layout, j, i, ld) : at(layout, i, j, ld)] == 77);
  }
}

static void T(test_symmetric_of)(clgauss_context context, int layout, int uplo, size_t n) {
  const size_t ld = n + 2, bytes = n * ld * sizeof(REAL);
  REAL *const a = malloc(bytes), *const b = malloc(bytes), *const was = malloc(bytes);
  int32_t* const ipiv = malloc(n * sizeof *ipiv);
  T(fill_indefinite)(layout, uplo, n, a, b, ld);
  EXPECT_STATUS(CLGAUSS_OK, P(sysv)(context, layout, uplo, n, NRHS, a, ld, ipiv, b, ld));
  EXPECT(T(is_side)(layout, n, b, ld));
  T(expect_rest)(layout, uplo, n, a, ld);
  int two = 0;
  for (size_t k = 0; k < n; ++k) {
    EXPECT(ipiv[k] != 0 && (size_t)abs(ipiv[k]) <= n);
    two += ipiv[k] < 0;
  }
  EXPECT(two % 2 == 0 && two > 0);
  memcpy(was, a, bytes);
  T(fill_indefinite)(layout, uplo, n, a, b, ld);
  memcpy(a, was, bytes);
  EXPECT_STATUS(CLGAUSS_OK, P(sytrs)(context, layout, uplo, n, NRHS, a, ld, ipiv, b, ld));
  EXPECT(T(is_side)(layout, n, b, ld) && memcmp(a, was, bytes) == 0);
  const int32_t first = ipiv[0];
  const int32_t bad[] = {0, (int32_t)n + 1, -(int32_t)n - 1};
  for (int k = 0; k < 3; ++k) {
    ipiv[0] = bad[k];
    EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                  P(sytrs)(context, layout, uplo, n, NRHS, a, ld, ipiv, b, ld));
    EXPECT_MESSAGE("ipiv[");
  }
  ipiv[0] = first;

  T(fill_indefinite)(layout, uplo, n, a, b, ld); /* a column of zeros: the factors are there */
  for (size_t k = 0; k < n; ++k)
    a[uplo == CLGAUSS_LOWER ? (k >= 2 ? at(layout, k, 2, ld) : at(layout, 2, k, ld))
                            : (k >= 2 ? at(layout, 2, k, ld) : at(layout, k, 2, ld))] = 0;
  memcpy(was, b, bytes);
  EXPECT_STATUS(CLGAUSS_SINGULAR, P(sysv)(context, layout, uplo, n, NRHS, a, ld, ipiv, b, ld));
  EXPECT(memcmp(b, was, bytes) == 0);
  T(expect_rest)(layout, uplo, n, a, ld);
  EXPECT_STATUS(CLGAUSS_SINGULAR, P(sytrs)(context, layout, uplo, n, NRHS, a, ld, ipiv, b, ld));
  EXPECT_MESSAGE("column ");
  EXPECT(memcmp(b, was, bytes) == 0);

  T(fill_indefinite)(layout, uplo, n, a, b, ld);
  a[2 * (ld + 1)] = (REAL)NAN;
  memcpy(was, a, bytes);
  ipiv[0] = 5;
  EXPECT_STATUS(CLGAUSS_OVERFLOW, P(sysv)(context, layout, uplo, n, NRHS, a, ld, ipiv, b, ld));
  EXPECT(memcmp(a, was, bytes) == 0 && ipiv[0] == 5);
  free(a), free(b), free(was), free(ipiv);
}

static void T(test_symmetric)(clgauss_context context) {
  REAL a[N * LDA], b[LDB * LDB];
  int32_t ipiv[N];
  static const size_t kSizes[] = {5, 64, 150};
  for (size_t s = 0; s < sizeof kSizes / sizeof kSizes[0]; ++s)
    for (int l = 0; l < 2; ++l)
      for (int uplo = CLGAUSS_LOWER; uplo <= CLGAUSS_UPPER; ++uplo)
        T(test_symmetric_of)(context, kLayouts[l], uplo, kSizes[s]);
  T(fill)(CLGAUSS_ROW_MAJOR, a, b, 0);
  EXPECT_STATUS(CLGAUSS_OK, P(sysv)(context, 101, CLGAUSS_LOWER, 0, 1, NULL, 1, NULL, NULL, 1));
  EXPECT_STATUS(CLGAUSS_OK, P(sytrs)(context, 101, CLGAUSS_UPPER, N, 0, a, LDA, ipiv, NULL, 0));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                P(sysv)(NULL, 101, CLGAUSS_LOWER, N, NRHS, a, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_HANDLE,
                P(sytrs)(NULL, 101, CLGAUSS_LOWER, N, NRHS, a, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(sysv)(context, 101, 'L', N, NRHS, a, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(sysv)(context, 101, CLGAUSS_LOWER, N, NRHS, a, LDA, NULL, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                P(sytrs)(context, 101, CLGAUSS_LOWER, N, NRHS, a, LDA, NULL, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_INPUT,
                P(sysv)(context, 101, CLGAUSS_LOWER, N, NRHS, a, N - 1, ipiv, b, LDB));
}
