"""Solvers against the systems they solve, and what they say where they cannot."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import nonzero as nz


@pytest.fixture
def spd():
    return nz.generate("grid:points=5,nx=15,ny=15")


def lopsided(rng, n=120):
    """Square, not symmetric, and kind to every method."""
    A = sp.random_array((n, n), density=0.05, format="csr", rng=rng)
    return sp.csr_array(A + 5 * sp.eye_array(n))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cg(rng, spd, dtype):
    M, b = spd.astype(dtype), rng.standard_normal(225).astype(dtype)
    found = nz.cg(M, b, rtol=1e-4)
    assert found.ok and found.reason == "converged" and found.x.dtype == dtype
    assert len(found.history) == found.iterations + 1 and found.history[-1] == found.residual <= 1e-4
    assert np.linalg.norm(b - M @ found.x) <= 2e-4 * np.linalg.norm(b)


@pytest.mark.parametrize("solver", [nz.cg, nz.bicg, nz.bicgstab, nz.gmres])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ok_is_what_the_solution_is(rng, spd, solver, dtype):
    """Single precision does not get to 1e-10, whatever residual the method carries along; double does."""
    M, b = spd.astype(dtype), rng.standard_normal(225).astype(dtype)
    found = solver(M, b, rtol=1e-10)
    D, right, x = M.astype(float), b.astype(float), found.x.astype(float)
    rest = np.linalg.norm(right - D @ x) / np.linalg.norm(right)
    # What rounding may make of it: rows have 5 entries.
    bound = 8 * np.finfo(dtype).eps / 2 * np.linalg.norm(abs(D) @ abs(x) + abs(right)) / np.linalg.norm(right)
    assert abs(found.residual - rest) <= bound
    if dtype == np.float64:
        assert found.ok and found.reason == "converged" and rest <= 1.01e-10
    else:
        assert not found.ok and rest > 1e-8
        if solver in (nz.cg, nz.gmres):  # the others may break down first
            assert found.reason == "stagnated" and tuple(found)[1] == -1


@pytest.mark.parametrize("solver", [nz.bicg, nz.bicgstab, nz.qmr, nz.gmres])
@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("turned", [False, True])
def test_square(rng, solver, format, turned):
    M = lopsided(rng).asformat(format)
    A, D = nz.plan(M), M.toarray()
    if turned:
        A, D = A.T, D.T
    b = rng.standard_normal(120)
    x, info = solver(A, b, rtol=1e-9)
    assert info == 0
    np.testing.assert_allclose(D @ x, b, atol=1e-7)


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_lsqr(rng, format):
    M = sp.csr_array(sp.vstack([lopsided(rng, 50), sp.random_array((30, 50), density=0.1, rng=rng)]))
    b = rng.standard_normal(80)
    found = nz.lsqr(M.asformat(format), b, rtol=1e-12)
    assert found.ok and found.reason == "converged to least squares"
    np.testing.assert_allclose(found.x, np.linalg.lstsq(M.toarray(), b)[0], atol=1e-6)


def test_preconditioners(rng, spd):
    scale = sp.diags_array(10.0 ** rng.uniform(-2, 2, 225))
    M, b = sp.csr_array(scale @ spd @ scale), rng.standard_normal(225)
    plain = nz.cg(M, b, rtol=1e-8, maxiter=5000)
    for options in ({"preconditioner": "jacobi"}, {"M": "jacobi"}, {"M": nz.jacobi(M)}, {"M": nz.block_jacobi(M, 3)},
                    {"preconditioner": "block_jacobi:3"}, {"M": nz.jacobi(nz.plan(M.tocsc()))}):  # fmt: skip
        found = nz.cg(M, b, rtol=1e-8, maxiter=5000, **options)
        assert found.ok and found.iterations < plain.iterations
    turned = nz.plan(lopsided(rng).tocsc())
    assert nz.gmres(turned, b[:120], M=nz.block_jacobi(turned, 4)).ok


def test_a_diagonal_matrix_as_M(rng, spd):
    scale = sp.diags_array(10.0 ** rng.uniform(-2, 2, 225))
    M, b = sp.csr_array(scale @ spd @ scale), rng.standard_normal(225)
    inverse = sp.diags_array(1 / M.diagonal())
    ours, jacobi = (nz.cg(M, b, rtol=1e-8, maxiter=5000, M=given) for given in (inverse, "jacobi"))
    assert ours.ok and abs(ours.iterations - jacobi.iterations) <= 1
    with pytest.raises(TypeError, match="scipy.sparse.linalg"):
        nz.cg(M, b, M=spla.aslinearoperator(inverse))
    with pytest.raises(ValueError, match="225 x 225 is needed"):
        nz.cg(M, b, M=sp.eye_array(3))
    with pytest.raises(ValueError, match="row 0"):
        nz.cg(M, b, M=sp.diags_array(np.zeros(225)))


def test_start_limit_and_atol(rng, spd):
    b = rng.standard_normal(225)
    exact = spla.spsolve(spd.tocsc(), b)
    assert nz.cg(spd, b, x0=exact, rtol=1e-8).iterations == 0
    short = nz.cg(spd, b, maxiter=3, rtol=1e-12)
    assert not short.ok and short.iterations == 3 and tuple(short)[1] == 3
    loose = nz.cg(spd, b, rtol=0.0, atol=1e-3)
    assert loose.ok and np.linalg.norm(b - spd @ loose.x) <= 2e-3


def test_callback(spd):
    heard = []
    found = nz.cg(spd, np.ones(225), callback=lambda i, r: heard.append((i, r)), rtol=1e-6)
    assert [r for _, r in heard] == list(found.history[-len(heard):]) and len(heard) >= found.iterations
    stopped = nz.cg(spd, np.ones(225), callback=lambda i, r: i < 4, rtol=1e-6)
    assert stopped.reason == "stopped" and not stopped.ok and tuple(stopped)[1] == -1

    def fail(i, r):
        raise KeyError("from the callback")

    with pytest.raises(KeyError, match="from the callback"):
        nz.cg(spd, np.ones(225), callback=fail)


def test_what_cannot_be_solved(rng, spd):
    assert nz.cg(lopsided(rng), np.ones(120)).reason == "not symmetric"
    assert nz.cg(-spd, np.ones(225)).reason == "not positive definite"
    with pytest.raises(ValueError):
        nz.cg(sp.csr_array((3, 4)), np.ones(3))
    with pytest.raises(ValueError, match="225"):
        nz.cg(spd, np.ones(9))
    with pytest.raises(TypeError, match="float32"):
        nz.cg(spd, np.ones(225, np.float32))
    with pytest.raises(TypeError, match="jacobi"):
        nz.cg(spd, np.ones(225), M=spla.aslinearoperator(spd))
    with pytest.raises(TypeError, match="float64"):
        nz.cg(spd, np.ones(225), M=nz.jacobi(spd.astype(np.float32)))
    for bad in ({"preconditioner": "ilu"}, {"preconditioner": "jacobi", "M": "jacobi"}, {"maxiter": -1},
                {"preconditioner": "block_jacobi:0"}, {"preconditioner": "block_jacobi"}):  # fmt: skip
        with pytest.raises(ValueError):
            nz.cg(spd, np.ones(225), **bad)
    with pytest.raises(nz.BadInput, match="row"):
        nz.jacobi(sp.csr_array((3, 3)))


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_chains(rng, format):
    graph = sp.random_array((60, 60), density=0.1, format="csr", rng=rng)
    chain = sp.csr_array(graph + sp.eye_array(60))
    chain = sp.csr_array(sp.diags_array(1 / chain.sum(axis=1)) @ chain)
    found = nz.stationary(chain.asformat(format), rtol=1e-12, maxiter=20000)
    assert found.ok and abs(found.x.sum() - 1) < 1e-12
    out = np.empty(60)
    assert nz.stationary(chain.asformat(format), rtol=1e-12, maxiter=20000, out=out).x is out
    np.testing.assert_allclose(out, found.x)
    np.testing.assert_allclose(found.x @ chain.toarray(), found.x, atol=1e-10)

    ranks = nz.pagerank(graph.asformat(format), damping=0.8, personalisation=np.arange(1, 61))
    out = graph.sum(axis=1)
    start = np.arange(1, 61) / np.arange(1, 61).sum()
    P = np.where(out[:, None] > 0, graph.toarray() / np.where(out, out, 1)[:, None], start)
    np.testing.assert_allclose(ranks.x, 0.8 * ranks.x @ P + 0.2 * start, atol=1e-9)


def test_eigenvalue(spd):
    found = nz.largest_eigenvalue(spd, rtol=1e-8)
    assert found.ok and found.x is None
    np.testing.assert_allclose(found.value, spla.eigsh(spd, k=1, which="LA")[0][0], rtol=1e-6)
