/* A first program in C99: a system, an answer, and what every outcome means.
 *   cc -std=c99 solve.c $(pkg-config --cflags --libs clgauss)      (libclgauss.a: --static) */
#include <clgauss.h>
#include <stdio.h>

int main(void) {
  const double a[] = {0, 2,  /*      2 y = 4, row by row */
                      1, 1}; /* x +   y = 5 */
  const double b[] = {4, 5};
  double x[2];
  clgauss_context context = NULL; /* keep it: a second solve builds nothing */
  clgauss_solve_options options = {.struct_size = sizeof options, .trust = 1};
  clgauss_report report = {.struct_size = sizeof report};
  clgauss_status status = clgauss_context_create("auto", CLGAUSS_USE_ENVIRONMENT, &context);
  if (status == CLGAUSS_OK)
    status = clgauss_dsolve(context, CLGAUSS_ROW_MAJOR, 2, 1, a, 2, b, 1, x, 1, &options, &report);
  switch (status) {
    case CLGAUSS_OK:         /* x solves a system very close to this one */
    case CLGAUSS_INACCURATE: /* x is there, its residual is larger than asked for */
      printf("x = %g, y = %g, scaled residual %.2g, rcond %.2g\n", x[0], x[1],
             report.scaled_residual, report.rcond);
      break;
    case CLGAUSS_SINGULAR: /* there is no x */
      printf("no answer: column %zu has no pivot\n", report.failed_column);
      break;
    default: /* no device, no memory, a driver that fails, an argument that makes no sense */
      fprintf(stderr, "%s: %s\n", clgauss_status_string(status), clgauss_last_error());
  }
  clgauss_context_destroy(context);
  return status == CLGAUSS_OK ? 0 : 1;
}
