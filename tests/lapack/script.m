% What Octave has of LAPACK, by `clgauss run`: ends with an error where an answer is wrong.
n = 500;
rand("seed", 1);
a = rand(n) - .5;
b = rand(n, 1);
assert(max(abs(a * (a \ b) - b)) < 1e-8);
assert(max(max(abs(inv(a) * a - eye(n)))) < 1e-8);
warning("off", "Octave:singular-matrix");
assert(isinf(inv(zeros(n))(1)));
s = a * a' + n * eye(n);
assert(max(max(abs(chol(s)' * chol(s) - s))) < 1e-8);
r = chol(s);
assert(max(max(abs(chol2inv(r) * s - eye(n)))) < 1e-8);
assert(max(max(abs(cholinv(s) * s - eye(n)))) < 1e-8);
assert(abs(log(det(s / n)) - 2 * sum(log(diag(r) / sqrt(n)))) < 1e-6);
z = a + 1i * rand(n);
assert(max(abs(z * (z \ b) - b)) < 1e-8);
f = single(a);
assert(max(abs(f * (f \ single(b)) - single(b))) < 1e-1);
