/* Included by typed_tests.h, once for each type: complex numbers. */

static double T(complex_a)(size_t i, size_t j, int imaginary) {
  return imaginary ? (double)((i * 5 + j * j) % 7) - 3
                   : (double)((i * 7 + j * 3) % 11) - (i == j && i > 0 ? N * 8 : 0);
}

/* P A = L U, of pairs of REAL. */
static void T(expect_complex_factors)(int layout, const REAL* lu, const int32_t* ipiv) {
  size_t rows[N];
  for (size_t i = 0; i < N; ++i) rows[i] = i;
  for (size_t k = 0; k < N; ++k) {
    EXPECT(ipiv[k] > (int32_t)k && ipiv[k] <= N);
    if (ipiv[k] < 1 || ipiv[k] > N) return;
    const size_t swapped = rows[k];
    rows[k] = rows[ipiv[k] - 1];
    rows[ipiv[k] - 1] = swapped;
  }
  for (size_t i = 0; i < N; ++i)
    for (size_t j = 0; j < N; ++j) {
      double re = 0, im = 0;
      for (size_t k = 0; k <= i && k <= j; ++k) {
        const REAL *l = lu + 2 * at(layout, i, k, LDA), *u = lu + 2 * at(layout, k, j, LDA);
        const double lr = k == i ? 1 : l[0], li = k == i ? 0 : l[1];
        re += lr * u[0] - li * u[1];
        im += lr * u[1] + li * u[0];
      }
      EXPECT(fabs(re - T(complex_a)(rows[i], j, 0)) <= 2000 * (double)EPS &&
             fabs(im - T(complex_a)(rows[i], j, 1)) <= 2000 * (double)EPS);
    }
}

/* Pairs of REAL: A x = b of whole numbers, so that x comes back but for rounding. */
static void T(test_complex_gesv)(clgauss_context context) {
  REAL a[2 * N * LDA], b[2 * LDB * LDB];
  int32_t ipiv[N];
  for (int l = 0; l < 2; ++l)
    for (size_t nrhs = 0; nrhs <= NRHS; nrhs += NRHS) {
      const int layout = kLayouts[l];
      for (size_t i = 0; i < 2 * N * LDA; ++i) a[i] = PAD;
      for (size_t i = 0; i < N; ++i)
        for (size_t j = 0; j < N; ++j)
          for (int part = 0; part < 2; ++part)
            a[2 * at(layout, i, j, LDA) + (size_t)part] = (REAL)T(complex_a)(i, j, part);
      for (size_t c = 0; c < NRHS; ++c)
        for (size_t i = 0; i < N; ++i) {
          double re = 0, im = 0;
          for (size_t j = 0; j < N; ++j) { /* x = x_of - i x_of / 2 */
            const double ar = T(complex_a)(i, j, 0), ai = T(complex_a)(i, j, 1), x = x_of(j, c);
            re += x * (ar + ai / 2);
            im += x * (ai - ar / 2);
          }
          b[2 * at(layout, i, c, LDB)] = (REAL)re;
          b[2 * at(layout, i, c, LDB) + 1] = (REAL)im;
        }
      EXPECT_STATUS(CLGAUSS_OK,
                    Z(gesv)(context, layout, N, nrhs, a, LDA, ipiv, nrhs > 0 ? b : NULL, LDB));
      T(expect_complex_factors)(layout, a, ipiv);
      for (size_t i = 0; i < N; ++i) EXPECT(a[2 * (i * LDA + N)] == PAD);
      for (size_t c = 0; c < nrhs; ++c)
        for (size_t i = 0; i < N; ++i) {
          EXPECT(fabs((double)b[2 * at(layout, i, c, LDB)] - x_of(i, c)) <= 2000 * N * (double)EPS);
          EXPECT(fabs((double)b[2 * at(layout, i, c, LDB) + 1] + x_of(i, c) / 2) <=
                 2000 * N * (double)EPS);
        }
    }
  /* Column 2 is zero: the factors are there, as LAPACK's, and B stays. */
  for (size_t i = 0; i < N; ++i)
    for (size_t j = 0; j < N; ++j)
      for (size_t part = 0; part < 2; ++part)
        a[2 * at(CLGAUSS_ROW_MAJOR, i, j, LDA) + part] =
            j == 1 ? 0 : (REAL)T(complex_a)(i, j, (int)part);
  const REAL first = b[0];
  EXPECT_STATUS(CLGAUSS_SINGULAR,
                Z(gesv)(context, CLGAUSS_ROW_MAJOR, N, NRHS, a, LDA, ipiv, b, LDB));
  EXPECT_MESSAGE("column 2");
  EXPECT(b[0] == first && a[2 * (LDA + 1)] == 0 && a[2 * (LDA + 1) + 1] == 0);
  a[0] = (REAL)NAN;
  EXPECT_STATUS(CLGAUSS_OVERFLOW,
                Z(gesv)(context, CLGAUSS_ROW_MAJOR, N, NRHS, a, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_OK, Z(gesv)(context, CLGAUSS_ROW_MAJOR, 0, 1, NULL, 1, NULL, NULL, 1));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                Z(gesv)(context, CLGAUSS_ROW_MAJOR, N, 1, NULL, LDA, ipiv, b, LDB));
  EXPECT_STATUS(CLGAUSS_INVALID_ARGUMENT,
                Z(gesv)(context, CLGAUSS_ROW_MAJOR, N, 1, a, LDA, NULL, b, LDB));
}
