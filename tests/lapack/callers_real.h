/* Included by callers.h, for the real types. */

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
    T(cholesky)("L", sizes[s], 1, sizes[s], sizes[s]);
    T(cholesky)("U", sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
  }
}
