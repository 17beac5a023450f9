"""Errors are in the library's own words: they say which argument it is, what was given and what is needed."""

import numpy as np
import pytest
import scipy.sparse as sp

import nonzero as nz

M = sp.csr_array(np.eye(4) * 2.0)
A = nz.plan(M)
Z = nz.plan(M.astype(complex))
B = nz.plan_batch(M, np.ones((3, 4)))
x, X = np.ones(4), np.ones((4, 2))
FIXED = {"kernel": "cpu/csr/balanced"}


@pytest.mark.parametrize(
    "call, error, words",
    [
        # A list or a sparse matrix where an array is needed, and vectors of another length.
        (lambda: A.multiply([1.0] * 4), TypeError, "x must be an array, not list: numpy.asarray(x) makes one of a list"),
        (lambda: A.multiply([1.0] * 4, x), TypeError, "x must be an array (NumPy's, or one with DLPack or "),
        (lambda: A.multiply(x, [0.0] * 4), TypeError, "out must be an array (NumPy's, or one with DLPack or "),
        (lambda: A.multiply(None), TypeError, "x must be an array, not NoneType"),
        (lambda: A @ M, TypeError, "x is a sparse matrix, but a dense array is needed: x.toarray()"),
        (lambda: A @ [1, 2, 3], ValueError, "x has the shape (3,), but (4,) or (4, 1) is needed"),
        (lambda: A.rmatvec([1, 2, 3]), ValueError, "x has the shape (3,), but (4,) or (4, 1) is needed"),
        (lambda: A @ np.ones((3, 2)), ValueError, "x has the shape (3, 2), but 4 rows are needed"),
        (lambda: A.rmatmat(np.ones((3, 2))), ValueError, "x has the shape (3, 2), but 4 rows are needed"),
        (lambda: A @ np.ones(3), ValueError, "x has 3 elements, but 4 are needed"),
        (lambda: A @ np.ones(8)[::2], ValueError, "x is not contiguous: numpy.ascontiguousarray(x) makes a copy that is"),
        (lambda: Z @ x, TypeError, 'x is float64, but complex128 is needed: x.astype("complex128")'),
        (lambda: A.multiply(x, np.ones(5)), ValueError, "out has 5 elements, but 4 are needed"),
        (lambda: A.multiply(x, np.ones(4, int)), TypeError, 'out is int64, but float64 is needed: out.astype("float64")'),
        (lambda: A.update_values([1.0] * 4), TypeError, "data must be an array, not list"),
        (lambda: A.update_values(X), ValueError, "data has 2 dimensions; a vector is needed"),
        (lambda: A.update_values(x[:3]), ValueError, "data has 3 elements, but 4 are needed"),
        (lambda: B.multiply([1.0]), TypeError, "x must be an array, not list"),
        (lambda: B.update_values([1.0]), TypeError, "values must be an array, not list"),
        (lambda: nz.cg(A, None), TypeError, "b must be an array or a list of numbers, not None"),
        (lambda: nz.cg(A, "b"), TypeError, "b must be an array or a list of numbers, not 'b'"),
        (lambda: nz.cg(A, x, x0=np.ones(3)), ValueError, "x0 has the shape (3,), but (4,) is needed"),
        (lambda: nz.pagerank(A, out=[0.0] * 4), TypeError, "out must be an array"),
        # Matrices that are none.
        (lambda: nz.plan([[1.0]]), TypeError, "is needed, not list: scipy.sparse.csr_array(...) makes one of a dense array"),
        (lambda: nz.plan("a.mtx"), TypeError, "is needed, not str: nonzero.read(...) reads one from a file"),
        (lambda: nz.plan(A), TypeError, "is needed, not Plan, whose entries cannot be seen"),
        (lambda: nz.plan(((x, M.indices, M.indptr), ("4", 4))), TypeError, "the number of rows is '4', but a whole number"),
        # Numbers, names and switches.
        (lambda: A.multiply(x, alpha="a"), TypeError, "alpha is 'a', but a real number is needed"),
        (lambda: A.multiply(x, x.copy(), alpha=1j), TypeError, "alpha is 1j, but a real number is needed"),
        (lambda: A.multiply(x, x.copy(), alpha=np.complex128(1)), TypeError, "alpha is (1+0j), but a real number is needed"),
        (lambda: A.multiply(X, X.copy(), beta=None), TypeError, "beta is None, but a real number is needed"),
        (lambda: A.multiply(x, alpha=np.ones(2)), TypeError, "alpha is of the type ndarray, but a real number is needed"),
        (lambda: Z.multiply(x + 0j, alpha="a"), TypeError, "alpha is 'a', but a number is needed"),
        (lambda: B.multiply(np.ones((3, 4)), alpha=1j), TypeError, "alpha is 1j, but a real number is needed"),
        (lambda: A.multiply(x, stream=-1), ValueError, "stream is -1, which is no handle of a stream"),
        (lambda: nz.plan(M, threads="2"), TypeError, "threads is '2', but a whole number is needed"),
        (lambda: nz.plan(M, threads=2**40), ValueError, "threads is 1099511627776, but at most 2147483647 is possible"),
        (lambda: nz.plan(M, vectors=1.5), TypeError, "vectors is 1.5, but a whole number is needed"),
        (lambda: nz.plan(M, order="K"), ValueError, "order is 'C' or 'F', not 'K'"),
        (lambda: nz.plan(M, device=0), TypeError, "device is 0, but a string is needed"),
        (lambda: nz.plan(M, kernel=3), TypeError, "kernel is 3, but a string is needed"),
        (lambda: nz.plan(M, **FIXED, parameters={"grain": 1.5}), TypeError, "parameters['grain'] is 1.5, but a whole number"),
        (lambda: nz.plan(M, **FIXED, parameters=[1]), TypeError, "parameters is of the type list, but a dict is needed"),
        (lambda: nz.plan(M, effort=3), TypeError, "effort is 3, but a string is needed"),
        (lambda: nz.plan(M, memory_limit="1G"), TypeError, "memory_limit is '1G', but a whole number is needed"),
        (lambda: nz.plan(M, deterministic=1), TypeError, "deterministic is 1, but True or False is needed"),
        (lambda: nz.plan(M, store_transpose="yes"), TypeError, "store_transpose is 'yes', but True or False is needed"),
        (lambda: nz.plan(M, op=["N"]), ValueError, "op is 'N', 'T' or 'both', not ['N']"),
        (lambda: nz.plan_batch(M, np.ones((2, 4)), threads="a"), TypeError, "threads is 'a', but a whole number is needed"),
        (lambda: nz.cg(A, x, rtol="a"), TypeError, "rtol is 'a', but a real number is needed"),
        (lambda: nz.cg(A, x, maxiter="a"), TypeError, "maxiter is 'a', but a whole number is needed"),
        (lambda: nz.cg(A, x, callback=3), TypeError, "callback is 3, but a function or None is needed"),
        (lambda: nz.cg(A, x, check_every=1.5), TypeError, "check_every is 1.5, but a whole number is needed"),
        (lambda: nz.cg(A, x, check_symmetry="no"), TypeError, "check_symmetry is 'no', but True or False is needed"),
        (lambda: nz.gmres(A, x, restart=1.5), TypeError, "restart is 1.5, but a whole number is needed"),
        (lambda: nz.pagerank(A, damping="a"), TypeError, "damping is 'a', but a real number is needed"),
        (lambda: nz.stationary(A, laziness=None), TypeError, "laziness is None, but a real number is needed"),
        (lambda: nz.largest_eigenvalue(A, rtol="a"), TypeError, "rtol is 'a', but a real number is needed"),
        (lambda: nz.lobpcg(A, k=1.5), TypeError, "k is 1.5, but a whole number is needed"),
        (lambda: nz.lobpcg(A, largest="yes"), TypeError, "largest is 'yes', but True or False is needed"),
        (lambda: nz.block_jacobi(A, "2"), TypeError, "block is '2', but a whole number is needed"),
        (lambda: nz.jacobi(A, device=3), TypeError, "device is 3, but a string is needed"),
        (lambda: nz.fsai(A, drop="a"), TypeError, "drop is 'a', but a real number is needed"),
        (lambda: nz.chebyshev(A, degree="4"), TypeError, "degree is '4', but a whole number is needed"),
        (lambda: nz.spai(A, 1.0), TypeError, "level is 1.0, but a whole number is needed"),
        (lambda: nz.generate(3), TypeError, "spec is 3, but a string is needed"),
        (lambda: nz.read("a.mtx", allow_nan=2), TypeError, "allow_nan is 2, but True or False is needed"),
        (lambda: nz.write("a.mtx", M, comment=3), TypeError, "comment is 3, but a string is needed"),
        (lambda: nz.set_threads(1.5), TypeError, "n is 1.5, but a whole number is needed"),
    ],
)  # fmt: skip
def test_says_what_was_given_and_what_is_needed(call, error, words):
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)
    assert "incompatible function arguments" not in str(raised.value)


class Lent:
    """An array by DLPack alone, and one of a library that casts as PyTorch does."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return (1, 0)


class Tensor(Lent):
    def to(self, dtype):
        raise AssertionError("only said")


def test_casts_are_those_of_the_library():
    for kind, end in ((Lent, "float64 is needed"), (Tensor, "float64 is needed: x.to(torch.float64)")):
        with pytest.raises(TypeError) as raised:
            A.multiply(kind(np.ones(4, np.float32)), x.copy())
        assert str(raised.value) == "x is float32, but " + end
    with pytest.raises(TypeError, match=r"data is float32, but float64 is needed: data\.to\(torch\.float64\)"):
        A.update_values(Tensor(np.ones(4, np.float32)))
    with pytest.raises(TypeError, match=r"values is int64, but float64 is needed: values\.to\(torch\.float64\)"):
        B.update_values(Tensor(np.ones((3, 4), int)))


def test_numbers_of_other_libraries_do():
    y = A.multiply(x, x.copy(), alpha=np.float32(2), beta=np.array(1.0))
    assert (y == 5).all()
    assert (A.multiply(x, alpha=np.int64(3)) == 6).all()
    assert nz.cg(A, x, maxiter=1e2, check_symmetry=np.bool_(True), check_every=np.int32(1)).ok
    assert nz.plan(M, threads=np.int64(1), deterministic=np.bool_(True)).facts()["threads"] == 1
