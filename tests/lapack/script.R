# What R has of LAPACK, by `clgauss run`: prints nothing, and ends with 1 where an answer is wrong.
set.seed(1)
expect <- function(right) if (!isTRUE(right)) { print(sys.call()); quit(status = 1) }
message_of <- function(call) tryCatch({ call; "none" }, error = function(e) conditionMessage(e))

n <- 500
a <- matrix(rnorm(n * n), n)
b <- rnorm(n)
expect(max(abs(a %*% solve(a, b) - b)) < 1e-8)
expect(max(abs(a %*% solve(a) - diag(n))) < 1e-8)
expect(is.finite(determinant(a)$modulus))
s <- crossprod(a) + n * diag(n)
expect(max(abs(crossprod(chol(s)) - s)) < 1e-8)
expect(max(abs(chol2inv(chol(s)) %*% s - diag(n))) < 1e-8)
many <- matrix(rnorm(n * n), n)
expect(max(abs(a %*% solve(a, many) - many)) < 1e-8)
z <- a + 1i * matrix(rnorm(n * n), n)
expect(max(Mod(z %*% solve(z, b) - b)) < 1e-8)
expect(grepl("exactly singular", message_of(solve(matrix(0, n, n), b))))
expect(grepl("order 500", message_of(chol(diag(c(rep(1, n - 1), -1))))))
worst <- function(k) { m <- a + k * diag(n); max(abs(m %*% solve(m, b) - b)) }
expect(all(unlist(parallel::mclapply(1:3, worst, mc.cores = 2)) < 1e-8))
