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

/* One triangle of A, with zeros on its diagonal. */
static void T(symmetric)(const char* uplo, int n, int nrhs, int lda, int ldb) {
  const int is_lower = *uplo == 'L' || *uplo == 'l';
  NUMBER *const a = T(matrix)(n, n, lda), *const b = T(matrix)(n, nrhs, ldb);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) {
      if (i == j && n > 1 && i % 3 > 0) a[j * lda + i] = 0;
      a[i * lda + j] = a[j * lda + i];
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
  L(sytrf)(uplo, &n, ldl, &lda, ipiv, &best, &size, &info, 1);
  EXPECT(info == 0 && best >= 1);
  L(sysv)(uplo, &n, &nrhs, factors, &lda, ipiv, x, &ldb, &best, &size, &info, 1);
  EXPECT(info == 0 && best >= 1 && memcmp(x, b, bytes) == 0);
  size = (int)best;
  NUMBER* const work = malloc(sizeof *work * (size_t)size);
  L(sysv)(uplo, &n, &nrhs, factors, &lda, ipiv, x, &ldb, work, &size, &info, 1);
  EXPECT(info == 0 && work[0] == best);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  EXPECT(T(is_padded)(x, n, nrhs, ldb));
  L(sytrf)(uplo, &n, ldl, &lda, ipiv, work, &size, &info, 1);
  EXPECT(info == 0 && work[0] >= 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < lda; ++i)
      if (i >= n || (is_lower ? i < j : i > j))
        EXPECT(ldl[j * lda + i] == (NUMBER)PAD && factors[j * lda + i] == (NUMBER)PAD);
  memcpy(x, b, bytes);
  memcpy(factors, ldl, sizeof *ldl * (size_t)lda * (size_t)n);
  L(sytrs)(uplo, &n, &nrhs, ldl, &lda, ipiv, x, &ldb, &info, 1);
  EXPECT(info == 0);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  EXPECT(T(is_padded)(x, n, nrhs, ldb));
  EXPECT(memcmp(ldl, factors, sizeof *ldl * (size_t)lda * (size_t)n) == 0);

  /* Singular: the factors are complete, X is not touched. */
  const int column = T(fill_singular)(is_lower, n, factors, lda);
  memcpy(ldl, factors, sizeof *ldl * (size_t)lda * (size_t)n);
  L(sytrf)(uplo, &n, ldl, &lda, ipiv, work, &size, &info, 1);
  EXPECT(info == column);
  for (int at = 0; at < n * lda; ++at) EXPECT(ldl[at] == factors[at]); /* 0 or -0 */
  for (int k = 0; k < n; ++k) EXPECT((ipiv[k] < 0) == (is_lower ? k < column - 1 : k >= column));
  memcpy(x, b, bytes);
  L(sysv)(uplo, &n, &nrhs, factors, &lda, ipiv, x, &ldb, work, &size, &info, 1);
  EXPECT(info == column && memcmp(x, b, bytes) == 0);

  complaints = 0;
  size = 0;
  L(sytrf)(uplo, &n, ldl, &lda, ipiv, work, &size, &info, 1);
  EXPECT(info == -7 && complaints == 1);
  L(sysv)(uplo, &n, &nrhs, ldl, &lda, ipiv, x, &ldb, work, &size, &info, 1);
  EXPECT(info == -10 && complaints == 2);
  L(sytrs)("x", &n, &nrhs, ldl, &lda, ipiv, x, &ldb, &info, 1);
  EXPECT(info == -1 && complaints == 3);
  free(a), free(b), free(given), free(factors), free(ldl), free(x), free(ipiv), free(work);
}

/* Each routine once. */
static void T(each_real)(int n) {
  T(condition)(n, n + 2);
  T(symmetric)("L", n, 3, n + 3, n + 1);
  T(symmetric)("U", n, 1, n, n);
}

static void T(test_real)(void) {
  const int sizes[] = {1, 2, 5, 33, 100, 129, 257, 400};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    T(condition)(sizes[s], sizes[s] + 2);
    T(symmetric)("L", sizes[s], 1, sizes[s], sizes[s]);
    T(symmetric)("l", sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
    T(symmetric)("U", sizes[s], 1, sizes[s], sizes[s]);
    T(symmetric)("u", sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
  }
}
