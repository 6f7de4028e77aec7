/* Included by callers.h, for the real types. */

/* rcond in both norms, against the inverse. */
static void T(condition)(int n, int lda) {
  NUMBER *const a = T(matrix)(n, n, lda), *const lu = T(copied)(a, n, lda);
  NUMBER* const work = malloc(4 * sizeof *work * (size_t)n);
  int *const ipiv = malloc(sizeof *ipiv * (size_t)n), *const iwork =
                                                          malloc(sizeof *iwork * (size_t)n);
  int info = -77;
  L(getrf)(&n, &n, lu, &lda, ipiv, &info);
  NUMBER *const factors = T(copied)(lu, n, lda), *const x = T(copied)(lu, n, lda);
  L(getri)(&n, x, &lda, ipiv, work, &n, &info);
  for (const char* norm = "1oOiI"; *norm != '\0'; ++norm) {
    const int is_one = *norm != 'i' && *norm != 'I';
    double largest = 0, largest_x = 0;
    for (int j = 0; j < n; ++j) {
      double sum = 0, sum_x = 0;
      for (int i = 0; i < n; ++i) {
        const int at = is_one ? j * lda + i : i * lda + j;
        sum += fabs((double)a[at]);
        sum_x += fabs((double)x[at]);
      }
      largest = fmax(largest, sum);
      largest_x = fmax(largest_x, sum_x);
    }
    NUMBER anorm = (NUMBER)largest, rcond = PAD;
    L(gecon)(norm, &n, lu, &lda, &anorm, &rcond, work, iwork, &info, 1);
    const double product = (double)rcond * largest * largest_x;
    EXPECT(info == 0 && product > 0.99 - 1e4 * EPS && product < 10);
  }
  EXPECT(memcmp(lu, factors, sizeof *lu * (size_t)lda * (size_t)n) == 0);
  NUMBER anorm = 1, rcond = PAD;
  lu[n / 2 * (lda + 1)] = 0;
  L(gecon)("1", &n, lu, &lda, &anorm, &rcond, work, iwork, &info, 1);
  EXPECT(rcond == 0);
  anorm = 0;
  L(gecon)("1", &n, factors, &lda, &anorm, &rcond, work, iwork, &info, 1);
  EXPECT(info == 0 && rcond == 0);
  complaints = 0;
  L(gecon)("x", &n, lu, &lda, &anorm, &rcond, work, iwork, &info, 1);
  EXPECT(info == -1 && complaints == 1);
  anorm = -1;
  L(gecon)("1", &n, lu, &lda, &anorm, &rcond, work, iwork, &info, 1);
  EXPECT(info == -5 && complaints == 2);
  free(a), free(lu), free(work), free(ipiv), free(iwork), free(factors), free(x);
}

static void T(cholesky)(const char* uplo, int n, int nrhs, int lda, int ldb) {
  NUMBER *const a = T(matrix)(n, n, lda), *const b = T(matrix)(n, nrhs, ldb);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i)
      a[j * lda + i] = a[i * lda + j] = i == j ? (NUMBER)(2 * n) : a[j * lda + i];
  NUMBER *const given = T(copied)(a, n, lda), *const x = T(copied)(b, nrhs, ldb);
  for (int j = 0; j < n; ++j) /* the other triangle is nobody's */
    for (int i = 0; i < n; ++i)
      if (*uplo == 'L' ? i < j : i > j) given[j * lda + i] = (NUMBER)PAD;
  NUMBER *const factors = T(copied)(given, n, lda), *const r = T(copied)(given, n, lda);
  int info = -77;
  L(posv)(uplo, &n, &nrhs, factors, &lda, x, &ldb, &info, 1);
  EXPECT(info == 0);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  L(potrf)(uplo, &n, r, &lda, &info, 1);
  EXPECT(info == 0);
  memcpy(x, b, sizeof *b * (size_t)ldb * (size_t)nrhs);
  L(potrs)(uplo, &n, &nrhs, r, &lda, x, &ldb, &info, 1);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  NUMBER* const inverse = T(copied)(r, n, lda);
  L(potri)(uplo, &n, inverse, &lda, &info, 1);
  EXPECT(info == 0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < lda; ++i)
      if (i >= n || (*uplo == 'L' ? i < j : i > j)) {
        EXPECT(inverse[j * lda + i] == (NUMBER)PAD);
        if (i < n) inverse[j * lda + i] = inverse[i * lda + j];
      }
  EXPECT(T(inverse_residual)(n, a, lda, inverse, lda) < BOUND);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < lda; ++i)
      if (i >= n || (*uplo == 'L' ? i < j : i > j))
        EXPECT(r[j * lda + i] == (NUMBER)PAD && factors[j * lda + i] == (NUMBER)PAD);
  /* Not positive definite, and no factor: LAPACK's info. */
  const int bad = n / 2;
  r[bad * (lda + 1)] = 0;
  L(potri)(uplo, &n, r, &lda, &info, 1);
  EXPECT(info == bad + 1);
  memcpy(r, given, sizeof *r * (size_t)lda * (size_t)n);
  r[bad * (lda + 1)] = -1;
  L(potrf)(uplo, &n, r, &lda, &info, 1);
  EXPECT(info == bad + 1);
  free(a), free(b), free(given), free(x), free(factors), free(r), free(inverse);
}

static void T(test_real)(void) {
  const int sizes[] = {1, 2, 5, 33, 100, 129, 257, LARGEST};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    T(condition)(sizes[s], sizes[s] + 2);
    T(cholesky)("L", sizes[s], 1, sizes[s], sizes[s]);
    T(cholesky)("U", sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
  }
}
