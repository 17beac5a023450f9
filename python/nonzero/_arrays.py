"""Arrays of other libraries: who made one, how another like it is made, and on which stream it lives.

NumPy, CuPy, PyTorch and Numba are known by the name of the module of their class, so that none of them
is imported here unless its arrays are there already.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np


def library(array: Any) -> str:
    """The name of the library that made an array: "numpy", "cupy", "torch", "numba" or another."""
    if isinstance(array, np.ndarray):
        return "numpy"
    return type(array).__module__.partition(".")[0]


def current_at(array: Any) -> AbstractContextManager[Any]:
    """The device of an array of CuPy's is the current one here: CuPy allocates and launches there, wherever its arrays lie.

    PyTorch goes to the device of its tensors by itself.
    """
    there: AbstractContextManager[Any] = array.device if library(array) == "cupy" else nullcontext()
    return there


def empty_like(array: Any, shape: int | tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Another of the same kind, on the same device, uninitialised."""
    kind = library(array)
    if kind == "numpy":
        return np.empty(shape, dtype)
    if kind == "torch":
        return array.new_empty(shape)
    if kind == "cupy":
        import cupy

        with current_at(array):
            return cupy.empty(shape, dtype)
    if kind == "numba":
        from numba import cuda

        return cuda.device_array(shape, dtype)
    if hasattr(array, "__array_namespace__"):
        space = array.__array_namespace__()
        return space.empty(shape, dtype=array.dtype, device=array.device)
    raise TypeError(f"no result like {type(array).__name__} can be made here: give one with out=")


def _strides(matrix: Any) -> tuple[float, float] | None:
    """From one row and from one column to the next, in elements; None where the library does not say."""
    if library(matrix) == "torch":
        return tuple(matrix.stride())
    if getattr(matrix, "strides", None) is None:
        return None
    return tuple(s / matrix.dtype.itemsize for s in matrix.strides)


def by_columns(matrix: Any) -> bool:
    """Whether it is in the order of Fortran rather than in that of C."""
    strides = _strides(matrix)
    return strides is not None and strides[0] < strides[1]


def in_order(matrix: Any) -> Any:
    """The same where it lies row by row or column by column, with gaps between those or without; otherwise a copy.

    Only for NumPy, CuPy and PyTorch: what others have is left as it is.
    """
    kind, strides = library(matrix), _strides(matrix)
    if kind not in ("numpy", "cupy", "torch") or strides is None:
        return matrix
    rows, columns = matrix.shape
    if (strides[1] == 1 and strides[0] >= columns) or (strides[0] == 1 and strides[1] >= rows):
        return matrix
    if kind == "torch":
        return matrix.contiguous()
    if kind == "cupy":
        import cupy

        with current_at(matrix):
            return cupy.ascontiguousarray(matrix)
    return np.ascontiguousarray(matrix)


def resolved(array: Any) -> Any:
    """The same with its numbers in memory as they are: PyTorch's conj(), and the imaginary part of that, only make a note."""
    if library(array) != "torch":
        return array
    if array.is_conj():
        array = array.resolve_conj()
    return array.resolve_neg() if array.is_neg() else array


def stream_handle(stream: Any, *arrays: Any) -> int:
    """The number of a CUDA stream: the caller's, or that on which the library of the first array on a GPU works now."""
    if stream is None:
        return next((_current_stream(a) for a in arrays if device_of(a) is not None), 0)
    if isinstance(stream, int):
        if stream < 0:
            raise ValueError(f"stream is {stream}, which is no handle of a stream")
        return stream
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    if hasattr(stream, "ptr"):  # CuPy
        return int(stream.ptr)
    if hasattr(stream, "cuda_stream"):  # PyTorch
        return int(stream.cuda_stream)
    if hasattr(stream, "handle"):  # Numba
        return int(stream.handle.value or 0)
    raise TypeError(f"stream is a number or a stream of CuPy, PyTorch or Numba, not {type(stream).__name__}")


def _current_stream(array: Any) -> int:
    kind = library(array)
    if kind == "cupy":
        import cupy

        with current_at(array):  # each has a current stream of its own
            return int(cupy.cuda.get_current_stream().ptr)
    if kind == "torch" and array.is_cuda:
        import torch

        return int(torch.cuda.current_stream(array.device).cuda_stream)
    return 0


class _Lent:
    """A stream by its number, as libraries tell each other of theirs."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle


def made_on(stream: Any, array: Any) -> AbstractContextManager[Any]:
    """What the library of an array on a GPU allocates and copies here is on its device, and belongs to the caller's stream.

    On another one it might not be there yet when the product begins, or still be in use for something else. Where no
    stream is given, it is the current one of that device.
    """
    kind = library(array)
    if kind not in ("cupy", "torch") or device_of(array) is None:
        return nullcontext()
    if stream is None:
        return current_at(array)
    handle = stream_handle(stream)
    default = handle in (0, 1)  # cudaStreamLegacy is the default one by another number
    there: AbstractContextManager[Any]
    if kind == "torch":
        import torch

        place = array.device
        cuda: Any = torch.cuda
        there = cuda.stream(cuda.default_stream(place) if default else cuda.ExternalStream(handle, device=place))
        return there
    return _on_stream_of_cupy(array, None if default else handle)


@contextmanager
def _on_stream_of_cupy(array: Any, handle: int | None) -> Iterator[None]:
    """A stream by its number, or the default one: CuPy takes both for those of the device that is current."""
    import cupy

    with current_at(array):
        if handle is None:
            stream = cupy.cuda.Stream.null
        elif hasattr(cupy.cuda.Stream, "from_external"):  # from CuPy 14 on
            stream = cupy.cuda.Stream.from_external(_Lent(handle))
        else:
            stream = cupy.cuda.ExternalStream(handle)
        with stream:
            yield


def wait_for(array: Any) -> None:
    """For what the library of an array on a GPU has queued on its current stream, such as the work that writes the array."""
    kind = library(array)
    if kind == "cupy":
        import cupy

        with current_at(array):
            cupy.cuda.get_current_stream().synchronize()
    elif kind == "torch" and array.is_cuda:
        import torch

        torch.cuda.current_stream(array.device).synchronize()


def beside(array: Any, other: Any) -> Any:
    """The array, or a copy of it, in the memory where the other one lies."""
    return array if device_of(array) == device_of(other) else like(array, other)


def like(array: Any, other: Any) -> Any:
    """The array, or a list of numbers, as one of the library of the other one, and where that lies."""
    kind = library(other)
    if library(array) == kind and device_of(array) == device_of(other):
        return array
    here = to_host(array)
    if kind == "cupy":
        import cupy

        with current_at(other):
            return cupy.asarray(here)
    if kind == "torch":
        import torch

        return torch.as_tensor(here, device=other.device)
    return here


def device_of(array: Any) -> str | None:
    """ "cuda:1" for an array on a GPU, None for one in host memory."""
    if isinstance(array, np.ndarray):
        return None
    if hasattr(array, "__dlpack_device__"):
        kind, index = array.__dlpack_device__()
        return f"cuda:{int(index)}" if int(kind) in (2, 13) else None
    return "cuda:0" if hasattr(array, "__cuda_array_interface__") else None


def to_host(array: Any) -> Any:
    """The same as a NumPy array; a copy only where it lies on a device."""
    kind = library(array)
    if kind == "cupy":
        return array.get()
    if kind == "torch":
        return array.detach().cpu().numpy()
    if kind == "numba":
        return array.copy_to_host()
    return np.asarray(array)
