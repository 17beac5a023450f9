"""Solvers, preconditioners and batches on a GPU, with vectors of CuPy's and PyTorch's."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from gpu_kinds import DEVICE, LIBRARIES, assert_right, library, matrix, needs_cuda, vector

import nonzero as nz


@pytest.fixture(params=LIBRARIES)
def lib(request):
    return library(request.param)


def poisson():
    return sp.csr_array(nz.generate("grid:points=5,nx=20,ny=20"))


def general(rng, dtype=np.float64, n=400):
    """Far from symmetric, and easy to solve."""
    M = matrix(rng, n, n, dtype, density=0.01)
    M.data /= abs(M.data).max() * 4
    return sp.csr_array(M + sp.diags_array(np.full(n, 30), dtype=dtype)).astype(dtype)


def assert_solved(lib, M, found, b, there, tolerance):
    assert found.ok, found.message
    assert type(found.x) is type(there) and found.x.dtype == there.dtype
    x = lib.back(found.x).astype(np.complex128 if M.dtype.kind == "c" else np.float64)
    assert np.linalg.norm(M @ x - b) <= tolerance * np.linalg.norm(b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["cg", "bicg", "bicgstab", "qmr", "gmres"])
def test_solvers(lib, rng, name, dtype):
    M = poisson().astype(dtype) if name == "cg" else general(rng, dtype)
    rtol, heard = 1e-4 if dtype == np.float32 else 1e-9, []
    A, b = nz.plan(lib.matrix(M), device=DEVICE, op="both"), vector(rng, 400, dtype)
    there = lib.there(b)
    found = getattr(nz, name)(A, there, rtol=rtol, callback=lambda i, r: heard.append(r))
    assert_solved(lib, M, found, b, there, 20 * rtol)
    assert len(heard) >= found.iterations > 0
    np.testing.assert_array_equal(lib.back(there), b)  # b is only read
    again = getattr(nz, name)(A, there, found.x, rtol=20 * rtol)
    assert again.ok and again.iterations <= 1
    assert_solved(lib, M, getattr(nz, name)(A, there, lib.back(found.x), rtol=20 * rtol), b, there, 40 * rtol)  # x0 of NumPy
    # b in host memory, with the plan on the GPU.
    here = getattr(nz, name)(A, b, rtol=rtol)
    assert here.ok and type(here.x) is np.ndarray
    assert np.linalg.norm(M.astype(np.float64) @ here.x - b) <= 20 * rtol * np.linalg.norm(b)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres"])
def test_complex_solvers(lib, rng, name, dtype):
    M = general(rng, dtype, 120)
    if name == "cg":
        M = sp.csr_array(M @ M.conj().T)
    rtol, b = 1e-4 if dtype == np.complex64 else 1e-9, vector(rng, 120, dtype)
    there = lib.there(b)
    A = nz.plan(lib.matrix(M), device=DEVICE)
    for B, N in ((A, M), (A.H, M.conj().T), (A.T, M.T), (A.conj(), M.conj())):
        found = getattr(nz, name)(B, there, rtol=rtol, atol=1e-30)
        assert_solved(lib, sp.csr_array(N), found, b, there, 20 * rtol)


def test_least_squares(lib, rng):
    M = matrix(rng, 300, 60, density=0.1)
    M.data /= abs(M.data).max()
    M = sp.csr_array(sp.vstack([M, sp.eye_array(60)]))
    b = vector(rng, 360)
    there = lib.there(b)
    found = nz.lsqr(nz.plan(lib.matrix(M), device=DEVICE, op="both"), there, rtol=1e-12, maxiter=2000)
    exact = np.linalg.lstsq(M.toarray(), b, rcond=None)[0]
    assert type(found.x) is type(there)
    np.testing.assert_allclose(lib.back(found.x), exact, atol=1e-6 * abs(exact).max())


@pytest.mark.parametrize("name", ["jacobi", "block_jacobi:4", "fsai", "fsai:2", "chebyshev:4", "spai0"])
def test_preconditioners(lib, rng, name):
    M, b = poisson(), vector(rng, 400)
    there = lib.there(b)
    for source in (M, lib.matrix(M)):
        A = nz.plan(source, device=DEVICE)
        assert_solved(lib, M, nz.cg(A, there, rtol=1e-9, preconditioner=name), b, there, 1e-7)
    if name == "jacobi":
        assert_solved(lib, M, nz.cg(A, there, rtol=1e-9, M=nz.fsai(A)), b, there, 1e-7)
        with pytest.raises(ValueError, match="for the CPU alone"):
            nz.cg(A, there, preconditioner="ic0")


def test_solvers_of_transposes(lib, rng):
    M, b = general(rng), vector(rng, 400)
    there = lib.there(b)
    for format in ("csr", "csc"):
        A = nz.plan(lib.matrix(M, format), device=DEVICE, op="both")
        assert_solved(lib, M, nz.gmres(A, there, rtol=1e-9), b, there, 1e-7)
        assert_solved(lib, sp.csr_array(M.T), nz.bicgstab(A.T, there, rtol=1e-9), b, there, 1e-7)


def test_eigenvalues(lib):
    M = poisson()
    A = nz.plan(lib.matrix(M), device=DEVICE)
    exact = np.linalg.eigvalsh(M.toarray())
    found = nz.lobpcg(A, 3, rtol=1e-9)
    assert found.ok
    np.testing.assert_allclose(found.values, exact[:3], rtol=1e-6)
    assert np.linalg.norm(M @ found.x - found.x * found.values) < 1e-5
    again = nz.lobpcg(A, 3, lib.there(np.asfortranarray(found.x)), rtol=1e-7)  # x0 from the GPU
    assert again.ok and again.iterations <= 2
    np.testing.assert_allclose(nz.lobpcg(A, 2, largest=True, rtol=1e-9).values.max(), exact[-1], rtol=1e-6)
    np.testing.assert_allclose(nz.largest_eigenvalue(A, rtol=1e-10, maxiter=5000).value, exact[-1], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ranks_and_chains(lib, rng, dtype):
    # Everybody can reach everybody, in few steps: a ring, and edges across it.
    G = sp.random_array((200, 200), density=0.03, format="csr", rng=rng, data_sampler=lambda size: 0.5 + rng.random(size))
    G = sp.csr_array(G + sp.csr_array(np.roll(np.eye(200), 1, axis=1))).astype(dtype)
    rtol = 1e-5 if dtype == np.float32 else 1e-10
    close = dict(rtol=1e-2 if dtype == np.float32 else 1e-6, atol=1e-4 if dtype == np.float32 else 1e-9)
    A = nz.plan(lib.matrix(G), device=DEVICE, op="both")
    out = lib.there(np.full(200, np.nan, dtype))
    weights = rng.random(200).astype(dtype) + dtype(0.1)
    for given in (None, weights, lib.there(weights)):
        exact = nz.pagerank(G.astype(np.float64), rtol=1e-12, personalisation=None if given is None else weights.astype(np.float64)).x
        found = nz.pagerank(A, rtol=rtol, out=out, personalisation=given)
        assert found.ok and found.x is out
        np.testing.assert_allclose(lib.back(out), exact, **close)
    P = sp.csr_array(sp.diags_array(1 / np.asarray(G.sum(axis=1)).ravel()) @ G).astype(dtype)
    exact = nz.stationary(P.astype(np.float64), rtol=1e-12, laziness=0.1, maxiter=20000).x
    found = nz.stationary(nz.plan(lib.matrix(P), device=DEVICE, op="T"), rtol=rtol, laziness=0.1, out=out, maxiter=20000)
    assert found.ok and found.x is out
    np.testing.assert_allclose(lib.back(out), exact, **close)


def test_solvers_of_scipy(lib, rng):
    M, b = poisson(), vector(rng, 400)
    x, info = spla.cg(nz.plan(lib.matrix(M), device=DEVICE), b, rtol=1e-9)
    assert info == 0 and np.linalg.norm(M @ x - b) <= 1e-7 * np.linalg.norm(b)


def batch_matrix(M, values):
    return sp.csr_array((values, M.indices, M.indptr), M.shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("where", ["structure there", "structure in host memory", "all in host memory", "csc"])
def test_batches_of_one_structure(lib, rng, dtype, where):
    M = matrix(rng, 37, 23, dtype, density=0.2)
    M = M.tocsc() if where == "csc" else M
    values, x, before = vector(rng, (5, M.nnz), dtype), vector(rng, (5, 23), dtype), vector(rng, (5, 37), dtype)
    structure = lib.matrix(M, M.format) if where in ("structure there", "csc") else M
    there = values if where == "all in host memory" else lib.there(values)
    B = nz.plan_batch(structure, there, device=DEVICE)
    assert B.device == DEVICE and len(B) == 5

    def of(i):
        return sp.csr_array(type(M)((values[i], M.indices, M.indptr), M.shape))

    for turn in range(2):
        for shape in ((5, -1), (-1,)):
            y = B @ lib.there(x.reshape(shape))
            assert type(y) is type(lib.there(x)) and y.dtype == lib.there(x).dtype
            out = lib.there(before.reshape(shape))
            assert B.multiply(lib.there(x.reshape(shape)), out, alpha=2, beta=-1) is out
            for i in range(5):
                assert_right(of(i), x[i], lib.back(y).reshape(5, -1)[i])
                assert_right(of(i), x[i], lib.back(out).reshape(5, -1)[i], 2, -1, before[i])
        z = lib.back(B.T @ lib.there(before))
        assert z.shape == (5, 23)
        for i in range(5):
            assert_right(sp.csr_array(of(i).T), before[i], z[i])
        host = B @ x  # vectors in host memory
        assert type(host) is np.ndarray
        assert_right(of(4), x[4], host[4])
        values = vector(rng, (5, M.nnz), dtype)
        B.update_values(values if where == "all in host memory" else lib.there(values))


def test_batches_of_any_shapes(lib, rng):
    shapes = [(3, 4), (40, 1), (1, 40), (0, 3), (3, 0), (17, 17)]
    matrices = [matrix(rng, *s, density=0.4) for s in shapes]
    for given in (matrices, [lib.matrix(M) for M in matrices if M.nnz]):
        kept = matrices if given is matrices else [M for M in matrices if M.nnz]
        B = nz.plan_batch(given, device=DEVICE)
        x = [vector(rng, M.shape[1]) for M in kept]
        y = B @ lib.there(np.concatenate(x))
        for M, one, got in zip(kept, x, B.split(y), strict=True):
            assert_right(M, one, lib.back(got))


def test_batches_refuse_what_they_do_not_take(lib, rng):
    M = matrix(rng, 30, 20)
    values = vector(rng, (3, M.nnz))
    B = nz.plan_batch(M, lib.there(values), device=DEVICE)
    with pytest.raises(TypeError, match="x is float32"):
        B @ lib.there(vector(rng, (3, 20), np.float32))
    with pytest.raises(ValueError, match="shape"):
        B @ lib.there(vector(rng, (3, 21)))
    with pytest.raises(ValueError, match="contiguous"):
        B @ lib.there(vector(rng, (3, 40)))[:, ::2]
    if lib.name == "torch":
        one = lib.there(vector(rng, (3, 20)))
        y = lib.back(nz.plan_batch(M, lib.lib._neg_view(lib.there(values))) @ one)
        for i in range(3):
            assert_right(batch_matrix(M, -values[i]), lib.back(one)[i], y[i])
        x = lib.lib._neg_view(lib.there(vector(rng, (3, 20))))
        y = lib.back(B @ x)
        for i in range(3):
            assert_right(batch_matrix(M, values[i]), lib.back(x)[i], y[i])


def test_values_of_a_batch_are_borrowed(lib, rng):
    needs_cuda(lib)
    M = matrix(rng, 30, 20)
    values, x = vector(rng, (3, M.nnz)), vector(rng, (3, 20))
    there = lib.there(values)
    B = nz.plan_batch(M, there)
    assert B.device == DEVICE and B.facts()["borrows"]
    lib.fill(there, lib.there(3 * values))
    y = lib.back(B @ lib.there(x))
    for i in range(3):
        assert_right(batch_matrix(M, 3 * values[i]), x[i], y[i])
    del there  # the batch keeps what it borrows
    trash = [lib.there(np.full((3, M.nnz), 77.0)) for _ in range(8)]
    assert_right(batch_matrix(M, 3 * values[0]), x[0], lib.back(B @ lib.there(x))[0])
    del trash
