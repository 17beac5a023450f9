"""What callers give, looked at before the library sees it: errors say what was given, and what is needed."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp


def shown(value: Any) -> str:
    """Numbers and short texts as they are; of anything else the type."""
    if isinstance(value, int) and value.bit_length() > 128:  # Python writes no endless ones
        return f"a whole number of {value.bit_length()} bits"
    if value is None or isinstance(value, (bool, numbers.Number, np.generic)):
        try:
            return str(value)
        except ValueError:  # a fraction of such ones
            pass
    if isinstance(value, str) and len(value) <= 40:
        return repr(value)
    return f"of the type {type(value).__name__}"


def whole(name: str, value: Any, bits: int = 32) -> int:
    """A whole number that the library can count with."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {shown(value)}, but a whole number is needed") from None
    most = 2 ** (bits - 1) - 1
    if not -most <= number <= most:
        raise ValueError(f"{name} is {shown(number)}, but at most {most} is possible")
    return number


def count(name: str, value: Any) -> int:
    """A whole number that may be written as one of floating point, as 1e4 is."""
    try:
        if (number := int(value)) == value:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(f"{name} is {shown(value)}, but a whole number is needed")


def limit(memory_limit: Any) -> int:
    """Bytes as the library has them, 0 for no limit."""
    if memory_limit is None:
        return 0
    number = whole("memory_limit", memory_limit, 64)
    if number < 1:
        raise ValueError(f"memory_limit is {number}, but at least one byte is needed")
    return number


MOST = f"at most {np.finfo(np.float64).max:.2g} is possible, the largest float64"


def real(name: str, value: Any) -> float:
    try:
        if isinstance(value, (str, bytes)) or isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real):
            raise TypeError
        return float(value)
    except OverflowError:
        raise OverflowError(f"{name} is {shown(value)}, but {MOST}") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {shown(value)}, but a real number is needed") from None


def factor(name: str, value: Any, dtype: np.dtype[Any]) -> complex:
    """alpha or beta of a plan of this type."""
    if dtype.kind != "c":
        return real(name, value)
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return complex(value)
    except OverflowError:
        raise OverflowError(f"{name} is {shown(value)}, but {MOST}") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {shown(value)}, but a number is needed") from None


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {shown(value)}, but True or False is needed")
    return bool(value)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}, but a string is needed")
    return value


def numbers_of(name: str, values: Any) -> dict[str, int]:
    """Parameters of a kernel."""
    if not isinstance(values, Mapping):
        raise TypeError(f'{name} is {shown(values)}, but a dict is needed, such as {{"block": 4}}')
    return {text(f"a name in {name}", k): whole(f"{name}[{k!r}]", v, 64) for k, v in values.items()}


def cast_hint(name: str, array: Any, dtype: str) -> str:
    """What makes an array of another type, as its library writes it; nothing where nobody knows."""
    if hasattr(array, "astype"):
        return f': {name}.astype("{dtype}")'
    return f": {name}.to(torch.{dtype})" if hasattr(array, "to") else ""


def require_function(name: str, value: Any) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"{name} is {shown(value)}, but a function or None is needed")


def require_array(name: str, value: Any) -> None:
    """An array of some library: what else is wrong with it is said by those who look at its memory."""
    if sp.issparse(value):
        raise TypeError(f"{name} is a sparse matrix, but a dense array is needed: {name}.toarray()")
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        raise TypeError(f"{name} must be an array, not {type(value).__name__}: numpy.asarray({name}) makes one of a list")


def vector_of(name: str, value: Any, dtype: np.dtype[Any]) -> Any:
    """An array as it is; a list of numbers as an array of this type."""
    if hasattr(value, "shape"):
        return value
    try:
        if isinstance(value, (str, bytes)) or not (hasattr(value, "__len__") or hasattr(value, "__array__")):
            raise TypeError
        return np.asarray(value, dtype)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be an array or a list of numbers, not {shown(value)}") from None
