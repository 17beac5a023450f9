"""Other people's libraries on our products: the plug-in beside sends SciPy's products to plans.

    pytest -p nonzero_scipy python/outside/test_libraries.py

Each test asks for the library's answer with SciPy's own products first, then with ours, and that ours were called.
"""

import contextlib

import nonzero_scipy
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse._sparsetools as tools

import nonzero as nz


@contextlib.contextmanager
def scipys_own():
    ours = {name: getattr(tools, name) for name in nonzero_scipy.originals}
    try:
        for name, function in nonzero_scipy.originals.items():
            setattr(tools, name, function)
        yield
    finally:
        for name, function in ours.items():
            setattr(tools, name, function)


def done():
    return sum(nonzero_scipy.counts[name] for name in nonzero_scipy.originals)


def assert_same(answer, rtol=1e-6):
    with scipys_own():
        theirs = answer()
    before = done()
    ours = answer()
    assert done() > before
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=1e-9)


@pytest.fixture
def texts():
    """Counts of words, as bags of words have them."""
    rng = np.random.default_rng(7)
    X = sp.random_array((200, 80), density=0.1, format="csr", rng=rng)
    return sp.csr_matrix(X), (rng.random(200) < 0.5).astype(int)


def test_logistic_regression(texts):
    linear_model = pytest.importorskip("sklearn.linear_model")
    X, y = texts
    assert_same(lambda: linear_model.LogisticRegression(tol=1e-10, max_iter=2000).fit(X, y).coef_, rtol=1e-4)


def test_truncated_svd(texts):
    decomposition = pytest.importorskip("sklearn.decomposition")
    X, _ = texts
    for algorithm in ("arpack", "randomized"):
        assert_same(lambda: decomposition.TruncatedSVD(5, algorithm=algorithm, random_state=1).fit(X).singular_values_)


def test_nmf(texts):
    decomposition = pytest.importorskip("sklearn.decomposition")
    X, _ = texts
    assert_same(lambda: decomposition.NMF(4, init="nndsvda", random_state=1, max_iter=500).fit(X).reconstruction_err_)


def test_networkx_pagerank():
    networkx = pytest.importorskip("networkx")
    G = networkx.gnp_random_graph(200, 0.05, seed=3, directed=True)
    assert_same(lambda: list(networkx.pagerank(G).values()))
    # Ours, whole.
    found = nz.pagerank(networkx.to_scipy_sparse_array(G, dtype=float), rtol=1e-12)
    np.testing.assert_allclose(found.x, list(networkx.pagerank(G, tol=1e-12, max_iter=1000).values()), rtol=1e-6)


def test_pyamg():
    pyamg = pytest.importorskip("pyamg")
    A = sp.csr_matrix(nz.generate("grid:points=5,nx=40,ny=40"))
    b = np.random.default_rng(5).standard_normal(1600)

    def answer():
        np.random.seed(0)
        return pyamg.smoothed_aggregation_solver(A).solve(b, tol=1e-10)

    assert_same(answer)
    np.testing.assert_allclose(A @ answer(), b, atol=1e-6)


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_pylops(format):
    pylops = pytest.importorskip("pylops")
    M = sp.random_array((70, 50), density=0.1, format=format, rng=np.random.default_rng(2))
    for A in (nz.plan(M), nz.plan(M).T):
        assert pylops.utils.dottest(pylops.aslinearoperator(A), *A.shape, rtol=1e-12)
