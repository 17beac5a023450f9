"""Batches: every matrix as its own product is, in each form of vectors, and what is wrong is said."""

import gc
import threading
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import assert_product, drawn

import nonzero as nz

DEVICES = [d["name"] for d in nz.devices() if d["name"] in ("cpu", "emu")]
TYPES = [np.float32, np.float64]


def with_values(M, data):
    return type(M)((data, M.indices, M.indptr), shape=M.shape)


def turned(M):
    return M.T.tocsr()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("dtype", TYPES)
def test_one_structure(rng, dtype, format, device):
    M, k = drawn(rng, 23, 17, density=0.2, format=format), 9
    values = rng.standard_normal((k, M.nnz)).astype(dtype)
    B = nz.plan_batch(M, values, device=device)
    assert len(B) == k and B.dtype == dtype and B.device == device and B.shapes.tolist() == [[23, 17]] * k
    x, z = rng.standard_normal((k, 17)).astype(dtype), rng.standard_normal((k, 23)).astype(dtype)
    y, w = B @ x, B.T @ z
    assert y.shape == (k, 23) and w.shape == (k, 17)
    for i in range(k):
        one = with_values(M, values[i])
        assert_product(one, x[i], y[i])
        assert_product(turned(one), z[i], w[i])
    # The same as vectors one behind the other, and in place.
    assert ((B @ x.reshape(-1)) == y.reshape(-1)).all()
    before = rng.standard_normal((k, 23)).astype(dtype)
    out = before.copy()
    assert B.multiply(x, out, alpha=2, beta=-0.5) is out
    for i in range(k):
        assert_product(with_values(M, values[i]), x[i], out[i], 2, -0.5, before[i])
    assert (B.T.T @ x == y).all() and B.T.shapes.tolist() == [[17, 23]] * k


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("format", ["csr", "csc", "both", "coo"])
@pytest.mark.parametrize("dtype", TYPES)
def test_many_structures(rng, dtype, format, device):
    shapes = [(5, 8), (0, 3), (1, 1), (40, 2), (3, 0), (7, 90), (12, 12)]
    matrices = [
        drawn(rng, *shape, density=0.3, dtype=dtype, format=("csr", "csc")[i % 2] if format == "both" else format)
        for i, shape in enumerate(shapes)
    ]
    B = nz.plan_batch(matrices, device=device)
    assert B.shapes.tolist() == [list(s) for s in shapes] and not B.facts()["borrows"]
    x = rng.standard_normal(B.x_offsets[-1]).astype(dtype)
    z = rng.standard_normal(B.y_offsets[-1]).astype(dtype)
    y, w = B.split(B @ x), B.T.split(B.T @ z)
    for i, M in enumerate(matrices):
        assert_product(M, x[B.x_offsets[i] : B.x_offsets[i + 1]], y[i])
        assert_product(turned(M), z[B.y_offsets[i] : B.y_offsets[i + 1]], w[i])


def test_unsorted_duplicates_and_slices(rng):
    indices = np.array([9, 9, 2, 0, 1, 0, 1], np.int32)
    for index in (np.int32, np.int64):
        M = ((np.zeros(7), indices, np.array([2, 4, 4, 7], index)), (3, 3))  # a slice of a larger matrix
        values = rng.standard_normal((4, 5))
        B, x = nz.plan_batch(M, values), rng.standard_normal((4, 3))
        y = B @ x
        for i in range(4):
            dense = np.zeros((3, 3))
            np.add.at(dense, ([0, 0, 2, 2, 2], indices[2:]), values[i])
            np.testing.assert_allclose(y[i], dense @ x[i], atol=1e-12)


def test_values_are_borrowed(rng):
    M = drawn(rng, 20, 20)
    values, x = rng.standard_normal((3, M.nnz)), rng.standard_normal((3, 20))
    B = nz.plan_batch(M, values)
    assert B.facts()["borrows"]
    values *= 3
    for i, y in enumerate(B @ x):
        assert_product(with_values(M, values[i]), x[i], y)
    gone = weakref.ref(values)
    other = rng.standard_normal((3, M.nnz))
    B.update_values(other)
    for i, y in enumerate(B @ x):
        assert_product(with_values(M, other[i]), x[i], y)
    del values
    gc.collect()
    assert gone() is None
    kept, expected = weakref.ref(other), B @ x
    del other
    gc.collect()
    assert kept() is not None and (B @ x == expected).all()
    del B
    gc.collect()
    assert kept() is None


def test_no_matrices_and_no_entries(rng):
    M = drawn(rng, 6, 4, density=0.5)
    assert (nz.plan_batch(M, np.empty((0, M.nnz))) @ np.empty(0)).shape == (0,)
    empty = nz.plan_batch(sp.csr_array((6, 4)), np.empty((5, 0)))
    assert (empty @ np.ones((5, 4)) == np.zeros((5, 6))).all()


def test_threads_share_a_batch(rng):
    M = drawn(rng, 30, 30, density=0.3)
    values, X = rng.standard_normal((50, M.nnz)), rng.standard_normal((4, 50, 30))
    B, found = nz.plan_batch(M, values, threads=1), {}

    def work(i):
        for _ in range(20):
            found[i] = B @ X[i]

    crowd = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in crowd:
        t.start()
    for t in crowd:
        t.join()
    assert B.facts()["threads"] == 1
    for i in range(4):
        assert (found[i] == B @ X[i]).all()
        assert_product(with_values(M, values[7]), X[i][7], found[i][7])


def test_what_is_wrong_is_said(rng):
    M = drawn(rng, 20, 10, density=0.3)
    values = rng.standard_normal((3, M.nnz))
    B = nz.plan_batch(M, values)
    for x, error, words in (
        (np.ones((3, 11)), ValueError, r"x has the shape \(3, 11\), but \(30,\) or \(3, 10\) is needed"),
        (np.ones(31), ValueError, "shape"),
        (np.ones((3, 10), np.float32), TypeError, "float32"),
        (np.ones((3, 20))[:, ::2], ValueError, "contiguous"),
        (np.ones((10, 3)).T, ValueError, "contiguous"),
        ([1.0] * 30, TypeError, "array"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            B @ x
    y = np.ones((3, 20))
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        B.multiply(np.ones((3, 10)), y)
    with pytest.raises(ValueError, match="out has the shape"):
        B.multiply(np.ones((3, 10)), np.ones((3, 21)))
    with pytest.raises(ValueError, match="beta"):
        B.multiply(np.ones((3, 10)), beta=1)
    shared = np.ones(90)
    with pytest.raises(nz.InvalidArgument, match="overlap"):
        B.multiply(shared[:30], shared[20:80])
    for bad, error in (
        (values[:2], ValueError), (values.astype(np.float32), TypeError), (values[:, 1:], ValueError), (values.T, ValueError),
        (np.repeat(values, 2, axis=1)[:, ::2], ValueError), ([1.0], TypeError),
    ):  # fmt: skip
        with pytest.raises(error):
            B.update_values(bad)
    with pytest.raises(nz.InvalidArgument, match="not made for"):
        nz.plan_batch(M, values, op="N").T @ np.ones((3, 20))
    many = nz.plan_batch([M, M])
    with pytest.raises(ValueError, match="different structures"):
        many.update_values(values[:2])
    for call, error, words in (
        (lambda: nz.plan_batch(M), TypeError, "a list of matrices"),
        (lambda: nz.plan_batch([]), ValueError, "at least one"),
        (lambda: nz.plan_batch([M, np.eye(3)]), TypeError, "sparse"),
        (lambda: nz.plan_batch([M, M.astype(np.float32)]), TypeError, "matrix 1 is of float32"),
        (lambda: nz.plan_batch(M, values.astype(int)), TypeError, 'astype\\("float64"\\)'),
        (lambda: nz.plan_batch(M, values[0]), ValueError, "a row for each matrix"),
        (lambda: nz.plan_batch(M, values, op="H"), ValueError, "'both'"),
        (lambda: nz.plan_batch(M, values, device="gpu"), nz.InvalidArgument, "gpu"),
        (lambda: nz.plan_batch(M, values, device="cuda:99"), nz.NoResource, None),
        (lambda: nz.plan_batch(M, values, threads=0), nz.InvalidArgument, None),
        (lambda: nz.plan_batch(((M.data, M.indices + 9, M.indptr), M.shape), values), nz.InvalidArgument, None),
        (lambda: nz.plan_batch([M, ((M.data, M.indices + 9, M.indptr), M.shape)]), nz.InvalidArgument, "matrix 1"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            call()


def test_values_have_the_order_of_csr_or_csc(rng):
    """Other forms would be sorted first, and their values no longer be in the order of `data`."""
    coo = sp.coo_array((np.array([5.0, 7.0]), (np.array([1, 0]), np.array([0, 1]))), shape=(2, 2))
    bsr = sp.bsr_array(np.arange(1.0, 17.0).reshape(4, 4), blocksize=(2, 2))
    for M in (coo, bsr, coo.tolil(), coo.todok()):
        with pytest.raises(TypeError, match=M.format):
            nz.plan_batch(M, np.ones((1, M.nnz)))
    for M in (coo.tocsr(), coo.tocsc(), bsr.tocsr()):
        B = nz.plan_batch(M, M.data[None, :])
        assert np.array_equal(B @ np.array([1.0, 10.0, 0.0, 0.0][: M.shape[1]]), M @ [1.0, 10.0, 0.0, 0.0][: M.shape[1]])


def test_updates_of_threads_keep_what_they_took(rng):
    """The batch borrows the values of the last update, and keeps them, whichever thread came last."""
    M = drawn(rng, 30, 30).tocsr()
    B = nz.plan_batch(M, np.ones((4, M.nnz)))
    x, failures = np.ones(4 * 30), []
    for _ in range(60):
        arrays = [np.full((4, M.nnz), k) for k in (1.0, 2.0)]

        def update(values):
            try:
                B.update_values(values)
            except ValueError:  # the other one was at it
                pass

        both = [threading.Thread(target=update, args=(a,)) for a in arrays]
        [t.start() for t in both]
        [t.join() for t in both]
        del arrays
        gc.collect()
        others = [np.full((4, M.nnz), 9.0) for _ in range(4)]
        sums = B @ x
        ones = np.asarray((M != 0).sum(axis=1), dtype=float).ravel()
        if not any(np.array_equal(sums, np.tile(k * ones, 4)) for k in (1.0, 2.0)):
            failures.append(sums)
        del others
    assert not failures
