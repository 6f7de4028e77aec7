/* Included by callers.h, for the real types. */

/* ||I - A X||_1 / (||A||_1 ||X||_1 eps n), as LAPACK's own tests have it, of the worst column. */
static double T(inverse_residual)(int n, const NUMBER* a, int lda, const NUMBER* x, int ldx) {
  NUMBER* const identity = T(matrix)(n, n, ldx);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) identity[j * ldx + i] = i == j;
  const double ratio = T(residual)(n, n, a, lda, x, identity, ldx);
  free(identity);
  return ratio / n;
}

/* getrf of a matrix that is not square: ||P A - L U||_1 is small, and so is L. */
static void T(factor)(int m, int n, int lda) {
  const int steps = m < n ? m : n, zero = steps / 2;
  NUMBER *const a = T(matrix)(m, n, lda), *const lu = T(copied)(a, n, lda);
  int* const ipiv = malloc(sizeof *ipiv * (size_t)steps);
  int info = -77;
  double worst = 0, norm = 0, largest = 0;
  L(getrf)(&m, &n, lu, &lda, ipiv, &info);
  EXPECT(info == 0);
  for (int j = 0; j < n; ++j) {
    double off = 0, sum = 0;
    for (int k = 0; k < steps; ++k) {
      const NUMBER swapped = a[j * lda + k];
      a[j * lda + k] = a[j * lda + ipiv[k] - 1];
      a[j * lda + ipiv[k] - 1] = swapped;
    }
    for (int i = 0; i < m; ++i) {
      double r = (double)a[j * lda + i];
      sum += fabs(r);
      for (int k = 0; k <= i && k <= j; ++k)
        r -= (k == i ? 1 : (double)lu[k * lda + i]) * (double)lu[j * lda + k];
      off += fabs(r);
      if (i > j) largest = fmax(largest, fabs((double)lu[j * lda + i]));
    }
    norm = fmax(norm, sum);
    worst = isnan(off) ? INFINITY : fmax(worst, off);
  }
  EXPECT(worst < BOUND * n * norm * EPS);
  EXPECT(largest <= 1 + 4 * EPS);
  EXPECT(T(is_padded)(lu, m, n, lda));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) lu[j * lda + i] = j == zero ? 0 : a[j * lda + i];
  L(getrf)(&m, &n, lu, &lda, ipiv, &info);
  EXPECT(info == zero + 1);
  complaints = 0;
  lda = m - 1;
  L(getrf)(&m, &n, lu, &lda, ipiv, &info);
  EXPECT(m == 1 || (info == -4 && complaints == 1));
  free(a), free(lu), free(ipiv);
}

/* What goes on with the factors of an LU. */
static void T(invert)(int n, int nrhs, int lda, int ldb) {
  NUMBER *const a = T(matrix)(n, n, lda), *const turned = T(copied)(a, n, lda);
  NUMBER *const b = T(matrix)(n, nrhs, ldb), *const x = T(copied)(b, nrhs, ldb);
  NUMBER *const lu = T(copied)(a, n, lda), best = 0;
  int* const ipiv = malloc(sizeof *ipiv * (size_t)n);
  int info = -77, size = -1;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) turned[j * lda + i] = a[i * lda + j];
  L(getrf)(&n, &n, lu, &lda, ipiv, &info);
  NUMBER *const factors = T(copied)(lu, n, lda), *const work = malloc(sizeof *work * (size_t)n);
  L(getrs)("N", &n, &nrhs, lu, &lda, ipiv, x, &ldb, &info, 1);
  EXPECT(info == 0);
  EXPECT(T(residual)(n, nrhs, a, lda, x, b, ldb) < BOUND);
  for (const char* trans = "TtCc"; *trans != '\0'; ++trans) {
    memcpy(x, b, sizeof *b * (size_t)ldb * (size_t)nrhs);
    L(getrs)(trans, &n, &nrhs, lu, &lda, ipiv, x, &ldb, &info, 1);
    EXPECT(info == 0);
    EXPECT(T(residual)(n, nrhs, turned, lda, x, b, ldb) < BOUND);
  }
  EXPECT(T(is_padded)(x, n, nrhs, ldb));
  EXPECT(memcmp(lu, factors, sizeof *lu * (size_t)lda * (size_t)n) == 0);

  L(getri)(&n, lu, &lda, ipiv, &best, &size, &info);
  EXPECT(info == 0 && best >= (NUMBER)n);
  L(getri)(&n, lu, &lda, ipiv, work, &n, &info);
  EXPECT(info == 0 && work[0] >= (NUMBER)n && work[0] <= best);
  EXPECT(T(inverse_residual)(n, a, lda, lu, lda) < BOUND);
  EXPECT(T(is_padded)(lu, n, n, lda));

  /* A zero on the diagonal of U: A stays as it is. */
  factors[n / 2 * (lda + 1)] = 0;
  memcpy(lu, factors, sizeof *lu * (size_t)lda * (size_t)n);
  L(getri)(&n, lu, &lda, ipiv, work, &n, &info);
  EXPECT(info == n / 2 + 1);
  EXPECT(memcmp(lu, factors, sizeof *lu * (size_t)lda * (size_t)n) == 0);

  complaints = 0;
  size = n - 1;
  L(getri)(&n, lu, &lda, ipiv, work, &size, &info);
  EXPECT(n == 1 || (info == -6 && complaints == 1));
  free(a), free(turned), free(b), free(x), free(lu), free(ipiv), free(factors), free(work);
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
    T(invert)(sizes[s], 1, sizes[s], sizes[s]);
    T(invert)(sizes[s], 70, sizes[s] + 3, sizes[s] + 1);
    T(factor)(sizes[s], sizes[s] + sizes[s] / 3, sizes[s] + 2);
    T(factor)(sizes[s], 2 * sizes[s], sizes[s]);
    T(factor)(sizes[s] + sizes[s] / 3, sizes[s], 2 * sizes[s] + 2);
    T(factor)(3 * sizes[s], sizes[s], 3 * sizes[s]);
    T(cholesky)("L", sizes[s], 1, sizes[s], sizes[s]);
    T(cholesky)("U", sizes[s], 3, sizes[s] + 3, sizes[s] + 1);
  }
}
