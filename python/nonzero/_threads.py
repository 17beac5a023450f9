"""How many threads of the CPU the library uses."""

from . import _core
from ._checks import whole


def set_threads(n: int) -> None:
    """Another number of CPU threads, for the process."""
    _core.set_threads(whole("n", n))
