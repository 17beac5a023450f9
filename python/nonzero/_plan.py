"""`Plan`: a matrix ready to be multiplied, and a LinearOperator of SciPy's."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from ._arrays import beside, by_columns, current_at, empty_like, in_order, library, like, made_on, resolved, stream_handle, wait_for
from ._checks import cast_hint, factor, require_array
from ._facts import Facts
from ._matrix import Arrays, arrays_of, type_name


# Factors that are as they must be for every plan, which most are. Whole numbers may be too large.
PLAIN = (float, np.float64)


class Explanation:
    """How a plan came about. `print` it, or take `to_dict()`."""

    def __init__(self, text: str, facts: dict[str, Any]) -> None:
        self._text, self._facts = text, facts

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """All of it as numbers, strings, lists and dicts: features, candidates with predicted times, memory."""
        return self._facts


class Plan(Facts, LinearOperator):  # type: ignore[misc]
    """A matrix ready to be multiplied; `nonzero.plan` makes it. Threads may share it.

    `A @ x` and `multiply` take vectors exactly as they must be and never copy one: of the type of the
    matrix, contiguous, on the plan's device or in host memory. The columns of a matrix are several vectors at
    once; its rows, or its columns, may have gaps between them. `matvec`, `rmatvec`, `matmat`,
    `rmatmat` and `dot` are what SciPy's algorithms call: they bring NumPy's arrays of other types, and
    strided ones, to that form.
    """

    def __init__(
        self, core: Any, arrays: Arrays, _parent: Plan | None = None, _turned: bool = False, _conjugated: bool = False
    ) -> None:
        self._core, self._arrays = core, arrays
        # Whether this object's product is the library's transposed one, and of the conjugates.
        self._flip, self._conjugated = arrays.flipped != _turned, _conjugated
        # The quick ways, for vectors of NumPy, CuPy and PyTorch that are just as they must be.
        way = ("backward" if self._flip else "forward") + ("_conjugate" if _conjugated else "")
        self._apply, self._into = getattr(core, way), getattr(core, way + "_into")
        self._turned = _turned
        # Other views of the same plan, by what they are turned and conjugated from the matrix; each knows who made it.
        self._views: dict[tuple[bool, bool], Plan] = {}
        self._parent = weakref.ref(_parent) if _parent is not None else None
        self._other: Plan | None = None  # the transpose, where this object made it
        shape = (arrays.rows, arrays.cols)
        super().__init__(np.dtype(type_name(arrays.data)), shape[::-1] if self._flip else shape)

    def __matmul__(self, x: Any) -> Any:
        y = self._apply(x)
        if y is not None:
            return y
        if isinstance(x, LinearOperator) or np.isscalar(x):
            return super().__matmul__(x)
        if not hasattr(x, "shape"):  # versions of SciPy say each in words of their own what is wrong with a list
            return self.matvec(x) if np.ndim(x) == 1 else super().__matmul__(x)
        if len(x.shape) == 2 and isinstance(x, np.ndarray):
            return self.matmat(x)
        return self.multiply(in_order(x) if len(x.shape) == 2 else x)

    def multiply(
        self, x: Any, out: Any = None, *, alpha: complex = 1.0, beta: complex = 0.0, stream: Any = None
    ) -> Any:
        """out = alpha A x + beta out, in place; without `out` a new array of the kind of x. Returns it.

        x and out are vectors, or matrices whose columns are vectors: each in the order of C or of Fortran, or a part of
        such a matrix. A new matrix has the order of x.

        On a GPU it runs on `stream`: a number or a stream of CuPy, PyTorch or Numba; otherwise the one on
        which the library of x works now, or that of out where x lies in host memory.

        >>> import numpy as np, scipy.sparse as sp, nonzero as nz
        >>> A, y = nz.plan(sp.csr_array([[4.0, 0.0], [1.0, 3.0]])), np.ones(2)
        >>> A.multiply(np.array([1.0, 2.0]), y, alpha=2, beta=1)
        array([ 9., 15.])
        """
        if type(alpha) not in PLAIN or type(beta) not in PLAIN:
            alpha, beta = factor("alpha", alpha, self.dtype), factor("beta", beta, self.dtype)
        if out is None:
            if stream is None and alpha == 1 and beta == 0:
                out = self._apply(x)
                if out is not None:
                    return out
            if beta != 0:
                raise ValueError("beta multiplies out, which is not given")
            require_array("x", x)
        elif stream is None and self._into(x, out, alpha, beta):
            return out
        with made_on(stream, x):
            out = self._empty_for(x) if out is None else out
            x = resolved(x)
        several = len(getattr(x, "shape", ())) == 2
        if several and stream is None and self._core.several_into(x, out, alpha, beta, self._flip, self._conjugated):
            return out
        handle = stream_handle(stream, x, out)
        product = self._core.multiply_several if several else self._core.multiply
        product(x, out, alpha, beta, self._flip, handle, self._conjugated)
        return out

    def _empty_for(self, x: Any) -> Any:
        """An array for the result: a vector, or a matrix in the order of x."""
        m = self.shape[0]
        if len(getattr(x, "shape", ())) == 2:
            k = x.shape[1]
            if type_name(x) != self.dtype.name:  # the product says what is wrong
                return np.empty((m, k), self.dtype)
            return empty_like(x, (k, m), self.dtype).T if by_columns(x) else empty_like(x, (m, k), self.dtype)
        return empty_like(x, m, self.dtype) if type_name(x) == self.dtype.name else np.empty(m, self.dtype)

    # What SciPy's LinearOperator is made of.

    def _matvec(self, x: Any) -> Any:
        x = np.asarray(x).reshape(-1)
        if np.iscomplexobj(x) and self.dtype.kind != "c":
            return self._matvec(x.real) + 1j * self._matvec(x.imag)
        return self._apply(np.ascontiguousarray(x, self.dtype))

    def matvec(self, x: Any) -> Any:
        """A x for x of shape (n,) or (n, 1), of any type of numbers."""
        y = self._apply(x)
        if y is not None:
            return y
        n = self.shape[1]
        if np.shape(x) not in ((n,), (n, 1)):
            raise ValueError(f"x has the shape {np.shape(x)}, but ({n},) or ({n}, 1) is needed")
        return super().matvec(x)

    def matmat(self, X: Any) -> Any:
        """A X for X of n rows, of any type of numbers."""
        Y = self._apply(X) if np.ndim(X) == 2 else None
        if Y is not None:
            return Y
        if len(np.shape(X)) != 2 or np.shape(X)[0] != self.shape[1]:
            raise ValueError(f"x has the shape {np.shape(X)}, but {self.shape[1]} rows are needed, in two dimensions")
        return super().matmat(X)

    def rmatmat(self, X: Any) -> Any:
        """The conjugate transpose times X; of real numbers the transpose."""
        return self.H.matmat(X)

    def rmatvec(self, x: Any) -> Any:
        """The conjugate transpose times x; of real numbers the transpose."""
        return self.H.matvec(x)

    def _matmat(self, X: Any) -> Any:
        if np.iscomplexobj(X) and self.dtype.kind != "c":
            return self._matmat(X.real) + 1j * self._matmat(X.imag)
        return self.multiply(in_order(np.asarray(X, self.dtype)))

    def _rmatmat(self, X: Any) -> Any:
        return self.H._matmat(X)

    def _family(self) -> Plan:
        """The one that makes the others, and keeps them; they do not keep it."""
        parent = self._parent() if self._parent is not None else None
        return self if parent is None else parent

    def _view(self, turned: bool, conjugated: bool) -> Plan:
        maker = self._family()
        for known in (self, maker):
            if (known._turned, known._conjugated) == (turned, conjugated):
                return known
        if (turned, conjugated) not in maker._views:
            maker._views[turned, conjugated] = Plan(self._core, self._arrays, maker, turned, conjugated)
        return maker._views[turned, conjugated]

    def _transpose(self) -> Plan:
        other = self._view(not self._turned, self._conjugated)
        if self._family() is self:
            self._other = other
        return other

    def _adjoint(self) -> Plan:
        return self._view(not self._turned, not self._conjugated) if self.dtype.kind == "c" else self.T

    @property
    def T(self) -> Plan:
        """The transpose, with the same memory."""
        return self._other if self._other is not None else self._transpose()

    @property
    def H(self) -> Plan:
        """The conjugate transpose, with the same memory; of real numbers the transpose."""
        return self._adjoint()

    def conj(self) -> Plan:
        """The conjugate, with the same memory; of real numbers the plan itself."""
        return self._view(self._turned, not self._conjugated) if self.dtype.kind == "c" else self

    conjugate = conj

    def dot(self, x: Any) -> Any:
        """A x, for arrays of NumPy of any form as SciPy's `dot`; others as `A @ x`."""
        if hasattr(x, "shape") and library(x) not in ("numpy", "scipy") and not isinstance(x, LinearOperator):
            return self @ x
        return super().dot(x)

    # Everything else.

    def update_values(self, data: Any) -> None:
        """Other values for the same structure: an array like the `data` of the matrix, or a whole matrix.

        Values that lie elsewhere than the matrix that the plan was made of are copied there.
        A plan that borrows (`facts()["borrows"]`) sees values that were written in place; calling this is always right.
        Wait for products of other threads first.
        """
        if hasattr(data, "format") or isinstance(data, tuple) or library(data) == "torch" and data.ndim == 2:
            fresh = arrays_of(data, complex_too=True)
            same = (fresh.rows, fresh.cols, fresh.flipped) == (self._arrays.rows, self._arrays.cols, self._arrays.flipped)
            if not same or fresh.last != self._arrays.last:
                raise ValueError("the matrix has another shape, format or number of entries than the plan's")
            mine = self._arrays
            if not _equal(like(fresh.indptr, mine.indptr), mine.indptr) or not _equal(like(fresh.indices, mine.indices), mine.indices):
                raise ValueError("the matrix has its entries in other places than the plan's")
            data = fresh.data
        require_array("data", data)
        if len(data.shape) != 1:
            raise ValueError(f"data has {len(data.shape)} dimensions; a vector is needed")
        data = resolved(data)
        if type_name(data) != self.dtype.name:
            hint = cast_hint("data", data, self.dtype.name)
            raise TypeError(f"data is {type_name(data)}, but {self.dtype} is needed{hint}")
        if len(data) < self._arrays.last:
            raise ValueError(f"data has {len(data)} elements, but {self._arrays.last} are needed")
        data = beside(data, self._arrays.indices)
        wait_for(data)
        self._core.update_values(data, self._arrays.first, self._arrays.last)
        self._arrays.data = self._core.data  # of threads that do this at once, the last one's
        self._arrays.upright.clear()

    def explain(self) -> Explanation:
        """What was thought of, and why this kernel."""
        return Explanation(self._core.explain_text(), self._core.explain_dict())

    def measure(self) -> float:
        """Seconds of one product, measured now."""
        return float(self._core.measure(self._flip))

    @property
    def kernel(self) -> str:
        """The id of the kernel that does most of the work."""
        return str(self._core.facts()["kernel"])

    @property
    def nnz(self) -> int:
        return self._arrays.last - self._arrays.first

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<{rows}x{cols} Plan of {self.nnz} {self.dtype} entries: {self.kernel} on {self.device}>"

    def _repr_html_(self) -> str:
        from ._card import card

        return card(self)


def _equal(a: Any, b: Any) -> bool:
    with current_at(b):
        return a is b or (len(a) == len(b) and bool((a == b).all()))
