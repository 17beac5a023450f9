"""Products on a GPU: plans of SciPy's, CuPy's and PyTorch's matrices, and every kind of vector that they take."""

import gc

import numpy as np
import pytest
import scipy.sparse as sp
from gpu_kinds import DEVICE, LIBRARIES, TYPES, assert_right, library, matrix, needs_cuda, vector, views

import nonzero as nz

FORMATS = ["csr", "csc", "coo"]


@pytest.fixture(params=LIBRARIES)
def lib(request):
    return library(request.param)


def assert_kind(y, x, shape):
    assert type(y) is type(x) and tuple(y.shape) == tuple(shape) and y.dtype == x.dtype
    assert getattr(y, "device", None) == getattr(x, "device", None)


def assert_products(lib, rng, A, M):
    """One vector by every view of the plan: into a new array, and into one that is there."""
    for B, N in views(A, M):
        assert B.shape == N.shape
        x, before = vector(rng, N.shape[1], M.dtype), vector(rng, N.shape[0], M.dtype)
        there, out = lib.there(x), lib.there(before)
        y, place = B @ there, lib.pointer(out)
        assert_kind(y, there, (N.shape[0],))
        assert_right(N, x, lib.back(y))
        assert B.multiply(there, out, alpha=2, beta=-0.5) is out and lib.pointer(out) == place
        assert_right(N, x, lib.back(out), 2, -0.5, before)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", TYPES)
def test_plan_of_scipys_matrix(lib, rng, dtype, format):
    M = matrix(rng, 301, 203, dtype)
    A = nz.plan(M.asformat(format), device=DEVICE, op="both")
    assert A.device == DEVICE and A.dtype == dtype and A.nnz == M.nnz
    assert_products(lib, rng, A, M)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", TYPES)
def test_plan_of_a_matrix_there(lib, rng, dtype, format):
    M = matrix(rng, 301, 203, dtype)
    there = lib.matrix(M, format)
    A = nz.plan(there, op="both", device=None if lib.cuda else DEVICE)
    assert A.device == DEVICE and A.dtype == dtype and A.nnz == M.nnz
    assert_products(lib, rng, A, M)


@pytest.mark.parametrize("wide", [np.int32, np.int64])
def test_plan_of_arrays_there(lib, rng, wide):
    M = matrix(rng, 301, 203)
    parts = lib.there(M.data), lib.there(M.indices.astype(wide)), lib.there(M.indptr.astype(wide))
    A = nz.plan((parts, M.shape), op="both", device=DEVICE)
    assert_products(lib, rng, A, M)
    if lib.cuda and wide is np.int32:  # the arrays are the plan's own
        kept = A._core.data, A._core.indices, A._core.indptr
        assert [lib.pointer(a) for a in kept] == [lib.pointer(a) for a in parts]


def test_unsorted_rows_and_duplicates_there(lib, rng):
    M = matrix(rng, 120, 80)
    rows = [np.concatenate([np.arange(a, b)] * 2)[rng.permutation(2 * (b - a))] for a, b in zip(M.indptr, M.indptr[1:])]
    order = np.concatenate(rows)
    parts = lib.there(M.data[order]), lib.there(M.indices[order]), lib.there(2 * M.indptr)
    x = vector(rng, 80)
    y = lib.back(nz.plan((parts, M.shape), device=DEVICE) @ lib.there(x))
    size = np.diff(M.indptr)  # twice as many additions, and the sum that it is measured by has its own
    assert (abs(y - 2 * (M @ x)) <= (4 * size + 6) * np.finfo(float).eps * (abs(M) @ abs(x))).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_plans_and_vectors_of_two_libraries(rng, dtype):
    """A plan of one library's matrix multiplies the other's vectors, and x of one goes into out of the other."""
    M = matrix(rng, 150, 130, dtype)
    kinds = [library(name) for name in LIBRARIES]
    x, before = vector(rng, 130, dtype), vector(rng, 150, dtype)
    for one in kinds:
        A = nz.plan(one.matrix(M), device=DEVICE)
        for other in kinds:
            assert_right(M, x, other.back(A @ other.there(x)))
            out = one.there(before)
            one.wait()
            A.multiply(other.there(x), out, alpha=2, beta=1)
            other.wait()
            assert_right(M, x, one.back(out), 2, 1, before)


@pytest.mark.parametrize("columns", [1, 2, 3, 8, 17])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", TYPES)
def test_several_vectors(lib, rng, dtype, order, columns):
    M = matrix(rng, 121, 93, dtype)
    A = nz.plan(M, device=DEVICE, op="both", vectors=columns)
    for B, N in views(A, M):
        X = np.asarray(vector(rng, (N.shape[1], columns), dtype), order=order)
        there = lib.there(X)
        Y = B @ there
        assert_kind(Y, there, (N.shape[0], columns))
        assert_right(N, X, lib.back(Y))
        if columns > 1:  # the order of X is that of Y
            near = lib.strides(Y)
            assert (near[0] < near[1]) == (order == "F")
        # The other order, with NaN that must not be read.
        poisoned = lib.there(np.full((N.shape[0], columns), np.nan, dtype, order="F" if order == "C" else "C"))
        assert B.multiply(there, poisoned, alpha=-2) is poisoned
        assert_right(N, X, lib.back(poisoned), -2)
        before = np.asarray(vector(rng, (N.shape[0], columns), dtype), order=order)
        out = lib.there(before)
        B.multiply(there, out, alpha=0.5, beta=3)
        assert_right(N, X, lib.back(out), 0.5, 3, before)


def test_more_vectors_than_the_plan_was_made_for(lib, rng):
    M = matrix(rng, 121, 93)
    A, X = nz.plan(lib.matrix(M), device=DEVICE), vector(rng, (93, 70))
    assert_right(M, X, lib.back(A @ lib.there(X)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("alpha, beta", [(1, 0), (-1, 1), (0, 2), (0, 0), (1e-3, -0.5)])
def test_alpha_and_beta(lib, rng, dtype, alpha, beta):
    M = matrix(rng, 140, 110, dtype)
    A = nz.plan(M, device=DEVICE, op="both")
    for B, N in views(A, M):
        x, before = vector(rng, N.shape[1], dtype), vector(rng, N.shape[0], dtype)
        if beta == 0:
            before[:] = np.nan  # must not be read
        there, out = lib.there(np.full_like(x, np.nan) if alpha == 0 else x), lib.there(before)
        B.multiply(there, out, alpha=alpha, beta=beta)
        assert_right(N, x, lib.back(out), alpha, beta, before)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_alpha_and_beta(lib, rng, dtype):
    M = matrix(rng, 140, 110, dtype)
    A = nz.plan(lib.matrix(M), device=DEVICE, op="both")
    for B, N in views(A, M):
        for shape in ((), (4,)):
            x, before = vector(rng, (N.shape[1], *shape), dtype), vector(rng, (N.shape[0], *shape), dtype)
            out = lib.there(before)
            B.multiply(lib.there(x), out, alpha=2 - 1j, beta=0.5j)
            assert_right(N, x, lib.back(out), 2 - 1j, 0.5j, before)


def test_the_quick_way_is_taken(lib, rng):
    needs_cuda(lib)
    M = matrix(rng, 90, 70)
    A, x = nz.plan(lib.matrix(M), op="both"), lib.there(vector(rng, 70))
    y = A._apply(x)
    assert y is not None and A._into(x, y, 1.0, 0.0)
    X, Y = lib.there(vector(rng, (70, 3))), lib.there(np.full((90, 3), np.nan))
    assert A._core.several_into(X, Y, 1.0, 0.0, False)
    assert_right(M, lib.back(X), lib.back(Y))


def test_parts_of_vectors_that_are_not_aligned(lib, rng):
    for dtype in TYPES:
        M = matrix(rng, 101, 99, dtype)
        A = nz.plan(M, device=DEVICE, op="both")
        for B, N in views(A, M):
            large, wide = vector(rng, N.shape[1] + 5, dtype), vector(rng, N.shape[0] + 5, dtype)
            there, out = lib.there(large), lib.there(wide)
            for first in (1, 2, 3):
                x, y = slice(first, first + N.shape[1]), slice(first, first + N.shape[0])
                assert_right(N, large[x], lib.back(B @ there[x]))
                before = lib.back(out)
                B.multiply(there[x], out[y], alpha=2, beta=1)
                after = lib.back(out)
                assert_right(N, large[x], after[y], 2, 1, before[y])
                after[y] = before[y]  # what lies beside is left alone
                np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("dtype", TYPES)
def test_parts_of_matrices(lib, rng, dtype):
    M = matrix(rng, 101, 77, dtype)
    A = nz.plan(M, device=DEVICE, vectors=3)
    for order in "CF":
        X = np.asarray(vector(rng, (79, 9), dtype), order=order)
        W = np.asarray(vector(rng, (104, 8), dtype), order=order)
        there, out = lib.there(X), lib.there(W)
        part = there[1:78, 2:5]
        assert_right(M, X[1:78, 2:5], lib.back(A @ part))
        A.multiply(part, out[2:103, 4:7], alpha=2, beta=1)
        after = lib.back(out)
        assert_right(M, X[1:78, 2:5], after[2:103, 4:7], 2, 1, W[2:103, 4:7])
        after[2:103, 4:7] = W[2:103, 4:7]
        np.testing.assert_array_equal(after, W)
        # Steps in the wrong direction: copied by @, refused by multiply.
        steps = there[1:78, ::4] if order == "C" else there[:77, ::4][:, :2]
        assert_right(M, lib.back(steps), lib.back(A @ steps))
    steps = lib.there(vector(rng, (154, 9), dtype))[::2, ::3]
    assert_right(M, lib.back(steps), lib.back(A @ steps))
    with pytest.raises(ValueError, match="neither row by row nor column by column"):
        A.multiply(steps, lib.there(np.zeros((101, 3), dtype)))


def test_what_is_wrong_with_vectors_is_said(lib, rng):
    M = matrix(rng, 60, 60)
    A, x = nz.plan(M, device=DEVICE), lib.there(vector(rng, 60))
    hint = {"cupy": r"cupy\.ascontiguousarray\(x\)", "torch": r"x\.contiguous\(\)", "numpy": "numpy"}[lib.name]
    cast = r"x\.to\(torch\.float64\)" if lib.name == "torch" else r'x\.astype\("float64"\)'
    with pytest.raises(ValueError, match=f"x is not contiguous: {hint}"):
        A.multiply(lib.there(vector(rng, 120))[::2])
    with pytest.raises(ValueError, match="x has 59 elements, but 60 are needed"):
        A @ x[1:]
    with pytest.raises(ValueError, match="out has 59 elements, but 60 are needed"):
        A.multiply(x, lib.there(np.zeros(59)))
    with pytest.raises(TypeError, match=f"x is float32, but float64 is needed: {cast}"):
        A.multiply(lib.there(vector(rng, 60, np.float32)))
    with pytest.raises(ValueError, match="59 rows, but 60 are needed"):
        A.multiply(lib.there(vector(rng, (59, 2))))
    with pytest.raises(nz.InvalidArgument, match="overlap"):
        A.multiply(x, x)
    with pytest.raises(ValueError, match="beta multiplies out"):
        A.multiply(x, beta=1)
    with pytest.raises(TypeError, match="real number"):
        A.multiply(x, lib.there(np.zeros(60)), alpha=1j)


def test_vectors_and_matrices_on_the_wrong_device(lib, rng, tmp_path):
    needs_cuda(lib)
    M = matrix(rng, 60, 60)
    there, x, y = lib.matrix(M), lib.there(vector(rng, 60)), lib.there(vector(rng, 60))
    for device in ("cpu", *[d["name"] for d in nz.devices() if d["name"] == "emu"]):
        A = nz.plan(M, device=device)
        with pytest.raises(ValueError, match=f"x lies on cuda:0, the plan on {device}"):
            A @ x
        with pytest.raises(ValueError, match=f"x lies on cuda:0, the plan on {device}"):
            A @ lib.there(vector(rng, (60, 3)))
        with pytest.raises(ValueError, match=f"out lies on cuda:0, the plan on {device}"):
            A.multiply(vector(rng, 60), y)
        with pytest.raises(ValueError, match=f"b lies on cuda:0, the plan on {device}"):
            nz.gmres(A, x)
        with pytest.raises(ValueError, match=f"lies on cuda:0, the plan on {device}"):
            nz.plan(there, device=device)
        with pytest.raises(ValueError, match=f"lies on cuda:0, the plan on {device}"):
            nz.plan_batch([there], device=device)
        with pytest.raises(ValueError, match=f"lies on cuda:0, the plan on {device}"):
            nz.plan_batch(M, lib.there(vector(rng, (2, M.nnz))), device=device)
    with pytest.raises(TypeError, match="lies on cuda:0; bring it to host memory"):
        nz.write(tmp_path / "a.mtx", there)
    with pytest.raises(nz.NoResource):
        nz.plan(M, device="cuda:99")


def test_vectors_in_host_memory(lib, rng):
    for dtype in TYPES:
        M = matrix(rng, 140, 110, dtype)
        A = nz.plan(lib.matrix(M), device=DEVICE, op="both")
        for B, N in views(A, M):
            x, before = vector(rng, N.shape[1], dtype), vector(rng, N.shape[0], dtype)
            y = B @ x
            assert type(y) is np.ndarray
            assert_right(N, x, y)
            out = lib.there(before)
            B.multiply(x, out, alpha=2, beta=1)  # from the host to the GPU
            assert_right(N, x, lib.back(out), 2, 1, before)
            out = before.copy()
            B.multiply(lib.there(x), out, alpha=2, beta=1)  # and back
            assert_right(N, x, out, 2, 1, before)
            X, out = vector(rng, (N.shape[1], 3), dtype), lib.there(np.full((N.shape[0], 3), np.nan, dtype))
            B.multiply(X, out)
            assert_right(N, X, lib.back(out))


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1), (1, 7), (7, 1), (40, 30)])
def test_empty_and_small_shapes(lib, rng, shape):
    for dtype in (np.float64, np.complex64):
        for M in (matrix(rng, *shape, dtype, density=0.5), sp.csr_array(shape, dtype=dtype)):
            A = nz.plan(M, device=DEVICE, op="both")
            for B, N in views(A, M):
                x, before = vector(rng, N.shape[1], dtype), vector(rng, N.shape[0], dtype)
                assert_right(N, x, lib.back(B @ lib.there(x)))
                out = lib.there(before)
                B.multiply(lib.there(x), out, alpha=2, beta=3)
                assert_right(N, x, lib.back(out), 2, 3, before)
                for columns in (0, 1, 3):
                    for order in "CF":
                        X = np.asarray(vector(rng, (N.shape[1], columns), dtype), order=order)
                        assert_right(N, X, lib.back(B @ lib.there(X)))


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (6, 4)])
def test_a_matrix_there_without_entries(lib, rng, shape):
    M = sp.csr_array(shape, dtype=np.float64)
    parts = lib.there(M.data), lib.there(M.indices.astype(np.int32)), lib.there(M.indptr.astype(np.int32))
    A, out = nz.plan((parts, shape), device=DEVICE), lib.there(np.ones(shape[0]))
    A.multiply(lib.there(np.ones(shape[1])), out, alpha=2, beta=3)
    assert (lib.back(out) == 3).all()


def test_new_values(lib, rng):
    for dtype in TYPES:
        M = matrix(rng, 130, 90, dtype)
        x = vector(rng, 90, dtype)
        there = lib.there(x)
        for source in (M, lib.matrix(M), lib.matrix(M, "csc")):
            A = nz.plan(source, device=DEVICE, op="both")
            A @ there
            flipped = getattr(source, "format", "") == "csc" or "csc" in str(getattr(source, "layout", ""))
            other = M.tocsc() if flipped else M.copy()
            other.data = vector(rng, M.nnz, dtype)
            A.update_values(lib.there(other.data))  # also of a plan whose matrix lies in host memory
            assert_right(sp.csr_array(other), x, lib.back(A @ there))
            other.data = vector(rng, M.nnz, dtype)
            A.update_values(other.data)  # and from there
            assert_right(sp.csr_array(other), x, lib.back(A @ there))
            z = vector(rng, 130, dtype)
            assert_right(sp.csr_array(other.T), z, lib.back(A.T @ lib.there(z)))
        A = nz.plan(lib.matrix(M), device=DEVICE)
        other = M.copy()
        other.data = vector(rng, M.nnz, dtype)
        A.update_values(lib.matrix(other))  # a whole matrix
        assert_right(other, x, lib.back(A @ there))
        with pytest.raises(ValueError, match="needed"):
            A.update_values(lib.there(other.data[:-1]))


def test_borrowed_values_are_seen(lib, rng):
    needs_cuda(lib)
    M = matrix(rng, 130, 90)
    parts = lib.there(M.data), lib.there(M.indices), lib.there(M.indptr)
    A, x = nz.plan((parts, M.shape), kernel="gpu/csr/balanced"), vector(rng, 90)
    assert A.facts()["borrows"]
    lib.fill(parts[0], lib.there(2 * M.data))
    assert_right(sp.csr_array(2 * M), x, lib.back(A @ lib.there(x)))
    kept = nz.plan((parts, M.shape), kernel="gpu/csr/balanced", copy=True)
    lib.fill(parts[0], lib.there(M.data))
    assert_right(sp.csr_array(2 * M), x, lib.back(kept @ lib.there(x)))


def test_a_plan_keeps_the_arrays_that_it_borrows(lib, rng):
    for format in FORMATS:
        M = matrix(rng, 130, 90)
        there = lib.matrix(M, format)
        A, x = nz.plan(there, device=DEVICE), vector(rng, 90)
        B = A.T.T
        del there, A
        gc.collect()
        trash = [lib.there(np.full(n, 77.0)) for n in (M.nnz, M.nnz // 2, M.nnz // 2 + 1, 131, 66) for _ in range(8)]
        assert_right(M, x, lib.back(B @ lib.there(x)))
        del trash


def test_every_effort_and_kernel_that_plans_choose_from(lib, rng):
    M = matrix(rng, 301, 203)
    x = vector(rng, 203)
    there = lib.there(x)
    for effort in ("instant", "balanced", "thorough"):
        assert_right(M, x, lib.back(nz.plan(lib.matrix(M), device=DEVICE, effort=effort) @ there))
    for kernel in ("gpu/csr/balanced", "gpu/compact/balanced", "gpu/coo/segmented"):
        if kernel in [k["id"] for k in nz.kernels()]:
            assert_right(M, x, lib.back(nz.plan(lib.matrix(M), device=DEVICE, kernel=kernel) @ there))
    same = nz.plan(lib.matrix(M), device=DEVICE, deterministic=True)
    first = lib.back(same @ there)
    for _ in range(5):
        np.testing.assert_array_equal(first, lib.back(same @ there))


def test_facts_of_a_plan_on_a_gpu(lib, rng):
    M = matrix(rng, 301, 203)
    A = nz.plan(lib.matrix(M), device=DEVICE)
    assert A.facts()["device"] == DEVICE and A.nbytes >= 0 and A.measure() > 0 and A.kernel in str(A.explain())
    assert DEVICE in repr(A) and A.kernel.startswith("gpu/")


def test_conjugates_and_negatives_of_pytorch(rng):
    """conj() only makes a note: it is heeded where a tensor is read, and refused where one is written."""
    lib = library(LIBRARIES[-1])
    needs_cuda(lib)
    for dtype in (np.complex64, np.complex128):
        M = matrix(rng, 80, 80, dtype)
        A = nz.plan(lib.matrix(M), op="both")
        x, X = vector(rng, 80, dtype), vector(rng, (80, 3), dtype)
        z, Z = lib.there(x), lib.there(X)
        assert z.conj().is_conj()
        for B, N in views(A, M):
            assert_right(N, x.conj(), lib.back(B @ z.conj()))
            assert_right(N, X.conj(), lib.back(B @ Z.conj()))
            assert_right(N, X.conj(), lib.back(B @ Z.mT.contiguous().mH))  # column by column
            out = lib.there(x)
            B.multiply(z.conj(), out, alpha=1j, beta=2)
            assert_right(N, x.conj(), lib.back(out), 1j, 2, x)
        with pytest.raises(ValueError, match="out stands for the conjugates of what lies in its memory: out.resolve_conj"):
            A.multiply(z, z.clone().conj())
        parts = lib.there(M.data).conj(), lib.there(M.indices), lib.there(M.indptr)
        assert_right(sp.csr_array(M.conj()), x, lib.back(nz.plan((parts, M.shape)) @ z))
        A.update_values(lib.there(M.data).conj())
        assert_right(sp.csr_array(M.conj()), x, lib.back(A @ z))
        real = matrix(rng, 80, 80, x.real.dtype)
        negative = z.conj().imag
        assert negative.is_neg()
        R = nz.plan(real, device=DEVICE)
        assert_right(real, -x.imag, lib.back(R @ negative))  # every second number of a complex vector: a copy
        whole = lib.lib._neg_view(lib.there(x.real.copy()))
        assert whole.is_neg() and whole.is_contiguous()
        assert_right(real, -x.real, lib.back(R @ whole))
        with pytest.raises(ValueError, match="out stands for the negatives"):
            R.multiply(lib.there(x.real.copy()), whole)


def test_tensors_that_require_a_gradient(rng):
    lib = library(LIBRARIES[-1])
    needs_cuda(lib)
    M = matrix(rng, 80, 60)
    x, X = vector(rng, 60), vector(rng, (60, 3))
    A = nz.plan(lib.matrix(M).requires_grad_(), device=DEVICE)
    assert_right(M, x, lib.back(A @ lib.there(x).requires_grad_()))
    assert_right(M, X, lib.back(A @ lib.there(X).requires_grad_()))
