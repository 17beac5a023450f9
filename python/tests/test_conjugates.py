"""PyTorch's conj() changes no memory, it makes a note: that is heeded, or the tensor is refused. With a stand-in."""

import subprocess
import sys

import pytest

STAND_IN = """
import sys, types
import numpy as np, scipy.sparse as sp, nonzero as nz

class Tensor:
    # Neither way to the memory tells of the notes: nor does torch.utils.dlpack.to_dlpack, or __cuda_array_interface__.
    def __init__(self, array, conj=False, neg=False, cuda=False):
        self.array, self.conj, self.neg, self.is_cuda, self.is_cpu = array, conj, neg, cuda, not cuda
        self.dtype, self.shape, self.ndim, self.requires_grad = getattr(torch, array.dtype.name), array.shape, array.ndim, False
        self.device = "cuda:0" if cuda else "cpu"
        if cuda:  # memory that must never be touched
            self.__cuda_array_interface__ = dict(data=(16, False), shape=self.shape, typestr=array.dtype.str, version=3)
    def __dlpack__(self, **how): return self.array.__dlpack__(**how)
    def __dlpack_device__(self): return (2, 0) if self.is_cuda else (1, 0)
    def __len__(self): return len(self.array)
    def __getitem__(self, at): return self.array[at]
    def __setitem__(self, at, value): self.array[at] = value
    def is_conj(self): return self.conj
    def is_neg(self): return self.neg
    def resolve_conj(self):
        Cuda.log.append(("resolves", Cuda.now))
        return Tensor(self.array.conj(), False, self.neg)
    def resolve_neg(self): return Tensor(-self.array, self.conj)
    def is_contiguous(self): return self.array.flags.c_contiguous
    def dim(self): return self.array.ndim
    def numel(self): return self.array.size
    def stride(self): return tuple(s // self.array.itemsize for s in self.array.strides)
    def data_ptr(self): return self.array.ctypes.data
    def get_device(self): return 0 if self.is_cuda else -1
    def new_empty(self, n): return Tensor(np.full(n, np.nan, self.array.dtype))

# Streams are their numbers; what is resolved goes into the log with the stream that was current.
class On:
    def __init__(self, stream): self.stream = stream
    def __enter__(self): self.before, Cuda.now = Cuda.now, self.stream
    def __exit__(self, *how): Cuda.now = self.before
class Cuda:
    now, log, stream = 0, [], On
    def default_stream(device): return 0
    def ExternalStream(handle, device): return handle
    def current_stream(device): return types.SimpleNamespace(cuda_stream=Cuda.now, synchronize=lambda: Cuda.log.append(("waits", Cuda.now)))

Tensor.__module__ = "torch"
torch = types.ModuleType("torch")
for name in ("float32", "float64", "complex64", "complex128", "int32", "int64"): setattr(torch, name, "torch." + name)
torch.Tensor, torch.cuda = Tensor, Cuda
sys.modules["torch"] = torch

def refused(call, words):
    try:
        call()
    except ValueError as e:
        assert words in str(e), e
    else:
        raise AssertionError("was taken")

M = sp.csr_array([[2, 1j, 0], [-1j, 3, 1], [0, 1, 4]])
dense, A, z = M.toarray(), nz.plan(M), np.array([1 + 1j, 2, 3j])
R, r = nz.plan(sp.csr_array(dense.real)), np.array([1.0, 2, 3])
"""


@pytest.mark.parametrize(
    "lines",
    [
        # Vectors that are read are resolved.
        """
assert np.allclose((A @ Tensor(z, conj=True)).array, dense @ z.conj())
assert np.allclose((A @ Tensor(np.stack([z, z], 1), conj=True)).array[:, 1], dense @ z.conj())
assert np.allclose((R @ Tensor(r, neg=True)).array, dense.real @ -r)
out = Tensor(np.ones(3, complex))
assert np.allclose(A.multiply(Tensor(z, conj=True), out, alpha=2, beta=1).array, 2 * dense @ z.conj() + 1)
found = nz.cg(A, Tensor(z, conj=True), rtol=1e-12)
assert found.ok and np.allclose(dense @ found.x.array, z.conj())
B = nz.plan_batch(sp.csr_array(dense.real), Tensor(np.ones((1, 5))))
assert np.allclose((B @ Tensor(r, neg=True)).array, -(dense.real != 0).astype(float) @ r)
""",
        # So are the values of a matrix.
        """
P = nz.plan(((Tensor(M.data, conj=True), M.indices, M.indptr), M.shape))
assert np.allclose(P @ z, dense.conj() @ z)
A.update_values(Tensor(M.data, conj=True))
assert np.allclose(A @ z, dense.conj() @ z)
S, values = sp.csr_array(dense.real), np.arange(1.0, 6.0).reshape(1, 5)
B = nz.plan_batch(S, Tensor(values, neg=True))
for scale in (-1, -2):
    assert np.allclose(B @ r, scale * sp.csr_array((values[0], S.indices, S.indptr)) @ r)
    B.update_values(Tensor(2 * values, neg=True))
""",
        # What is written is refused.
        """
kept = np.full(3, 7j)
refused(lambda: A.multiply(z, Tensor(kept, conj=True)), "out stands for the conjugates of what lies in its memory: out.res")
refused(lambda: R.multiply(r, Tensor(np.full(3, 7.0), neg=True)), "out stands for the negatives of what lies in its memory")
refused(lambda: nz.pagerank(R, out=Tensor(r.copy(), neg=True)), "out stands for the negatives")
assert (kept == 7j).all()
""",
        # On a GPU it is the same: the note is seen before the memory.
        """
x = Tensor(z, conj=True, cuda=True)
refused(lambda: A._core.multiply(x, z.copy(), 1, 0, False, 0), "x stands for the conjugates of what lies in its memory")
refused(lambda: A.multiply(z, x), "out stands for the conjugates")
assert np.allclose(A.multiply(x, z.copy(), stream=0), dense @ z.conj())  # its resolve_conj() brings it to the host
""",
        # What is made for a product is made on the stream where the product runs; elsewhere it might not be there yet.
        """
x, out = Tensor(z, conj=True, cuda=True), z.copy()
with On(5):
    A.multiply(x, out)
    A.multiply(x, out, stream=7)
    A.multiply(x, out, stream=1)  # cudaStreamLegacy
    assert Cuda.now == 5
assert Cuda.log == [("resolves", 5), ("resolves", 7), ("resolves", 0)], Cuda.log
del Cuda.log[:]
nz.cg(A, x, rtol=1e-12, stream=9)
assert Cuda.log == [("resolves", 9)], Cuda.log
del Cuda.log[:]
# Of new values the library asks on a stream of its own: the work that writes them must be over.
with On(6):
    refused(lambda: nz.plan(((Tensor(M.data, cuda=True), M.indices, M.indptr), M.shape), device="cpu"), "data lies on cuda:0")
assert Cuda.log == [("waits", 6)], Cuda.log
# An out on a GPU has a stream, too, where x has none.
from nonzero._arrays import stream_handle
with On(4):
    assert stream_handle(None, z, x) == 4 and stream_handle(None, z, z) == 0 and stream_handle(3, z, x) == 3
""",
    ],
)
def test_notes_of_conjugates(lines):
    subprocess.run([sys.executable, "-c", STAND_IN + lines], check=True)


def test_torch_itself(rng):
    torch = pytest.importorskip("torch")
    import numpy as np
    from conftest import drawn

    import nonzero as nz

    M = drawn(rng, 20, 20, density=0.2) + 1j * drawn(rng, 20, 20, density=0.2)
    A, z = nz.plan(M), torch.from_numpy(rng.standard_normal(20) + 1j * rng.standard_normal(20))
    np.testing.assert_allclose((A @ z.conj()).numpy(), M @ z.numpy().conj(), rtol=1e-9)
    with pytest.raises(ValueError, match="resolve_conj"):
        A.multiply(z, z.clone().conj())
    values = torch.from_numpy(M.tocsr().data).conj()
    P = nz.plan(((values, torch.from_numpy(M.tocsr().indices), torch.from_numpy(M.tocsr().indptr)), M.shape))
    np.testing.assert_allclose((P @ z).numpy(), M.conj() @ z.numpy(), rtol=1e-9)
