/* Included by callers.h: L D L^T of symmetric matrices, of complex numbers L D L^H of Hermitian
 * ones. */

/* Pivots of two columns with zeros on D's diagonal, and then, from the column on that LAPACK's info
 * names, zeros alone. */
static int T(fill_singular)(int is_lower, int n, NUMBER* a, int lda) {
  const int rank = n / 4 * 2;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int p = is_lower ? i : n - 1 - i, q = is_lower ? j : n - 1 - j;
      if (p >= q) a[j * lda + i] = p / 2 == q / 2 && p != q && p < rank;
    }
  return is_lower ? rank + 1 : n - rank;
}

/* One triangle of A, with zeros on its diagonal, which is real. */
static void T(symmetric)(const char* uplo, int n, int nrhs, int lda, int ldb) {
  const int is_lower = *uplo == 'L' || *uplo == 'l';
  NUMBER *const a = T(matrix)(n, n, lda), *const b = T(matrix)(n, nrhs, ldb);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) {
      if (i == j) a[j * lda + i] = n > 1 && i % 3 > 0 ? 0 : (REAL)REAL_PART(a[j * lda + i]);
      a[i * lda + j] = CONJUGATE(a[j * lda + i]);
    }
  NUMBER* const given = T(copied)(a, n, lda);
  for (int j = 0; j < n; ++j) /* the other triangle is nobody's */
    for (int i = 0; i < n; ++i)
      if (is_lower ? i < j : i > j) given[j * lda + i] = (NUMBER)PAD;
  NUMBER *const factors = T(copied)(given, n, lda), *const ldl = T(copied)(given, n, lda);
  NUMBER *const x = T(copied)(b, nrhs, ldb), best = 0;
  const size_t bytes = sizeof *x * (size_t)ldb * (size_t)nrhs;
  int* const ipiv = malloc(sizeof *ipiv * (size_t)n);
  int info = -77, size = -1;
  S(trf)(uplo, &n, ldl, &lda, ipiv, &best, &size, &info, 1);
  EXPECT(info == 0 && REAL_PART(best) >= 1);
  S(sv)(uplo, &n, &nrhs, factors, &lda, ipiv, x, &ldb, &best, &size, &info, 1);
  EXPECT(info == 0 && REAL_PART(best) >= 1 && memcmp(x, b, bytes) == 0);
  size = (int)REAL_PART(best);
  NUMBER* const work = malloc(sizeof *work * (size_t)size);
  S(sv)(uplo, &n, &nrhs, factors, &lda, ipiv, x, &ldb, work, &size, &info, 1);
  EXPECT(info == 0 && work[0] == best);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  EXPECT(T(is_padded)(x, n, nrhs, ldb));
  S(trf)(uplo, &n, ldl, &lda, ipiv, work, &size, &info, 1);
  EXPECT(info == 0 && REAL_PART(work[0]) >= 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < lda; ++i)
      if (i >= n || (is_lower ? i < j : i > j))
        EXPECT(ldl[j * lda + i] == (NUMBER)PAD && factors[j * lda + i] == (NUMBER)PAD);
  memcpy(x, b, bytes);
  memcpy(factors, ldl, sizeof *ldl * (size_t)lda * (size_t)n);
  S(trs)(uplo, &n, &nrhs, ldl, &lda, ipiv, x, &ldb, &info, 1);
  EXPECT(info == 0);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  EXPECT(T(is_padded)(x, n, nrhs, ldb));
  EXPECT(memcmp(ldl, factors, sizeof *ldl * (size_t)lda * (size_t)n) == 0);

  /* Singular: the factors are complete, X is not touched. */
  const int column = T(fill_singular)(is_lower, n, factors, lda);
  memcpy(ldl, factors, sizeof *ldl * (size_t)lda * (size_t)n);
  S(trf)(uplo, &n, ldl, &lda, ipiv, work, &size, &info, 1);
  EXPECT(info == column);
  for (int at = 0; at < n * lda; ++at) EXPECT(ldl[at] == factors[at]); /* 0 or -0 */
  for (int k = 0; k < n; ++k) EXPECT((ipiv[k] < 0) == (is_lower ? k < column - 1 : k >= column));
  memcpy(x, b, bytes);
  S(sv)(uplo, &n, &nrhs, factors, &lda, ipiv, x, &ldb, work, &size, &info, 1);
  EXPECT(info == column && memcmp(x, b, bytes) == 0);

  /* Pivots that sytrf never writes say nothing about the device. */
  for (int k = 0; k < n; ++k) ipiv[k] = is_lower ? 1 : n;
  for (int calls = 0; calls < 3; ++calls) {
    S(trs)(uplo, &n, &nrhs, ldl, &lda, ipiv, x, &ldb, &info, 1);
    EXPECT(info == 0);
  }

  complaints = 0;
  size = 0;
  S(trf)(uplo, &n, ldl, &lda, ipiv, work, &size, &info, 1);
  EXPECT(info == -7 && complaints == 1);
  S(sv)(uplo, &n, &nrhs, ldl, &lda, ipiv, x, &ldb, work, &size, &info, 1);
  EXPECT(info == -10 && complaints == 2);
  S(trs)("x", &n, &nrhs, ldl, &lda, ipiv, x, &ldb, &info, 1);
  EXPECT(info == -1 && complaints == 3);
  free(a), free(b), free(given), free(factors), free(ldl), free(x), free(ipiv), free(work);
}
