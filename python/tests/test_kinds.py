"""Arrays of other libraries, where those are installed: the kind that goes in comes out."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import assert_product, drawn

import nonzero as nz


class Lent:
    """An array that has nothing but DLPack."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(rng):
    M = drawn(rng, 40, 30)
    A, x, y = nz.plan(M), rng.standard_normal(30), np.ones(40)
    A.multiply(Lent(x), Lent(y), alpha=2, beta=1)
    assert_product(M, x, y, 2, 1, np.ones(40))
    with pytest.raises(ValueError, match="contiguous"):
        A.multiply(Lent(np.ones(60)[::2]), y)
    with pytest.raises(TypeError, match="float32"):
        A.multiply(Lent(np.ones(30, np.float32)), y)
    with pytest.raises(TypeError, match="out="):
        A @ Lent(x)
    for order in "CF":
        X, Y = np.asarray(rng.standard_normal((30, 4)), order=order), np.ones((40, 4), order=order)
        A.multiply(Lent(X[:, :3]), Lent(Y[:, :3]), alpha=2, beta=1)
        for j in range(3):
            assert_product(M, X[:, j], Y[:, j], 2, 1, np.ones(40))
        assert (Y[:, 3] == 1).all()
    with pytest.raises(ValueError, match="neither"):
        A.multiply(Lent(np.ones((60, 4))[::2, ::2]), np.ones((40, 2)))


def test_array_api(rng):
    strict = pytest.importorskip("array_api_strict")
    M = drawn(rng, 40, 30)
    x = rng.standard_normal(30)
    y = nz.plan(M) @ strict.asarray(x)
    assert type(y) is type(strict.asarray(x))
    assert_product(M, x, np.asarray(y))
    X = rng.standard_normal((30, 3))
    Y = nz.plan(M) @ strict.asarray(X)
    assert type(Y) is type(y) and Y.shape == (40, 3)
    for j in range(3):
        assert_product(M, X[:, j], np.asarray(Y)[:, j])


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_torch(rng, layout):
    torch = pytest.importorskip("torch")
    M = drawn(rng, 40, 30)
    dense = torch.from_numpy(M.toarray())
    tensor = {"csr": dense.to_sparse_csr, "csc": dense.to_sparse_csc, "coo": dense.to_sparse}[layout]()
    A, x = nz.plan(tensor), torch.from_numpy(rng.standard_normal(30))
    y = A @ x
    assert isinstance(y, torch.Tensor)
    assert_product(M, x.numpy(), y.numpy())
    out = torch.zeros(40, dtype=torch.float64)
    place = out.data_ptr()
    assert A.multiply(x, out) is out and out.data_ptr() == place
    assert_product(M, x.numpy(), out.numpy())
    X = torch.from_numpy(rng.standard_normal((30, 3)))
    assert_product(M, X[:, 1].numpy(), (A @ X)[:, 1].numpy())
    turned = torch.from_numpy(rng.standard_normal((3, 60))).T
    for X in (turned[:30], turned[::2]):
        assert_product(M, X[:, 2].numpy(), (A @ X)[:, 2].numpy())
    np.testing.assert_allclose((nz.plan(tensor.to(torch.complex128)) @ x.to(torch.complex128)).numpy(), M @ x.numpy(), rtol=1e-9, atol=1e-9)
    with pytest.raises(TypeError, match=r"values are int64.*: matrix\.to\(torch\.float64\)"):
        nz.plan(tensor.to(torch.int64))
    with pytest.raises(TypeError, match=r"x is float32, but float64 is needed: x\.to\(torch\.float64\)"):
        A @ x.to(torch.float32)
    with pytest.raises(ValueError, match=r"x is not contiguous: x\.contiguous\(\) makes a copy that is"):
        A @ torch.zeros(60, dtype=torch.float64)[::2]
    with pytest.raises(ValueError, match=r"row nor column by column: x\.contiguous\(\) makes a copy that does"):
        A.multiply(turned[::2, ::2], torch.zeros((40, 2), dtype=torch.float64))


def test_first_guesses_of_any_kind(rng):
    torch = pytest.importorskip("torch")
    M = sp.csr_array(nz.generate("grid:points=5,nx=9,ny=9"))
    b = rng.standard_normal(81)
    exact = nz.cg(M, b, rtol=1e-12).x
    for there in (b, torch.from_numpy(b)):
        for x0 in (exact, list(exact), torch.from_numpy(exact), torch.from_numpy(exact).to(torch.float32).to(torch.float64)):
            found = nz.cg(M, there, x0, rtol=1e-5)
            assert found.ok and found.iterations == 0 and type(found.x) is type(there)
    vectors = torch.from_numpy(nz.lobpcg(M, 2, rtol=1e-9).x.copy())
    assert nz.lobpcg(M, 2, vectors, rtol=1e-7).iterations <= 1
    ranks = nz.pagerank(M, personalisation=torch.ones(81, dtype=torch.float64)).x
    np.testing.assert_allclose(ranks, nz.pagerank(M).x, rtol=1e-6)


def test_cupy(rng):
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("no GPU")
    import cupyx.scipy.sparse as csp

    M = drawn(rng, 400, 300)
    for format in ("csr", "csc", "coo"):
        there = csp.csr_matrix(sp.csr_matrix(M)).asformat(format)
        A = nz.plan(there, op="both")
        x = cupy.asarray(rng.standard_normal(300))
        y = A @ x
        assert isinstance(y, cupy.ndarray) and A.device == "cuda:0"
        assert_product(M, x.get(), y.get())
        stream = cupy.cuda.Stream(non_blocking=True)
        A.multiply(x, y, alpha=2, stream=stream)
        stream.synchronize()
        assert_product(M, x.get(), y.get(), 2)
