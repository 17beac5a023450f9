"""What the tests share: fresh numbers on every run, and the bound that a product must keep."""

import os

import numpy as np
import pytest
import scipy.sparse as sp

# Builds of the sanitizers (`make python-asan`) have no program, and keep memory that was freed.
SANITIZED = bool(os.environ.get("NZ_SANITIZED"))
needs_program = pytest.mark.skipif(SANITIZED, reason="this build has no program")

SEED = int(os.environ.get("NZ_TEST_SEED", "0")) or int.from_bytes(os.urandom(4), "little")


def pytest_report_header():
    return f"NZ_TEST_SEED={SEED}"


@pytest.fixture
def rng(request):
    return np.random.default_rng([SEED, *request.node.name.encode()])


def drawn(rng, rows, cols, density=0.05, dtype=np.float64, format="csr"):
    """A random matrix with empty rows and values of many sizes."""
    A = sp.random_array((rows, cols), density=density, format="csr", rng=rng, dtype=np.float64)
    A.data = rng.standard_normal(A.nnz) * 10.0 ** rng.integers(-3, 4, A.nnz)
    return A.astype(dtype).asformat(format)


def assert_product(A, x, y, alpha=1.0, beta=0.0, y0=None):
    """Every element within (entries + 3) u (|alpha| sum |a||x| + |beta||y|) of a sum in long double."""
    A = sp.csr_array(A)
    dtype = A.dtype
    assert y.dtype == dtype
    y0 = np.zeros(A.shape[0]) if y0 is None or beta == 0 else y0
    L = np.longdouble
    row = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    products = A.data.astype(L) * np.asarray(x).astype(L)[A.indices]
    exact, size = np.zeros(A.shape[0], L), np.zeros(A.shape[0], L)
    np.add.at(exact, row, products)
    np.add.at(size, row, abs(products))
    alpha, beta = L(dtype.type(alpha)), L(dtype.type(beta))
    exact = alpha * exact + beta * y0.astype(L)
    size = abs(alpha) * size + abs(beta) * abs(y0.astype(L))
    unit = L(np.finfo(dtype).eps) / 2
    tiny = L(np.finfo(dtype).smallest_subnormal)
    bound = (np.diff(A.indptr) + 3) * (unit * size + (abs(alpha) + 1) * tiny) + tiny
    assert (abs(y.astype(L) - exact) <= bound).all()
