"""Complex numbers: every op and view, the bound of each part of a sum, and the solvers that take them."""

import gc
import threading

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from conftest import drawn
from test_quick import Pretended, emulated, pretended, stand_in  # noqa: F401

import nonzero as nz

TYPES = [np.complex64, np.complex128]
DEVICES = [d["name"] for d in nz.devices() if d["name"] in ("cpu", "emu")]
OPS = [(lambda A: A, lambda M: M), (lambda A: A.T, lambda M: M.T), (lambda A: A.H, lambda M: M.T.conj()),
       (lambda A: A.conj(), lambda M: M.conj())]  # fmt: skip


def numbers(rng, shape, dtype):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def complex_drawn(rng, rows, cols, dtype, format="csr", density=0.1):
    M = drawn(rng, rows, cols, density=density).astype(dtype)
    M.data = numbers(rng, M.nnz, dtype) * 10.0 ** rng.integers(-3, 4, M.nnz)
    return M.astype(dtype).asformat(format)


def assert_complex(M, x, y, alpha=1, beta=0, y0=None):
    """Each part is a sum of 2 products an entry, which alpha and beta then mix."""
    M = sp.csr_array(M)
    dtype, L = M.dtype, np.clongdouble
    assert y.dtype == dtype and y.shape == (M.shape[0],)
    row = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
    exact, size = np.zeros(M.shape[0], L), np.zeros(M.shape[0], np.longdouble)
    a, b = M.data.astype(L), np.asarray(x).astype(L)[M.indices]
    np.add.at(exact, row, a * b)
    np.add.at(size, row, (abs(a.real) + abs(a.imag)) * (abs(b.real) + abs(b.imag)))
    alpha, beta = L(dtype.type(alpha)), L(dtype.type(beta))
    y0 = np.zeros(M.shape[0], L) if y0 is None or beta == 0 else y0.astype(L)
    exact = alpha * exact + beta * y0
    size = 2 * abs(alpha) * size + 2 * abs(beta) * abs(y0) if (alpha, beta) != (1, 0) else size
    bound = (2 * np.diff(M.indptr) + 3) * np.longdouble(np.finfo(dtype).eps) / 2 * size + np.finfo(dtype).tiny
    apart = y.astype(L) - exact
    assert (abs(apart.real) <= bound).all() and (abs(apart.imag) <= bound).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", TYPES)
def test_products(rng, dtype, format, device):
    M = complex_drawn(rng, 61, 43, dtype, format)
    A = nz.plan(M, device=device, op="both")
    assert A.dtype == dtype and A.shape == (61, 43) and A.nnz == sp.csr_array(M).nnz
    for ours, theirs in OPS:
        B, N = ours(A), sp.csr_array(theirs(M))
        x, before = numbers(rng, N.shape[1], dtype), numbers(rng, N.shape[0], dtype)
        assert_complex(N, x, B @ x)
        y = before.copy()
        assert B.multiply(x, y, alpha=2 - 1j, beta=0.5j) is y
        assert_complex(N, x, y, 2 - 1j, 0.5j, before)
        assert_complex(N, x, B.matvec(x))
        assert_complex(sp.csr_array(N.conj().T), before, B.rmatvec(before))
        for order in "CF":
            X = np.asarray(numbers(rng, (N.shape[1], 3), dtype), order=order)
            Y, Z = B @ X, np.asarray(numbers(rng, (N.shape[0], 3), dtype), order=order)
            before = Z.copy()
            B.multiply(X, Z, alpha=-1j, beta=2)
            for j in range(3):
                assert_complex(N, X[:, j], Y[:, j])
                assert_complex(N, X[:, j], Z[:, j], -1j, 2, before[:, j])


@emulated
@pytest.mark.parametrize("dtype", TYPES)
def test_bound_products(rng, stand_in, dtype):  # noqa: F811
    M = complex_drawn(rng, 40, 30, dtype)
    A = nz.plan(M, device="emu", op="both")
    for ours, theirs in OPS:
        B, N = ours(A), sp.csr_array(theirs(M))
        x, before = numbers(rng, N.shape[1], dtype), numbers(rng, N.shape[0], dtype)
        for _ in range(2):
            y = B @ pretended(x)
            assert type(y) is Pretended
            assert_complex(N, x, y.array)
        y = pretended(before.copy())
        assert B.multiply(pretended(x), y, alpha=1 - 2j, beta=1j) is y
        assert_complex(N, x, y.array, 1 - 2j, 1j, before)


def test_views_are_one_plan(rng):
    A = nz.plan(complex_drawn(rng, 9, 7, np.complex128))
    assert A.T.T is A and A.H.H is A and A.conj().conj() is A and A.conjugate() is A.conj()
    assert A.T.conj() is A.H and A.H.T is A.conj() and A.conj().H is A.T and A.H.conj() is A.T
    assert len({id(B._core) for B in (A, A.T, A.H, A.conj())}) == 1
    R = nz.plan(drawn(rng, 9, 7))
    assert R.conj() is R and R.H is R.T
    H, dense = A.H, A.matmat(np.eye(7))
    del A  # the others go on without the one that made them
    gc.collect()
    assert H.H is not None and H.T.T is H and H.conj() is H.T.H
    for B, wanted in ((H, dense.conj().T), (H.T, dense.conj()), (H.H, dense), (H.conj(), dense.T)):
        np.testing.assert_allclose(B.matmat(np.eye(B.shape[1])), wanted)


def test_scipy_takes_plans(rng):
    n = 40
    M = sp.csr_array(complex_drawn(rng, n, n, np.complex128) + 200 * sp.eye_array(n) * (1 + 1j))
    A, b = nz.plan(M, op="both"), numbers(rng, n, np.complex128)
    exact = spla.spsolve(M.tocsc(), b)
    for solver in (spla.gmres, spla.bicgstab, spla.bicg, spla.qmr):  # the last two ask for the adjoint
        x, info = solver(A, b, rtol=1e-10)
        assert info == 0
        np.testing.assert_allclose(x, exact, atol=1e-6 * abs(exact).max())
    np.testing.assert_allclose((A.H @ (A @ b)), M.conj().T @ (M @ b), rtol=1e-9)
    np.testing.assert_allclose(A @ b.real.astype(complex), A.matvec(b.real))  # real vectors are brought to the type
    assert spla.aslinearoperator(A) is A


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", TYPES)
def test_solvers(rng, dtype, device):
    n, rtol = 60, 1e-4 if dtype == np.complex64 else 1e-9
    M = complex_drawn(rng, n, n, np.complex128)
    M.data /= abs(M.data).max()
    M = sp.csr_array(M + 4 * sp.eye_array(n)).astype(dtype)
    hermitian = sp.csr_array(M @ M.conj().T).astype(dtype)
    b = numbers(rng, n, dtype)
    for solver, matrix in ((nz.cg, hermitian), (nz.bicgstab, M), (nz.gmres, M)):
        for format in ("csr", "csc"):
            A = nz.plan(matrix.asformat(format), device=device)
            for ours, theirs in OPS:
                found = solver(ours(A), b, rtol=rtol)
                assert found.ok and found.x.dtype == dtype, found.message
                assert np.linalg.norm(theirs(matrix) @ found.x - b) <= 5 * rtol * np.linalg.norm(b)
    assert nz.cg(M, b).reason == "not symmetric"
    heard = []
    found = nz.gmres(M, b, callback=lambda i, r: heard.append(r), atol=1e-3, x0=b)
    assert found.ok and heard


def test_values_and_threads(rng):
    M = complex_drawn(rng, 50, 40, np.complex128)
    A, x = nz.plan(M), numbers(rng, 40, np.complex128)
    fresh = M.copy()
    fresh.data = numbers(rng, M.nnz, np.complex128)
    A.update_values(fresh.data)
    assert_complex(fresh, x, A @ x)
    A.update_values(M)
    assert_complex(M, x, A @ x)
    found = {}

    def work(i):
        for _ in range(20):
            found[i] = A.conj() @ x

    crowd = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in crowd:
        t.start()
    for t in crowd:
        t.join()
    for i in range(4):
        assert_complex(M.conj(), x, found[i])
    assert A.kernel in str(A.explain()) and A.measure() > 0 and "complex128" in repr(A)
    assert "data:image/png" in A.H._repr_html_() and nz.spy(M)[1:4] == b"PNG"


def test_what_is_wrong_is_said(rng):
    M = complex_drawn(rng, 12, 12, np.complex128)
    A, x = nz.plan(M), numbers(rng, 12, np.complex128)
    for wrong, error, words in (
        (np.ones(12), TypeError, "x is float64, but complex128 is needed"),
        (x.astype(np.complex64), TypeError, "complex64"),
        (x[:-1], ValueError, "11 elements"),
        (np.repeat(x, 2)[::2], ValueError, "contiguous"),
        (x.astype(">c16"), TypeError, "byte-swapped"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            A @ wrong
    R = nz.plan(drawn(rng, 12, 12))
    with pytest.raises(TypeError, match="complex128"):
        R @ x
    with pytest.raises(TypeError):
        R.multiply(np.ones(12), np.ones(12), alpha=1j)
    with pytest.raises(TypeError, match="complex128"):
        A.update_values(M.data.real.copy())
    with pytest.raises(TypeError, match=r'astype\("complex128"\)'):
        nz.plan(M.astype(np.clongdouble))
    for solver in (nz.bicg, nz.qmr, nz.lsqr):
        with pytest.raises(TypeError, match="cg, bicgstab and gmres take it"):
            solver(A, x)
    for call in (lambda: nz.pagerank(M), lambda: nz.stationary(A), lambda: nz.largest_eigenvalue(M), lambda: nz.lobpcg(A)):
        with pytest.raises(TypeError, match="real"):
            call()
    for call in (
        lambda: nz.gmres(A, x, preconditioner="jacobi"), lambda: nz.cg(A, x, M=nz.jacobi(sp.eye_array(12))), lambda: nz.jacobi(A),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="preconditioner"):
            call()
    for call in (lambda: nz.fsai(M), lambda: nz.plan_batch([M]), lambda: nz.info(M)):
        with pytest.raises(TypeError, match="only plans and some solvers take complex numbers"):
            call()
    with pytest.raises(TypeError):
        nz.gmres(A, x.real.copy())


def test_new_values_reach_solvers_of_all_views(rng):
    """Views outlive the plan that made them; none may solve with what was made of the old values."""
    M = drawn(rng, 40, 40, density=0.1).astype(np.complex128).tocsr()
    M.data = numbers(rng, M.nnz, np.complex128)
    M = (M + 40 * sp.eye_array(40)).tocsr()
    b = numbers(rng, 40, np.complex128)
    A = nz.plan(M)
    H, T = A.H, A.T
    assert nz.bicgstab(H, b).ok
    del A
    gc.collect()
    T.update_values(2 * M.data)
    found = nz.bicgstab(H, b, rtol=1e-10)
    assert found.ok
    assert np.linalg.norm(2 * M.T.conj() @ found.x - b) <= 1e-8 * np.linalg.norm(b)
