"""`plan`: a matrix is made ready to be multiplied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from . import _core
from ._checks import flag, limit, numbers_of, text, whole
from ._matrix import Arrays, arrays_of, type_name
from ._plan import Plan

OPS = {"N": "T", "T": "N", "both": "both"}


def plan(
    matrix: Any,
    *,
    device: str | None = None,
    op: Literal["N", "T", "both"] = "N",
    vectors: int = 1,
    order: Literal["C", "F"] = "C",
    effort: Literal["instant", "balanced", "thorough"] = "balanced",
    memory_limit: int | None = None,
    deterministic: bool = False,
    store_transpose: bool | None = None,
    store_values_as: Literal["exact", "f32", "f16", "bf16"] = "exact",
    threads: int | None = None,
    kernel: str | None = None,
    parameters: Mapping[str, int] | None = None,
    copy: bool = False,
) -> Plan:
    """Makes a matrix ready to be multiplied.

    `matrix` is a sparse array or matrix of SciPy in any format, ((data, indices, indptr), shape) in CSR, a
    sparse matrix of CuPy, or a sparse tensor of PyTorch, of float32, float64, complex64 or complex128. CSR
    and CSC with 32-bit indices are borrowed where they lie; 64-bit columns and other formats are converted. Unsorted rows and duplicates work, for a copy.
    The plan keeps references to the arrays. Do not change their structure while it lives, and call
    `update_values` after changing values; or give `copy=True`.

    device           "cpu", "cuda:0" or "emu", the emulator; where the matrix lies if None
    op               the products that will be asked for: "N", "T" or "both"; others work, perhaps slowly
    vectors          how many vectors most products will have; others work, perhaps slowly
    order            how several vectors mostly lie: "C" by rows, "F" by columns; others work, perhaps slowly
    effort           what making the plan may cost: "instant", "balanced" or "thorough"
    memory_limit     the most bytes that the plan keeps on its device
    deterministic    the same bits whenever a product is repeated
    store_transpose  with op="both": whether the transpose may have a copy of its own; None: where both take at most a
                     quarter of the free memory
    store_values_as  round the values and store them as "f32" (of a float64 matrix), "f16" or "bf16" (of a float32 one);
                     vectors and sums keep their type, and `explain()` states the error
    threads          of every product on the CPU
    kernel           one of `kernels()` by its id, with `parameters`; otherwise the plan chooses

    >>> import scipy.sparse as sp, nonzero as nz
    >>> nz.plan(sp.eye_array(3, format="csr"), kernel="cpu/csr/serial").kernel
    'cpu/csr/serial'
    """
    arrays = arrays_of(matrix, copy=copy, complex_too=True)
    if not isinstance(op, str) or op not in OPS:
        raise ValueError(f"op is 'N', 'T' or 'both', not {op!r}")
    if not isinstance(order, str) or order not in ("C", "F"):
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    if parameters and not kernel:
        raise ValueError("parameters go with a kernel")
    core = make_core(
        arrays,
        device=text("device", device) if device is not None else arrays.device,
        op=OPS[op] if arrays.flipped else op,
        vectors=whole("vectors", vectors),
        by_columns=order == "F",
        effort=text("effort", effort),
        memory_limit=limit(memory_limit),
        deterministic=flag("deterministic", deterministic),
        store_transpose=None if store_transpose is None else flag("store_transpose", store_transpose),
        threads=None if threads is None else whole("threads", threads),
        kernel=text("kernel", kernel or ""),
        parameters=numbers_of("parameters", parameters or {}),
        store_values_as=text("store_values_as", store_values_as),
    )
    return Plan(core, arrays)


def make_core(arrays: Arrays, **options: Any) -> Any:
    """The plan of the library itself."""
    kinds: dict[str, Any] = {
        "float32": _core.PlanF32, "float64": _core.PlanF64, "complex64": _core.PlanC64, "complex128": _core.PlanC128,
    }  # fmt: skip
    return kinds[type_name(arrays.data)].make(**arrays.view(), **options)
