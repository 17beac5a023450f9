"""The quick way of products: who takes it, who does not, and that it is right.

There is no GPU here: a class with CuPy's attributes stands in for CuPy's, its memory for the emulator's, so
that its products go through what is bound to a stream.
"""

import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import assert_product, drawn

import nonzero as nz
from nonzero import _core

emulated = pytest.mark.skipif("emu" not in [d["name"] for d in nz.devices()], reason="no emulator in this build")


class Pretended:
    """As CuPy's arrays are, in host memory."""

    def __init__(self, shape, dtype=np.float64, array=None):
        self.array = np.full(shape, np.nan, dtype) if array is None else array
        self.dtype, self.size, self.ndim, self.shape = self.array.dtype, self.array.size, self.array.ndim, self.array.shape
        self._c_contiguous = self.array.flags.c_contiguous
        self.data = SimpleNamespace(ptr=self.array.ctypes.data, device_id=0)

    def __len__(self):
        return len(self.array)


def pretended(array):
    return Pretended(None, array=array)


@pytest.fixture
def stand_in():
    _core.stand_in_for_cupy(Pretended, "emu")
    yield
    _core.stand_in_for_cupy(SimpleNamespace, "cpu")


@emulated
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bound_products(rng, stand_in, dtype):
    M = drawn(rng, 40, 30, dtype=dtype)
    A, x, z = nz.plan(M, device="emu", op="both"), rng.standard_normal(30).astype(dtype), rng.standard_normal(40).astype(dtype)
    for _ in range(3):
        y = A @ pretended(x)
        assert type(y) is Pretended and y.shape == (40,)
        assert_product(M, x, y.array)
        assert_product(M.T, z, (A.T @ pretended(z)).array)
    before = rng.standard_normal(40).astype(dtype)
    y = pretended(before.copy())
    assert A.multiply(pretended(x), y, alpha=2, beta=-0.5) is y
    assert_product(M, x, y.array, 2, -0.5, before)


@emulated
def test_bound_products_see_new_values(rng, stand_in):
    M = drawn(rng, 40, 30)
    A, x = nz.plan(M, device="emu"), rng.standard_normal(30)
    A @ pretended(x)
    M2 = M.copy()
    M2.data = rng.standard_normal(M.nnz)
    A.update_values(M2.data)
    assert_product(M2, x, (A @ pretended(x)).array)


@emulated
def test_threads_share_a_bound_product(rng, stand_in):
    # csr/balanced has scratch memory, which threads must not use at the same time.
    M = sp.csr_array(np.ones((3, 5000)))
    A = nz.plan(M, device="emu", kernel="gpu/csr/balanced")
    X, results = rng.standard_normal((4, 5000)), {}

    def work(i):
        for _ in range(5):
            results[i] = (A @ pretended(X[i])).array

    crowd = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in crowd:
        t.start()
    for t in crowd:
        t.join()
    for i in range(4):
        assert_product(M, X[i], results[i])


@emulated
def test_several_on_a_device(rng, stand_in):
    M = drawn(rng, 41, 31)
    A, X = nz.plan(M, device="emu", op="both"), rng.standard_normal((31, 3))
    before = rng.standard_normal((41, 3))
    Y = pretended(before.copy())
    assert A.multiply(pretended(X), Y, alpha=2, beta=-1) is Y
    W = pretended(np.full((31, 3), np.nan))
    assert A.T.multiply(pretended(before), W) is W
    for j in range(3):
        assert_product(M, X[:, j], Y.array[:, j], 2, -1, before[:, j])
        assert_product(M.T, before[:, j], W.array[:, j])
    Z = A @ pretended(X)
    assert type(Z) is Pretended and Z.shape == (41, 3)
    V = A.T @ pretended(before)
    for j in range(3):
        assert_product(M, X[:, j], Z.array[:, j])
        assert_product(M.T, before[:, j], V.array[:, j])
    for x in (pretended(X[:, :2].copy()), pretended(X[:30]), pretended(X.T.copy()), pretended(np.asfortranarray(X)), X):
        assert not A._core.several_into(x, Y, 1, 0, False)


@emulated
def test_what_is_not_quick(rng, stand_in):
    A, x = nz.plan(drawn(rng, 40, 30), device="emu"), rng.standard_normal(30)
    assert A._apply(pretended(x)) is not None
    for wrong in (x[:-1], x.astype(np.float32), rng.standard_normal(60)[::2], x.reshape(1, 30), x.astype(">f8")):
        assert A._apply(pretended(wrong)) is None
    for missing in ("dtype", "data", "size", "ndim"):
        broken = pretended(x)
        delattr(broken, missing)
        assert A._apply(broken) is None
    broken = pretended(x)
    broken.data = SimpleNamespace(ptr="nowhere", device_id=0)
    assert A._apply(broken) is None
    # Vectors of one library on another device than the plan's, of two libraries, and that overlap.
    assert nz.plan(drawn(rng, 40, 30))._apply(pretended(x)) is None
    assert not A._into(pretended(x), np.empty(40), 1, 0)
    S = nz.plan(drawn(rng, 30, 30), device="emu")
    assert not S._into(pretended(x), pretended(x), 1, 0)
    with pytest.raises((TypeError, ValueError)):
        S.multiply(pretended(x), pretended(x))


def test_numpy_is_quick_or_careful(rng):
    A, x, y = nz.plan(drawn(rng, 40, 30)), rng.standard_normal(30), np.empty(40)
    assert A._apply(x) is not None and A._into(x, y, 1, 0)
    y.flags.writeable = False
    assert not A._into(x, y, 1, 0)
    with pytest.raises(ValueError, match="read-only"):
        A.multiply(x, y)
    for other in (None, 3, "x", [1.0] * 30, x[::-1], x[:5], np.ones(30, np.float32), np.matrix(x)):
        assert A._apply(other) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_matrices_of_numpy_are_quick_or_careful(rng, dtype):
    M = drawn(rng, 40, 30, dtype=np.float64).astype(dtype)
    if M.dtype.kind == "c":
        M.data = M.data + 1j * rng.standard_normal(M.nnz).astype(M.data.real.dtype)
    A = nz.plan(M, op="both")
    for k in (1, 2, 3, 8, 17):
        X, Z = rng.standard_normal((30, k)).astype(dtype), rng.standard_normal((40, k)).astype(dtype)
        for B, dense, x in ((A, M, X), (A.T, M.T, Z), (A.H, M.conj().T, Z), (A.conj(), M.conj(), X)):
            Y = B._apply(x)
            assert Y.shape == (B.shape[0], k) and Y.dtype == dtype and Y.flags.c_contiguous
            assert (abs(Y - dense @ x) <= 100 * np.finfo(dtype).eps * (abs(dense) @ abs(x))).all()
            assert (abs(Y - B @ x) <= 100 * np.finfo(dtype).eps * (abs(dense) @ abs(x))).all()
    X = rng.standard_normal((30, 4)).astype(dtype)
    for other in (np.asfortranarray(X), X[:, :2], X[:29], X.T.copy(), X[:, :0], X.reshape(30, 2, 2), np.ones((30, 4), int)):
        assert A._apply(other) is None
    assert (A @ X[:, :0]).shape == (40, 0)
    assert (abs(A @ np.asfortranarray(X) - A @ X) <= 100 * np.finfo(dtype).eps * (abs(M) @ abs(X))).all()
    with pytest.raises(ValueError, match="30 rows"):
        A @ X[:29]
    assert nz.plan(sp.csr_array((0, 3)))._apply(np.ones((3, 2))) is None
    assert (nz.plan(sp.csr_array((3, 0))) @ np.ones((0, 2)) == np.zeros((3, 2))).all()


TORCH = """
import sys, types
import numpy as np, scipy.sparse as sp, nonzero as nz

class Tensor:
    def __init__(self, array, **other):
        self.array, self.requires_grad, self.is_cuda, self.is_cpu, self.neg = array, False, False, True, False
        self.dtype, self.conjugated = getattr(torch, array.dtype.name), False
        self.__dict__.update(other)
    def is_contiguous(self): return self.array.flags.c_contiguous
    def is_neg(self): return self.neg
    def is_conj(self): return self.conjugated
    def dim(self): return self.array.ndim
    def numel(self): return self.array.size
    def data_ptr(self): return self.array.ctypes.data
    def get_device(self): return 0 if self.is_cuda else -1
    def new_empty(self, *shape): return Tensor(np.full(shape, np.nan, self.array.dtype))
    def __len__(self): return len(self.array)

A, x = nz.plan(sp.csr_array([[4.0, 0, 1], [0, 3, 0]])), np.array([1.0, 2, 3])
assert A._apply(Tensor.__new__(Tensor)) is None  # there is no torch yet
torch = types.ModuleType("torch")
sys.modules["torch"] = torch
assert A._apply(Tensor.__new__(Tensor)) is None  # half of it is imported
torch.float32, torch.float64, torch.complex64, torch.complex128 = object(), object(), object(), object()
torch.Tensor = Tensor
y = A @ Tensor(x)
assert type(y) is Tensor and (y.array == [7, 6]).all()
Y = A @ Tensor(np.array([[1.0, 0], [2, 0], [3, 1]]))
assert type(Y) is Tensor and (Y.array == [[7, 1], [6, 0]]).all()
out = Tensor(np.ones(2))
assert A.multiply(Tensor(x), out, alpha=2, beta=1) is out and (out.array == [15, 13]).all()
for wrong in (dict(requires_grad=True), dict(neg=True), dict(is_cpu=False), dict(is_cuda=True, is_cpu=False),
              dict(dtype=torch.float32), dict(numel=lambda: 2), dict(data_ptr=lambda: 1 / 0)):
    assert A._apply(Tensor(x, **wrong)) is None
Z, z = nz.plan(sp.csr_array([[1j, 2], [0, 3]])), np.array([1, 1j])
assert ((Z @ Tensor(z)).array == [3j, 3j]).all() and ((Z.H @ Tensor(z)).array == [-1j, 2 + 3j]).all()
assert Z._apply(Tensor(z, conjugated=True)) is None and Z._apply(Tensor(x[:2])) is None and A._apply(Tensor(z)) is None
"""


def test_torch_stand_in():
    subprocess.run([sys.executable, "-c", TORCH], check=True)
