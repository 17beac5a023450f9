"""Arrays on a GPU, one way for CuPy's and PyTorch's; NumPy's on the emulator to try these tests without a GPU.

NZ_REQUIRE_GPU=1 makes a failure of what is not there. NZ_GPU_TESTS_ON=emu takes NumPy and the emulator instead.
"""

import os
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import assert_product, drawn
from test_complex import assert_complex, complex_drawn, numbers

import nonzero as nz

EMULATED = os.environ.get("NZ_GPU_TESTS_ON") == "emu"
REQUIRED = os.environ.get("NZ_REQUIRE_GPU") == "1"
DEVICE = "emu" if EMULATED else "cuda:0"
LIBRARIES = ["numpy"] if EMULATED else ["cupy", "torch"]
TYPES = [np.float32, np.float64, np.complex64, np.complex128]
# About a tenth of a second: far longer than the host needs to queue what comes next.
SLEEP = 2 * 10**8


class Numpy:
    name, cuda = "numpy", False

    def there(self, array):
        return array.copy(order="K")

    back = there

    def matrix(self, M, format="csr"):
        return M.asformat(format)

    def pointer(self, array):
        return array.ctypes.data

    def strides(self, array):
        return tuple(s // array.itemsize for s in array.strides)

    def on(self, stream):
        return nullcontext()

    def wait(self):
        pass


class Cupy:
    name, cuda = "cupy", True

    def __init__(self):
        import cupy

        self.lib = cupy
        code = 'extern "C" __global__ void spin(long long n) { long long t = clock64(); while (clock64() - t < n); }'
        self.spin = cupy.RawKernel(code, "spin")
        # Compiled now: while something sleeps, compiling would outlast it.
        self.spin((1,), (1,), (np.int64(0),))
        for dtype in TYPES:
            self.fill(cupy.zeros(2, dtype), cupy.ones(2, dtype))

    def there(self, array):
        by_columns = array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous
        return self.lib.array(array, order="F" if by_columns else "C")

    def back(self, array):
        return self.lib.asnumpy(array)

    def matrix(self, M, format="csr"):
        import cupyx.scipy.sparse as csp

        if format == "coo":
            M = M.tocoo()
            places = self.there(M.row.astype(np.int32)), self.there(M.col.astype(np.int32))
            return csp.coo_matrix((self.there(M.data), places), shape=M.shape)
        M = M.asformat(format)
        arrays = self.there(M.data), self.there(M.indices.astype(np.int32)), self.there(M.indptr.astype(np.int32))
        return (csp.csc_matrix if format == "csc" else csp.csr_matrix)(arrays, shape=M.shape)

    def pointer(self, array):
        return array.data.ptr

    def strides(self, array):
        return tuple(s // array.itemsize for s in array.strides)

    def stream(self):
        return self.lib.cuda.Stream(non_blocking=True)

    def number(self, stream):
        return stream.ptr

    def on(self, stream):
        return stream

    def sleep(self, times=1):
        self.spin((1,), (1,), (np.int64(times * SLEEP),))

    def fill(self, array, other):
        array[...] = other

    def wait(self):
        self.lib.cuda.Device().synchronize()

    def free(self):
        return self.lib.cuda.runtime.memGetInfo()[0]


class Torch:
    name, cuda = "torch", True

    def __init__(self):
        import torch

        self.lib = torch

    def there(self, array):
        return self.lib.from_numpy(array).to("cuda:0")

    def back(self, tensor):
        return tensor.detach().cpu().resolve_conj().resolve_neg().numpy()

    def matrix(self, M, format="csr"):
        if format == "coo":
            M = M.tocoo()
            places = self.there(np.stack([M.row, M.col]).astype(np.int64))
            return self.lib.sparse_coo_tensor(places, self.there(M.data), M.shape)
        M = M.asformat(format)
        make = self.lib.sparse_csc_tensor if format == "csc" else self.lib.sparse_csr_tensor
        return make(self.there(M.indptr.astype(np.int64)), self.there(M.indices.astype(np.int64)), self.there(M.data), M.shape)

    def pointer(self, tensor):
        return tensor.data_ptr()

    def strides(self, tensor):
        return tuple(tensor.stride())

    def stream(self):
        return self.lib.cuda.Stream()

    def number(self, stream):
        return stream.cuda_stream

    def on(self, stream):
        return self.lib.cuda.stream(stream)

    def sleep(self, times=1):
        self.lib.cuda._sleep(times * SLEEP)

    def fill(self, tensor, other):
        tensor.copy_(other)

    def wait(self):
        self.lib.cuda.synchronize()

    def free(self):
        return self.lib.cuda.mem_get_info()[0]


def missing(name):
    """Why there is no such library with a GPU; None where there is."""
    if DEVICE not in [d["name"] for d in nz.devices()]:
        return f"nonzero has no {DEVICE} here"
    if name == "numpy":
        return None
    try:
        library = __import__(name)
    except Exception as e:  # broken installations raise anything
        return f"{name} cannot be imported: {e}"
    return None if library.cuda.is_available() else f"{name} finds no GPU"


def library(name):
    """The library, or the test is skipped, or fails where a GPU is required."""
    why = missing(name)
    if why is not None and REQUIRED:
        pytest.fail(why, pytrace=False)
    if why is not None:
        pytest.skip(why)
    return {"numpy": Numpy, "cupy": Cupy, "torch": Torch}[name]()


def needs_cuda(lib):
    if not lib.cuda:
        pytest.skip("of a GPU alone")


def matrix(rng, rows, cols, dtype=np.float64, density=0.05):
    """With a row and a column that are long, and empty rows."""
    if np.dtype(dtype).kind == "c":
        M = complex_drawn(rng, rows, cols, dtype, density=density).tolil()
    else:
        M = drawn(rng, rows, cols, density=density, dtype=dtype).tolil()
    if rows > 8 and cols > 8:
        M[rows // 2, :], M[:, cols // 3] = vector(rng, cols, dtype), vector(rng, rows, dtype).reshape(-1, 1)
    M = sp.csr_array(M)
    M.sort_indices()
    assert M.dtype == dtype
    return M


def vector(rng, shape, dtype=np.float64):
    return numbers(rng, shape, dtype) if np.dtype(dtype).kind == "c" else rng.standard_normal(shape).astype(dtype)


def assert_right(M, x, y, alpha=1.0, beta=0.0, y0=None):
    """Every element of y, or of each of its columns, within the bound of its sum. All in host memory."""
    if x.ndim == 2:
        assert y.shape == (M.shape[0], x.shape[1])
        for j in range(x.shape[1]):
            assert_right(M, x[:, j], y[:, j], alpha, beta, None if y0 is None else y0[:, j])
        return
    assert y.shape == (M.shape[0],)
    (assert_complex if M.dtype.kind == "c" else assert_product)(M, x, y, alpha, beta, y0)


def views(A, M):
    """The plan's products and their matrices: N and T, and of complex numbers H and the conjugate."""
    yield A, M
    yield A.T, sp.csr_array(M.T)
    if M.dtype.kind == "c":
        yield A.H, sp.csr_array(M.conj().T)
        yield A.conj(), sp.csr_array(M.conj())
