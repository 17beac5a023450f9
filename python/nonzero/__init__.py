"""Sparse matrix-vector products at the speed of memory.

>>> import numpy as np, scipy.sparse as sp, nonzero as nz
>>> A = nz.plan(sp.csr_array([[4.0, 0.0], [1.0, 3.0]]))
>>> A @ np.array([1.0, 2.0])
array([4., 7.])
>>> A.T @ np.array([1.0, 2.0])
array([6., 6.])
"""

from ._batch import Batch, plan_batch
from ._bench import bench, compare, records
from ._core import devices, families, kernels, threads, version, why_no_cuda
from ._errors import BadInput, DeviceFault, Error, InvalidArgument, NoResource, Refused
from ._figure import Cases
from ._files import generate, info, mmread, mmwrite, read, write
from ._make import plan
from ._plan import Explanation, Plan
from ._preconditioners import (
    Preconditioner,
    block_jacobi,
    chebyshev,
    fsai,
    incomplete_cholesky,
    incomplete_lu,
    jacobi,
    spai,
)
from ._solve import (
    Solution,
    bicg,
    bicgstab,
    cg,
    gmres,
    largest_eigenvalue,
    lobpcg,
    lsqr,
    pagerank,
    qmr,
    stationary,
)
from ._spy import spy
from ._threads import set_threads

__version__ = version()

__all__ = [
    "BadInput", "Batch", "Cases", "DeviceFault", "Error", "Explanation", "InvalidArgument",
    "NoResource", "Plan", "Preconditioner", "Refused", "Solution", "__version__", "bench", "bicg",
    "bicgstab", "block_jacobi", "cg", "chebyshev", "compare", "devices", "families", "fsai", "generate",
    "gmres", "incomplete_cholesky", "incomplete_lu", "info", "jacobi", "kernels", "largest_eigenvalue",
    "lobpcg", "lsqr", "mmread", "mmwrite", "pagerank", "plan", "plan_batch", "qmr", "read", "records",
    "set_threads", "spai", "spy", "stationary", "threads", "version", "why_no_cuda", "write",
]
