"""Products: alpha, beta, out, several vectors, and SciPy's LinearOperator."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from conftest import assert_product, drawn

import nonzero as nz


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("alpha, beta", [(1, 0), (2, 1), (-0.5, 3), (0, 2), (1e-3, -1)])
def test_multiply(rng, dtype, alpha, beta):
    M = drawn(rng, 70, 45, dtype=dtype)
    A = nz.plan(M)
    x, y = rng.standard_normal(45).astype(dtype), rng.standard_normal(70).astype(dtype)
    before, place = y.copy(), y.ctypes.data
    assert A.multiply(x, y, alpha=alpha, beta=beta) is y and y.ctypes.data == place
    assert_product(M, x, y, alpha, beta, before)
    z, w = rng.standard_normal(70).astype(dtype), rng.standard_normal(45).astype(dtype)
    before = w.copy()
    A.T.multiply(z, w, alpha=alpha, beta=beta)
    assert_product(M.T.tocsr(), z, w, alpha, beta, before)


def test_beta_zero_does_not_read(rng):
    M = drawn(rng, 30, 30)
    y, x = np.full(30, np.nan), rng.standard_normal(30)
    nz.plan(M).multiply(x, y)
    assert_product(M, x, y)


def test_several_vectors(rng):
    M = drawn(rng, 33, 21)
    A = nz.plan(M)
    for order in "CF":
        X, Z = np.asarray(rng.standard_normal((21, 5)), order=order), np.asarray(rng.standard_normal((33, 4)), order=order)
        for Y in (A @ X, A.matmat(X), A.dot(X)):
            for j in range(5):
                assert_product(M, X[:, j], Y[:, j])
        for Y in (A.T @ Z, A.rmatmat(Z), A.H @ Z):
            for j in range(4):
                assert_product(M.T.tocsr(), Z[:, j], Y[:, j])
    assert (A @ np.empty((21, 0))).shape == (33, 0)


def test_linear_operator(rng):
    M = drawn(rng, 25, 25)
    A, D = nz.plan(M), M.toarray()
    x = rng.standard_normal(25)
    assert isinstance(A, spla.LinearOperator) and spla.aslinearoperator(A) is A
    assert A.T.T is A and A.H is A.T
    np.testing.assert_allclose(A.rmatvec(x), D.T @ x)
    np.testing.assert_allclose(x @ A, x @ D)
    np.testing.assert_allclose((2 * A) @ x, 2 * (D @ x))
    np.testing.assert_allclose((A @ A.T) @ x, D @ (D.T @ x))
    np.testing.assert_allclose((A + A) @ x, 2 * (D @ x))
    assert A.matvec(x[:, None]).shape == (25, 1) and (A @ x[:, None]).shape == (25, 1)


def test_matvec_takes_what_scipy_gives(rng):
    M = drawn(rng, 25, 25)
    A, D = nz.plan(M), M.toarray()
    wide = rng.standard_normal((25, 3))
    np.testing.assert_allclose(A.matvec(wide[:, 1]), D @ wide[:, 1])
    np.testing.assert_allclose(A.matvec(np.arange(25)), D @ np.arange(25))
    z = wide[:, 0] + 1j * wide[:, 1]
    np.testing.assert_allclose(A.matvec(z), D @ z)
    np.testing.assert_allclose(A.rmatvec(z), D.T @ z)
    np.testing.assert_allclose(A.matmat(wide + 1j), D @ (wide + 1j))


def test_scipy_solves_with_it(rng):
    M = sp.csr_array(nz.generate("grid:points=5,nx=20,ny=20"))
    b = rng.standard_normal(400)
    x, info = spla.cg(nz.plan(M), b, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(M @ x, b, atol=1e-8)
    np.testing.assert_allclose(spla.eigsh(nz.plan(M), k=2)[0], spla.eigsh(M, k=2)[0])
    np.testing.assert_allclose(spla.svds(nz.plan(M), k=2)[1], spla.svds(M, k=2)[1])
