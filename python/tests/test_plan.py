"""Plans from every kind of matrix, and that arrays are borrowed where they fit."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import assert_product, drawn

import nonzero as nz

FORMATS = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_format(rng, kind, format, dtype):
    M = kind(drawn(rng, 61, 43, dtype=dtype)).asformat(format)
    A = nz.plan(M, op="both")
    assert A.shape == M.shape and A.dtype == dtype and A.nnz == sp.csr_array(M).nnz
    x, z = rng.standard_normal(43).astype(dtype), rng.standard_normal(61).astype(dtype)
    assert_product(M, x, A @ x)
    assert_product(sp.csr_array(M).T.tocsr(), z, A.T @ z)


@pytest.mark.parametrize("rows, cols", [(0, 0), (0, 5), (5, 0), (1, 1), (1, 300), (300, 1)])
def test_shapes(rng, rows, cols):
    M = drawn(rng, rows, cols, density=0.5)
    A = nz.plan(M)
    x, z = rng.standard_normal(cols), rng.standard_normal(rows)
    assert_product(M, x, A @ x)
    assert_product(M.T.tocsr(), z, A.T @ z)


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_borrowed_arrays(rng, format):
    M = drawn(rng, 80, 80, format=format)
    A = nz.plan(M, kernel="cpu/csr/serial")
    assert A.facts()["borrows"]
    for ours, theirs in ((A._core.data, M.data), (A._core.indices, M.indices), (A._core.indptr, M.indptr)):
        assert ours.ctypes.data == theirs.ctypes.data
    x = rng.standard_normal(80)
    M.data *= 2  # in place: a borrowing kernel sees it
    assert_product(M, x, A @ x)


def test_copy(rng):
    M = drawn(rng, 80, 80)
    A, before = nz.plan(M, kernel="cpu/csr/serial", copy=True), M.copy()
    assert A._core.data.ctypes.data != M.data.ctypes.data
    M.data[:], M.indices[:], M.indptr[:] = 0, 1 << 30, 1 << 30
    x = rng.standard_normal(80)
    assert_product(before, x, A @ x)


def test_arrays_live_as_long_as_the_plan(rng):
    M = drawn(rng, 50, 50)
    before, x = M.copy(), rng.standard_normal(50)
    A, data = nz.plan(M, kernel="cpu/csr/serial"), weakref.ref(M.data)
    turned = A.T
    del M, A
    gc.collect()
    assert data() is not None
    assert_product(before.T.tocsr(), x, turned @ x)
    del turned
    gc.collect()
    assert data() is None


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_index_types(rng, index):
    M = drawn(rng, 40, 70)
    A = nz.plan(((M.data, M.indices.astype(index), M.indptr.astype(index)), M.shape))
    x = rng.standard_normal(70)
    assert_product(M, x, A @ x)


def test_unsorted_and_duplicates(rng):
    row, col = rng.integers(0, 30, 400), rng.integers(0, 30, 400)
    order = np.argsort(row, kind="stable")
    data, indices = rng.standard_normal(400), col[order].astype(np.int32)
    indptr = np.searchsorted(row[order], np.arange(31)).astype(np.int32)
    M = sp.csr_array((data, indices, indptr), shape=(30, 30))
    x = rng.standard_normal(30)
    A = nz.plan(M)
    assert_product(M, x, A @ x)
    assert A.explain().to_dict()["input"]
    fresh = rng.standard_normal(400)
    A.update_values(fresh)
    assert_product(sp.csr_array((fresh, indices, indptr), shape=(30, 30)), x, A @ x)


def test_spare_room_behind_the_last_entry(rng):
    M = drawn(rng, 30, 30)
    roomy = ((np.r_[M.data, 7.0], np.r_[M.indices, 99].astype(np.int32), M.indptr), M.shape)
    x = rng.standard_normal(30)
    assert_product(M, x, nz.plan(roomy) @ x)


@pytest.mark.parametrize(
    "options",
    [
        {"op": "T"}, {"op": "both"}, {"op": "both", "store_transpose": True}, {"effort": "instant"},
        {"effort": "thorough"}, {"deterministic": True}, {"threads": 2}, {"threads": 1}, {"vectors": 8}, {"device": "cpu"},
        {"memory_limit": 1 << 30}, {"kernel": "cpu/csr/serial"},
        {"kernel": "cpu/bsr/serial", "parameters": {"block_rows": 1, "block_cols": 2}},
    ],
)  # fmt: skip
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_options(rng, monkeypatch, tmp_path, options, format):
    monkeypatch.setenv("NONZERO_CACHE", str(tmp_path))
    M = drawn(rng, 90, 60, format=format)
    A = nz.plan(M, **options)
    x, z = rng.standard_normal(60), rng.standard_normal(90)
    assert_product(M, x, A @ x)
    assert_product(M.T.tocsr(), z, A.T @ z)
    if "kernel" in options:
        assert A.kernel == options["kernel"]
    if "threads" in options:
        assert A.facts()["threads"] == options["threads"]


@pytest.mark.parametrize("dtype, stored, kind", [(np.float64, np.float32, "f32"), (np.float32, np.float16, "f16")])
def test_stored_values(rng, dtype, stored, kind):
    M = drawn(rng, 90, 60)
    M.data = M.data.astype(dtype)
    A = nz.plan(M, store_values_as=kind)
    rounded = M.copy()
    rounded.data = M.data.astype(stored).astype(dtype)
    x = rng.standard_normal(60).astype(dtype)
    assert_product(rounded, x, A @ x)
    told = A.explain().to_dict()["rounding"]
    assert told["stored_as"] == kind
    assert told["changed"] == np.count_nonzero(rounded.data != M.data)
    assert told["absolute"] == np.max(np.abs(rounded.data.astype(float) - M.data.astype(float)))
    with pytest.raises(ValueError, match="cannot be stored as"):
        nz.plan(M, store_values_as="f16" if kind == "f32" else "f32")
    with pytest.raises(ValueError, match="exact, f32, f16 or bf16"):
        nz.plan(M, store_values_as="fp8")


@pytest.mark.skipif("emu" not in [d["name"] for d in nz.devices()], reason="no emulator")
def test_emulator(rng):
    M = drawn(rng, 50, 50)
    A = nz.plan(M, device="emu", op="both")
    x = rng.standard_normal(50)
    assert A.device == "emu"
    assert_product(M, x, A @ x)
    assert_product(M.T.tocsr(), x, A.T @ x)


def test_update_values(rng):
    for format in ("csr", "csc"):
        M = drawn(rng, 70, 50, format=format)
        A, x = nz.plan(M), rng.standard_normal(50)
        fresh = M.copy()
        fresh.data = rng.standard_normal(M.nnz)
        A.update_values(fresh.data)
        assert_product(fresh, x, A @ x)
        fresh.data = rng.standard_normal(M.nnz)
        A.update_values(fresh)
        assert_product(fresh, x, A @ x)


def test_explanation(rng):
    A = nz.plan(drawn(rng, 70, 50))
    said = A.explain().to_dict()
    assert said["features"]["rows"] == 70 and said["candidates"][0]["kernel"] == A.kernel
    assert A.kernel in str(A.explain()) and "70x50" in repr(A)
    card = A.T._repr_html_()
    assert A.kernel in card and "50 × 70" in card and "data:image/png;base64," in card
    assert A.measure() > 0 and A.nbytes >= 0
