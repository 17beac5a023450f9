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


def laid(X, order):
    """The same numbers: in one of both orders, or as a part of a larger matrix in it; "S": in steps, in none."""
    if order in "CF":
        return np.array(X, order=order)
    rows, columns = X.shape
    large = np.full((2 * rows + 3, 2 * columns + 3), np.nan, X.dtype, order={"c": "C", "f": "F", "S": "C"}[order])
    part = large[1 : 2 * rows + 1 : 2, 2 : 2 * columns + 2 : 2] if order == "S" else large[1 : rows + 1, 2 : columns + 2]
    part[:] = X
    return part


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("device", [d["name"] for d in nz.devices() if d["name"] in ("cpu", "emu")])
def test_several_vectors_in_every_order(rng, dtype, device):
    M = drawn(rng, 33, 21, dtype=dtype)
    for A, N in ((nz.plan(M, device=device, op="both", vectors=4), M), (nz.plan(M.tocsc(), device=device).T, M.T.tocsr())):
        for columns in (1, 4, 9):
            X0 = rng.standard_normal((N.shape[1], columns)).astype(dtype)
            Y0 = rng.standard_normal((N.shape[0], columns)).astype(dtype)
            for from_, to in ("CC", "CF", "FC", "FF", "cf", "fc", "cC", "Ff"):
                X, Y = laid(X0, from_), laid(Y0, to)
                around = Y.base.copy() if Y.base is not None else None
                assert A.multiply(X, Y, alpha=2, beta=-0.5) is Y
                for j in range(columns):
                    assert_product(N, X0[:, j], Y[:, j], 2, -0.5, Y0[:, j])
                if around is not None:  # what lies between and beside is left alone
                    Y[:] = Y0
                    np.testing.assert_array_equal(Y.base, around)


def test_results_have_the_order_of_x(rng):
    M = drawn(rng, 33, 21)
    A, X0 = nz.plan(M, vectors=5, order="F"), rng.standard_normal((21, 5))
    for order in "CFcfS":
        X = laid(X0, order)
        for Y in (A @ X, A.matmat(X)):
            assert Y.flags.f_contiguous if order in "Ff" else Y.flags.c_contiguous
            for j in range(5):
                assert_product(M, X0[:, j], Y[:, j])
    whole = rng.integers(0, 9, (21, 2)).astype(np.int16)
    np.testing.assert_allclose(A @ whole, M.toarray() @ whole, atol=1e-9)
    Y = np.full((33, 5), np.nan)
    A.multiply(X0, Y)  # beta is 0: Y is not read
    assert_product(M, X0[:, 4], Y[:, 4])


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1), (1, 7), (7, 1)])
def test_several_vectors_of_small_shapes(rng, shape):
    M = drawn(rng, *shape, density=0.5)
    A = nz.plan(M, op="both")
    for columns in (0, 1, 3):
        for order in "CF":
            X = laid(rng.standard_normal((shape[1], columns)), order)
            Z = laid(rng.standard_normal((shape[0], columns)), order)
            np.testing.assert_allclose(A @ X, M.toarray() @ X, atol=1e-11)
            np.testing.assert_allclose(A.rmatmat(Z), M.toarray().T @ Z, atol=1e-11)


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
