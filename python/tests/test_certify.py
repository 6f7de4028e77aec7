"""clgauss.certify: bounds that hold, and nothing proven where nothing can be."""

import math
from fractions import Fraction

import numpy as np
import pytest

import clgauss


class Pair:
    """A complex number of two fractions."""

    def __init__(self, re, im=0):
        self.re, self.im = Fraction(re), Fraction(im)

    def __sub__(self, other):
        return Pair(self.re - other.re, self.im - other.im)

    def __mul__(self, other):
        return Pair(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __truediv__(self, other):
        product, square = self * Pair(other.re, -other.im), other.square()
        return Pair(product.re / square, product.im / square)

    def square(self):
        return self.re**2 + self.im**2


def exact_complex_solution(a, b):
    """By elimination in pairs of fractions."""
    rows = [[Pair(float(value.real), float(value.imag)) for value in [*row, right]] for row, right in zip(a, b)]
    n = len(rows)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k].square() != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    return [row[n] / row[i] for i, row in enumerate(rows)]


def exact_solution(a, b):
    """By fractions, of the numbers as they are in float64."""
    n = len(a)
    rows = [[Fraction(float(value)) for value in row] + [Fraction(float(right))] for row, right in zip(a, b)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    x = [Fraction(0)] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x


def hilbert(n):
    return 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)


@pytest.mark.parametrize("accuracy", ["double", "max"])
@pytest.mark.parametrize("make", [lambda rng: rng.standard_normal((12, 12)), lambda rng: hilbert(8), lambda rng: np.array([[1, 1e20], [1, 1]])])
def test_bounds_hold(rng, make, accuracy):
    a = make(rng)
    b = np.array([1e20, 2.0]) if len(a) == 2 else rng.standard_normal(len(a))
    proof = clgauss.certify(a, b, accuracy=accuracy)
    assert proof.proven
    assert not proof.reason
    for exact, x, bound in zip(exact_solution(a, b), proof.x, proof.bounds):
        assert abs(exact - Fraction(float(x))) <= Fraction(float(bound))
    if accuracy == "max":
        assert proof.digits > 15
        assert proof.report.accuracy == "max"
        assert (proof.bounds <= 2**-52 * np.abs(proof.x)).all()


def test_a_wrong_bound_would_be_seen(rng):
    a, b = rng.standard_normal((8, 8)), rng.standard_normal(8)
    proof = clgauss.certify(a, b)
    worst = max(abs(exact - Fraction(float(x))) for exact, x in zip(exact_solution(a, b), proof.x))
    assert worst <= Fraction(float(proof.bounds.max()))
    assert proof.bounds.max() < 1e-10


@pytest.mark.parametrize("accuracy", ["double", "max"])
@pytest.mark.parametrize("kind", ["random", "hilbert", "graded", "single", "real_b"])
def test_complex_bounds_hold(rng, kind, accuracy):
    n = 7
    a = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
    b = rng.standard_normal(n) + 1j * rng.standard_normal(n)
    if kind == "hilbert":
        a = hilbert(n) * np.exp(1j * np.arange(n))
    elif kind == "graded":
        a = a * 10.0 ** rng.integers(-9, 9, n)[:, None]
    elif kind == "single":
        a, b = a.astype(np.complex64), b.astype(np.complex64)
    elif kind == "real_b":
        b = b.real
    proof = clgauss.certify(a, b, accuracy=accuracy)
    assert proof.proven
    assert proof.x.dtype == np.complex128
    assert proof.bounds.dtype == np.float64
    for exact, x, bound in zip(exact_complex_solution(a, b), proof.x, proof.bounds):
        assert (exact - Pair(float(x.real), float(x.imag))).square() <= Fraction(float(bound)) ** 2
    if accuracy == "max":
        assert proof.digits > 14.5


def test_complex_without_proof():
    with pytest.warns(clgauss.IllConditionedWarning):
        proof = clgauss.certify(hilbert(14) * 1j, np.ones(14))
    assert not proof.proven
    assert proof.x.dtype == np.complex128
    assert np.isinf(proof.bounds).all()


@pytest.mark.parametrize("n", [1, 2, 6])
def test_inverses_are_bounded(rng, n):
    for a in (rng.standard_normal((n, n)), hilbert(n), rng.standard_normal((n, n)).astype(np.float32)):
        proof = clgauss.certify_inv(a)
        assert proof.proven
        assert proof.report is None
        for j in range(n):
            for exact, x, bound in zip(exact_solution(a, np.eye(n)[:, j]), proof.x[:, j], proof.bounds[:, j]):
                assert abs(exact - Fraction(float(x))) <= Fraction(float(bound))
    a = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
    proof = clgauss.certify_inv(a)
    assert proof.x.dtype == np.complex128
    assert proof.digits > 8
    for j in range(n):
        for exact, x, bound in zip(exact_complex_solution(a, np.eye(n, dtype=complex)[:, j]), proof.x[:, j], proof.bounds[:, j]):
            assert (exact - Pair(float(x.real), float(x.imag))).square() <= Fraction(float(bound)) ** 2


def test_inverses_without_proof():
    beyond = clgauss.certify_inv(hilbert(14))
    assert not beyond.proven
    assert np.isinf(beyond.bounds).all()
    assert "too ill-conditioned" in beyond.reason
    assert clgauss.certify_inv(np.empty((0, 0))).proven
    for a, error in (
        ([[1.0, 2.0], [2.0, 4.0]], np.linalg.LinAlgError),
        (np.ones((2, 3)), np.linalg.LinAlgError),
        (np.ones((1, 2, 2)), np.linalg.LinAlgError),
        ([[np.nan]], ValueError),
        (np.eye(2, dtype=np.longdouble), TypeError),
    ):
        with pytest.raises(error):
            clgauss.certify_inv(a)


def exact_determinant(a):
    """By fractions."""
    rows = [[Fraction(float(value)) for value in row] for row in a]
    det = Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            det = -det
        det *= rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    return det


def test_determinants_have_the_proven_sign(rng):
    proven = wrong = 0
    for step in range(200):
        n = 2 + step % 5
        a = rng.standard_normal((n, n)) if step % 4 else np.round(3 * rng.standard_normal((n, n)))
        if step % 2:
            a[-1] = a[:-1].sum(axis=0) + 2.0 ** -(step // 3) * a[-1]
        det, proof = exact_determinant(a), clgauss.certify_det(a)
        sign = (det > 0) - (det < 0)
        wrong += np.linalg.slogdet(a)[0] != sign
        assert proof.sign == (sign if proof.proven else 0)
        assert bool(proof.reason) != proof.proven
        if proof.proven:
            proven += 1
            log10 = np.log10(float(abs(det)))
            assert proof.log10_low - 1e-12 <= log10 <= proof.log10_high + 1e-12
    assert proven > 120
    assert wrong > 0  # NumPy's


def exact_complex_determinant(a):
    """By pairs of fractions."""
    rows = [[Pair(float(value.real), float(value.imag)) for value in row] for row in a]
    det = Pair(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k].square() != 0), None)
        if pivot is None:
            return Pair(0)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            det *= Pair(-1)
        det *= rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    return det


def is_phase(det, sign, bound):
    """Whether ``abs(det / abs(det) - sign) <= bound``, in fractions: ``abs(det) (1 + |sign|^2 - bound^2) <= 2 Re(det conj(sign))``."""
    sign = Pair(sign.real, sign.imag)
    left, right = 1 + sign.square() - Fraction(bound) ** 2, 2 * (det.re * sign.re + det.im * sign.im)
    return right > 0 and det.square() * left**2 <= right**2


def test_complex_determinants_have_the_proven_phase(rng):
    assert is_phase(Pair(3, 4), 0.6 + 0.8j, 1e-15)
    assert not is_phase(Pair(3, 4), 0.6 + 0.8000001j, 1e-15)
    assert not is_phase(Pair(3, 4), -0.6 - 0.8j, 1e-15)
    proven = 0
    for step in range(200):
        n = 2 + step % 5
        a = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
        if step % 4 == 0:
            a = np.round(3 * a)
        elif step % 4 == 2:
            a = (a + a.conj().T) * 10.0 ** rng.integers(-60, 60)
        if step % 2:
            a[-1] = a[:-1].sum(axis=0) + 2.0 ** -(step // 3) * a[-1]
        det, proof = exact_complex_determinant(a), clgauss.certify_det(a)
        assert bool(proof.reason) != proof.proven
        if not proof.proven:
            assert (proof.sign, proof.sign_bound) == (0, np.inf)
            continue
        proven += 1
        assert proof.sign_bound < 1
        assert is_phase(det, proof.sign, proof.sign_bound)
        log10 = (math.log10(det.square().numerator) - math.log10(det.square().denominator)) / 2
        assert proof.log10_low - 1e-12 <= log10 <= proof.log10_high + 1e-12
    assert proven > 120
    narrow = clgauss.certify_det(np.complex64([[1j, 2], [2, 1j]]))
    assert abs(narrow.sign + 1) <= narrow.sign_bound < 1e-13


def test_hilbert_determinants():
    for n in range(1, 11):
        assert clgauss.certify_det(hilbert(n)).sign == 1
    beyond = clgauss.certify_det(hilbert(14))
    assert (beyond.proven, beyond.sign) == (False, 0)
    assert np.isnan([beyond.log10_low, beyond.log10_high]).all()
    assert "too ill-conditioned" in beyond.reason


@pytest.mark.parametrize(
    ("a", "error"),
    [
        (np.ones((2, 3)), np.linalg.LinAlgError),
        (np.ones((2, 2, 2)), np.linalg.LinAlgError),
        (np.ones(2), np.linalg.LinAlgError),
        (np.array([[np.nan]]), ValueError),
        (np.eye(2, dtype=np.longdouble), TypeError),
    ],
)
def test_errors_of_determinants(a, error):
    with pytest.raises(error):
        clgauss.certify_det(a)


def test_empty_and_singular_determinants():
    empty = clgauss.certify_det(np.empty((0, 0)))
    assert (empty.proven, empty.sign, empty.log10_low, empty.log10_high) == (True, 1, 0, 0)
    assert not clgauss.certify_det([[1, 2], [2, 4]]).proven
    real = clgauss.certify_det(np.float32([[1, 2], [2, 1]]))
    assert (real.sign, real.sign_bound) == (-1, 0)
    empty = clgauss.certify_det(np.empty((0, 0), complex))
    assert (empty.proven, empty.sign, empty.sign_bound, empty.log10_high) == (True, 1, 0, 0)


def test_shapes(rng):
    a, b = rng.standard_normal((150, 150)), rng.standard_normal((150, 3))
    proof = clgauss.certify(a, b)
    assert proof.x.shape == proof.bounds.shape == b.shape
    assert proof.report.status == "ok"
    assert 0 < proof.norm_bound < 1
    vector = clgauss.certify(a.astype(np.float32), b[:, 0].astype(np.float32))
    assert vector.x.shape == vector.bounds.shape == (150,)
    assert vector.proven
    assert vector.digits > 8  # of the numbers as float32 has them
    whole = clgauss.certify(np.asfortranarray(a), np.arange(150))
    assert whole.proven


def test_what_cannot_be_proven_is_told():
    with pytest.warns(clgauss.IllConditionedWarning):
        proof = clgauss.certify(hilbert(14), np.ones(14))
    assert not proof.proven
    assert "too ill-conditioned" in proof.reason
    assert np.isinf(proof.bounds).all()
    assert (proof.digits, proof.report.status) == (0, "nearly_singular")


@pytest.mark.parametrize(
    ("a", "b", "error"),
    [
        (np.ones((2, 2)), np.ones(2), np.linalg.LinAlgError),
        (np.ones((2, 3)), np.ones(2), np.linalg.LinAlgError),
        (np.ones((2, 2, 2)), np.ones(2), np.linalg.LinAlgError),
        (np.eye(2), np.ones(3), ValueError),
        (np.eye(2), np.ones((1, 2, 2)), ValueError),
        (np.eye(2), np.array([1.0, np.nan]), ValueError),
        (np.empty((0, 0)), np.empty(0), ValueError),
        (np.eye(2), np.empty((2, 0)), ValueError),
        (np.eye(2, dtype=np.longdouble), np.ones(2), TypeError),
        (np.ones((2, 2), complex), np.ones(2), np.linalg.LinAlgError),
        (np.eye(2, dtype=complex), np.array([1.0, np.nan]), ValueError),
    ],
)
def test_errors(a, b, error):
    with pytest.raises(error):
        clgauss.certify(a, b)
    with pytest.raises(ValueError, match="accuracy is"):
        clgauss.certify(np.eye(2), np.ones(2), accuracy="single")


def test_a_device_without_double_precision_says_so(device):
    if next(known.fp64 for known in clgauss.devices() if known.spec == device):
        assert clgauss.certify(np.eye(3), np.ones(3), device=device).proven
    else:
        with pytest.raises(clgauss.DeviceError, match="fp64"):
            clgauss.certify(np.eye(3), np.ones(3), device=device)
