"""Every exception: what is wrong is said, and nothing is written."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import drawn

import nonzero as nz


@pytest.fixture
def A(rng):
    return nz.plan(drawn(rng, 30, 20))


@pytest.mark.parametrize("dtype", [np.int64, np.longdouble, bool, np.int8])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia"])
def test_values_of_other_types(dtype, format):
    with pytest.raises(TypeError, match=r'astype\("float64"\)'):
        nz.plan(sp.csr_array(np.eye(3)).astype(dtype).asformat(format))


@pytest.mark.parametrize("what", [np.eye(3), [[1.0]], "a.mtx", 3, None, (1, 2), ((1, 2, 3), (1, 1))])
def test_no_matrix(what):
    with pytest.raises(TypeError):
        nz.plan(what)


def test_values_of_tuples():
    for dtype, words in ((int, "int64, but float32"), (np.longdouble, "float64"), (np.clongdouble, "complex128")):
        with pytest.raises(TypeError, match=words):
            nz.plan(([np.ones(2, dtype), np.array([0, 1]), np.array([0, 1, 2])], (2, 2)))


def test_one_dimension():
    with pytest.raises(TypeError, match="1 dimensions"):
        nz.plan(sp.coo_array(np.ones(3)))


def arrays(data=(1.0, 2.0), indices=(0, 1), indptr=(0, 1, 2), shape=(2, 2), index=np.int32):
    return ((np.array(data, float), np.array(indices, index), np.array(indptr, index)), shape)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(
    "broken",
    [
        {"indices": (0, 2)}, {"indices": (-1, 0)}, {"indptr": (0, 2, 1)}, {"indptr": (0, 1, 3)},
        {"indptr": (0, 1)}, {"indptr": (0, 5, 2)}, {"indptr": (-1, 1, 2)}, {"indptr": (0, -7, 2)}, {"data": (1.0,)},
        {"shape": (-1, 2)}, {"shape": (2, 1 << 32)}, {"data": ((1.0, 2.0),)},
    ],
)  # fmt: skip
def test_arrays_that_are_no_matrix(broken, index):
    with pytest.raises(ValueError):
        nz.plan(arrays(**broken, index=index))


def test_columns_are_not_cut():
    with pytest.raises(ValueError, match="column"):
        nz.plan(arrays(indices=(0, 1 << 32), index=np.int64))


@pytest.mark.parametrize("index", [np.int16, np.uint32, np.float64])
def test_indices_of_other_types(index):
    with pytest.raises(TypeError, match="int32"):
        nz.plan(arrays(index=index))


def test_arrays_with_gaps():
    (data, indices, indptr), shape = arrays()
    for i, name in enumerate(("data", "indices", "indptr")):
        parts = [data, indices, indptr]
        parts[i] = np.repeat(parts[i], 2)[::2]
        with pytest.raises(ValueError, match=f"{name} is not contiguous"):
            nz.plan((tuple(parts), shape))


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"kernel": "cpu/csr/serail"}, nz.InvalidArgument, "cpu/csr/serial"),
        ({"kernel": "cpu/csr/serial", "parameters": {"nothing": 1}}, nz.InvalidArgument, "nothing"),
        ({"parameters": {"block": 1}}, ValueError, "kernel"),
        ({"device": "gpu"}, nz.InvalidArgument, "gpu"),
        ({"device": "cuda:99"}, nz.NoResource, None),
        ({"op": "H"}, ValueError, "'both'"),
        ({"effort": "much"}, nz.InvalidArgument, "thorough"),
        ({"threads": 0}, nz.InvalidArgument, None),
        ({"memory_limit": 0}, ValueError, "byte"),
        ({"memory_limit": 1, "kernel": "cpu/ell/serial"}, nz.NoResource, None),
    ],
)  # fmt: skip
def test_options(rng, options, error, words):
    with pytest.raises(error, match=words):
        nz.plan(drawn(rng, 300, 300), **options)


def test_refused():
    row = np.zeros(2000)
    row[0] = 1
    arrow = sp.csr_array(np.vstack([np.ones((1, 2000)), np.tile(row, (1999, 1))]))
    with pytest.raises(nz.Refused):
        nz.plan(arrow, kernel="cpu/ell/serial")


def test_classes():
    assert issubclass(nz.InvalidArgument, ValueError) and issubclass(nz.InvalidArgument, nz.Error)
    for kind in (nz.BadInput, nz.Refused, nz.NoResource, nz.DeviceFault):
        assert issubclass(kind, nz.Error)


def wrong_vectors(n):
    swapped = np.ones(n).astype(">f8")
    return [
        (np.ones(n + 1), ValueError, f"{n + 1} elements"),
        (np.ones(n - 1), ValueError, f"{n - 1} elements"),
        (np.ones(2 * n)[::2], ValueError, "contiguous"),
        (np.ones(n)[::-1], ValueError, "contiguous"),
        (np.ones(n, np.float32), TypeError, "float32"),
        (np.ones(n, int), TypeError, "int64"),
        (np.ones(n, complex), TypeError, "complex128"),
        (np.ones(n, object), TypeError, None),
        (swapped, TypeError, "byte-swapped"),
        (np.float64(1.0), ValueError, None),
        (np.ones((n, 2, 2)), ValueError, "dimensions"),
    ]


def test_wrong_x(A):
    y = np.full(30, 7.0)
    for x, error, words in wrong_vectors(20):
        with pytest.raises(error, match=words):
            A @ x
        if np.ndim(x):
            with pytest.raises(error, match=words):
                A.multiply(x, y)
    assert (y == 7).all()


def test_wrong_out(A):
    for y, error, words in wrong_vectors(30):
        with pytest.raises(error, match=words):
            A.multiply(np.ones(20), y)
    y = np.ones(30)
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        A.multiply(np.ones(20), y)
    with pytest.raises(ValueError, match="beta"):
        A.multiply(np.ones(20), beta=1)
    with pytest.raises(TypeError, match="array"):
        A.multiply(np.ones(20), "y")


def test_two_dimensions(A):
    with pytest.raises(ValueError):
        A @ np.ones((21, 2))
    Y = np.full((30, 2), 7.0)
    shared = np.ones((30, 20))
    read_only = np.ones((30, 2))
    read_only.flags.writeable = False
    for X, out, error, words in (
        (np.ones((21, 2)), Y, ValueError, "x has 21 rows, but 20 are needed"),
        (np.ones((20, 2)), np.ones((29, 2)), ValueError, "out has 29 rows, but 30 are needed"),
        (np.ones((20, 3)), Y, nz.InvalidArgument, "3 columns"),
        (np.ones((20, 2)), np.ones(30), ValueError, "out has 1 dimensions; a matrix is needed"),
        (np.ones(20), Y, ValueError, "out has 2 dimensions; a vector is needed"),
        (np.ones((40, 4))[::2, ::2], Y, ValueError, "neither row by row nor column by column"),
        (np.ones((20, 2))[:, ::-1], Y, ValueError, "neither row by row"),
        (np.broadcast_to(np.ones((20, 1)), (20, 2)), Y, ValueError, "neither row by row"),
        (np.ones((20, 2)), np.ones((60, 4))[::2, ::2], ValueError, "neither row by row"),
        (np.ones((20, 2), np.float32), Y, TypeError, "float32"),
        (np.ones((20, 2), ">f8"), Y, TypeError, "byte-swapped"),
        (np.ones((20, 2)), read_only, ValueError, "read-only"),
        (shared[:20, :2], shared[:, 2:4], nz.InvalidArgument, "overlap"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            A.multiply(X, out)
    assert (Y == 7).all()
    with pytest.raises(ValueError, match="beta"):
        A.multiply(np.ones((20, 2)), beta=1)
    with pytest.raises(TypeError, match="float32"):
        A.multiply(np.ones((20, 2), np.float32))
    with pytest.raises(ValueError, match="vectors"):
        nz.plan(sp.csr_array(np.eye(3)), vectors=0)
    for function in (A.matvec, A.rmatvec, A.matmat, A.rmatmat):
        with pytest.raises(ValueError):
            function(np.ones((7, 1)))


def test_overlap(rng):
    A = nz.plan(drawn(rng, 20, 20))
    both = np.ones(30)
    for x, y in ((both[:20], both[:20]), (both[:20], both[10:]), (both[10:], both[:20])):
        with pytest.raises(nz.InvalidArgument, match="overlap"):
            A.multiply(x, y)


class OnAGpu:
    """Only looks like a vector on a GPU: its memory must never be touched."""

    def __init__(self, n, index=0, dtype="<f8"):
        self.dtype, self.shape, self.index = np.dtype(dtype), (n,), index
        self.__cuda_array_interface__ = {"data": (16, False), "shape": (n,), "typestr": dtype, "version": 3}

    def __dlpack_device__(self):
        return (2, self.index)


def test_wrong_device(A):
    with pytest.raises(ValueError, match="cuda:1"):
        A.multiply(OnAGpu(20, 1), np.ones(30))
    with pytest.raises(ValueError, match="cuda:0"):
        A.multiply(np.ones(20), OnAGpu(30))
    with pytest.raises(TypeError, match="float32"):
        A.multiply(OnAGpu(20, dtype="<f4"), np.ones(30))
    with pytest.raises(TypeError, match="out="):
        A @ OnAGpu(20)


def test_stream(A):
    with pytest.raises(TypeError, match="stream"):
        A.multiply(np.ones(20), stream="fast")
    A.multiply(np.ones(20), stream=0)


def test_update_values(A, rng):
    n = A.nnz
    for data, error in (
        (np.ones(n, np.float32), TypeError), (np.ones(n - 1), ValueError), (np.ones(2 * n)[::2], ValueError),
        (drawn(rng, 30, 20), ValueError), (drawn(rng, 30, 21), ValueError),
    ):  # fmt: skip
        with pytest.raises(error):
            A.update_values(data)
    kept = A.nnz
    assert kept == n


def test_update_during_a_solve(rng):
    A = nz.plan(nz.generate("grid:points=5,nx=9,ny=9"))

    def change(iteration, residual):
        A.update_values(np.ones(A.nnz))

    with pytest.raises(nz.InvalidArgument, match="multiplying"):
        nz.cg(A, np.ones(81), callback=change)


@pytest.mark.parametrize("name", ["alpha", "beta"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_factors_beyond_float64(rng, dtype, name):
    """Python's whole numbers have no end: nanobind would say that no function takes them."""
    M = drawn(rng, 4, 3).astype(dtype)
    x, out, several = np.ones(3, dtype), np.full(4, 7, dtype), np.full((4, 2), 7, dtype)
    takers = [lambda factor: nz.plan(M).multiply(x, out, **factor), lambda factor: nz.plan(M).multiply(np.ones((3, 2), dtype), several, **factor)]
    if dtype != np.complex128:
        takers.append(lambda factor: nz.plan_batch([M]).multiply(x, out, **factor))
    for take in takers:
        for value, bits in ((10**400, 1329), (-(10**400), 1329), (2**20000, 20001)):
            with pytest.raises(OverflowError, match=rf"^{name} is a whole number of {bits} bits, but at most 1.8e\+308 is possible"):
                take({name: value})
    assert (out == 7).all() and (several == 7).all()
    nz.plan(M).multiply(x, out, **{name: 2})
    assert np.isfinite(out).all()
