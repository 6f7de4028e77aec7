/* A program that calls LAPACK as others do, and looks at what it gets: run by itself, and by
 * `clgauss run`, over several LAPACKs. Without arguments every routine, in every type; with "large"
 * likewise, once each. With "fork", "threads", "signals", "one N", "wide N", "rest N" or "exit
 * SECONDS" what the words say. */
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAD = -77, LARGEST = 1025 };
static const double BOUND = 30;

static int failures;
#define EXPECT(condition)                                     \
  do {                                                        \
    if (!(condition)) {                                       \
      printf("callers.c:%d: not %s\n", __LINE__, #condition); \
      ++failures;                                             \
    }                                                         \
  } while (0)

/* LAPACK's own, which ends the program: a program may bring another one. */
static int complaints;
void xerbla_(const char* name, const int* info, size_t length);
void xerbla_(const char* name, const int* info, size_t length) {
  (void)name, (void)info, (void)length;
  ++complaints;
}

static double random_number(void) {
  static _Thread_local unsigned state = 1;
  state = state * 1664525 + 1013904223;
  return (double)(state >> 8) / (1 << 23) - 1;
}

#define DECLARE(letter, NUMBER, REAL)                                                             \
  void letter##gesv_(const int*, const int*, NUMBER*, const int*, int*, NUMBER*, const int*,      \
                     int*);                                                                       \
  void letter##getrf_(const int*, const int*, NUMBER*, const int*, int*, int*);                   \
  void letter##getri_(const int*, NUMBER*, const int*, const int*, NUMBER*, const int*, int*);    \
  void letter##getrs_(const char*, const int*, const int*, const NUMBER*, const int*, const int*, \
                      NUMBER*, const int*, int*, size_t);                                         \
  void letter##posv_(const char*, const int*, const int*, NUMBER*, const int*, NUMBER*,           \
                     const int*, int*, size_t);                                                   \
  void letter##potrf_(const char*, const int*, NUMBER*, const int*, int*, size_t);                \
  void letter##potrs_(const char*, const int*, const int*, const NUMBER*, const int*, NUMBER*,    \
                      const int*, int*, size_t);                                                  \
  void letter##potri_(const char*, const int*, NUMBER*, const int*, int*, size_t);                \
  void letter##gecon_(const char*, const int*, const NUMBER*, const int*, const REAL*, REAL*,     \
                      NUMBER*, void*, int*, size_t);
#define DECLARE_SYMMETRIC(letters, NUMBER)                                                       \
  void letters##sv_(const char*, const int*, const int*, NUMBER*, const int*, int*, NUMBER*,     \
                    const int*, NUMBER*, const int*, int*, size_t);                              \
  void letters##trf_(const char*, const int*, NUMBER*, const int*, int*, NUMBER*, const int*,    \
                     int*, size_t);                                                              \
  void letters##trs_(const char*, const int*, const int*, const NUMBER*, const int*, const int*, \
                     NUMBER*, const int*, int*, size_t);
DECLARE(s, float, float)
DECLARE(d, double, double)
DECLARE(c, float complex, float)
DECLARE(z, double complex, double)
DECLARE_SYMMETRIC(ssy, float)
DECLARE_SYMMETRIC(dsy, double)
DECLARE_SYMMETRIC(che, float complex)
DECLARE_SYMMETRIC(zhe, double complex)
void dsgesv_(const int*, const int*, double*, const int*, int*, const double*, const int*, double*,
             const int*, double*, void*, int*, int*);
void zcgesv_(const int*, const int*, double complex*, const int*, int*, const double complex*,
             const int*, double complex*, const int*, double complex*, void*, double*, int*, int*);

#define NUMBER float
#define REAL float
#define L(name) s##name##_
#define S(name) ssy##name##_
#define T(name) name##_s
#define EPS 0x1p-24
#define RANDOM() (float)random_number()
#define MAGNITUDE(x) fabsf(x)
#define CONJUGATE(x) (x)
#define REAL_PART(x) (double)(x)
#define LARGEST_L (1 + 4 * EPS)
#include "callers.h"
#define NUMBER double
#define REAL double
#define L(name) d##name##_
#define S(name) dsy##name##_
#define T(name) name##_d
#define EPS 0x1p-53
#define RANDOM() random_number()
#define MAGNITUDE(x) fabs(x)
#define CONJUGATE(x) (x)
#define REAL_PART(x) (double)(x)
#define LARGEST_L (1 + 4 * EPS)
#define MIXED_GESV dsgesv_
#include "callers.h"
#define NUMBER float complex
#define REAL float
#define L(name) c##name##_
#define S(name) che##name##_
#define T(name) name##_c
#define EPS 0x1p-24
#define RANDOM() ((float)random_number() + (float)random_number() * I)
#define MAGNITUDE(x) cabsf(x)
#define CONJUGATE(x) conjf(x)
#define REAL_PART(x) (double)crealf(x)
#define LARGEST_L 1.415 /* for |re| + |im| of a pivot is the largest */
#include "callers.h"
#define NUMBER double complex
#define REAL double
#define L(name) z##name##_
#define S(name) zhe##name##_
#define T(name) name##_z
#define EPS 0x1p-53
#define RANDOM() (random_number() + random_number() * I)
#define MAGNITUDE(x) cabs(x)
#define CONJUGATE(x) conj(x)
#define REAL_PART(x) (double)creal(x)
#define LARGEST_L 1.415 /* for |re| + |im| of a pivot is the largest */
#define MIXED_GESV(n, nrhs, a, lda, ipiv, b, ldb, x, ldx, work, swork, iter, info) \
  zcgesv_(n, nrhs, a, lda, ipiv, b, ldb, x, ldx, work, swork, (double[LARGEST]){0}, iter, info)
#include "callers.h"

static void* solve_often(void* n) {
  for (int repeat = 0; repeat < 10; ++repeat)
    solve_d(*(const int*)n, 1, *(const int*)n, *(const int*)n);
  return NULL;
}

static void test_threads(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  int sizes[THREADS] = {60, 90, 120, 150};
  for (int t = 0; t < THREADS; ++t) pthread_create(&threads[t], NULL, solve_often, &sizes[t]);
  for (int t = 0; t < THREADS; ++t) pthread_join(threads[t], NULL);
}

static void test_fork(void) {
  solve_d(100, 1, 100, 100);
  const pid_t child = fork();
  solve_d(100, 1, 100, 100);
  if (child == 0) exit(failures == 0 ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static volatile sig_atomic_t signals;
static void count_signal(int number) {
  (void)number;
  ++signals;
}

static void test_signals(void) {
  const int mine[] = {SIGUSR1, SIGTERM, SIGHUP, SIGINT, SIGALRM};
  for (size_t i = 0; i < sizeof mine / sizeof mine[0]; ++i) signal(mine[i], count_signal);
  solve_d(100, 1, 100, 100);
  for (size_t i = 0; i < sizeof mine / sizeof mine[0]; ++i) {
    raise(mine[i]);
    EXPECT(signals == (sig_atomic_t)i + 1);
  }
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  const double number = argc > 2 ? atof(argv[2]) : 0;
  int n = number > 0 ? (int)number : 300;
  if (strcmp(what, "threads") == 0) {
    test_threads();
  } else if (strcmp(what, "fork") == 0) {
    test_fork();
  } else if (strcmp(what, "signals") == 0) {
    test_signals();
  } else if (strcmp(what, "one") == 0) {
    solve_d(n, 1, n, n);
  } else if (strcmp(what, "wide") == 0) {
    factor_d(n, 2 * n, n);
  } else if (strcmp(what, "rest") == 0) { /* that "one" has not */
    invert_d(n, n / 4, n, n);
    invert_z(n / 2, n / 8, n / 2, n / 2);
    cholesky_d("L", n, n / 4, n, n);
    symmetric_d("U", n, n / 4, n, n);
    symmetric_c("L", n, n / 4, n, n);
    cholesky_z("U", n / 2, n / 8, n / 2, n / 2);
    symmetric_z("U", n / 2, n / 8, n / 2, n / 2);
    solve_mixed_d(n, 1, n, n);
    condition_d(n, n);
    condition_z(n / 2, n / 2);
    factor_d(n, 2 * n, n);
    factor_d(2 * n, n, 2 * n);
    factor_z(n, n / 2, n);
  } else if (strcmp(what, "large") == 0) { /* beyond blocks of 512 and of 1024 */
    const int sizes[] = {513, LARGEST};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
      each_s(sizes[s]);
      each_d(sizes[s]);
      each_c(sizes[s]);
      each_z(sizes[s]);
    }
  } else if (strcmp(what, "exit") == 0) { /* while another thread is at it */
    pthread_t thread;
    n = 300;
    pthread_create(&thread, NULL, solve_often, &n);
    usleep((useconds_t)(1e6 * number));
    exit(0);
  } else {
    test_s();
    test_d();
    test_c();
    test_z();
  }
  return failures == 0 ? 0 : 1;
}
