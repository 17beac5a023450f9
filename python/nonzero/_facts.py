"""What plans and batches both tell of themselves."""

from __future__ import annotations

from typing import Any


class Facts:
    """A class with a `_core` of the library's, whose facts it has."""

    _core: Any

    @property
    def device(self) -> str:
        return str(self._core.facts()["device"])

    @property
    def nbytes(self) -> int:
        """All memory that it keeps on its device; borrowed arrays do not count."""
        return int(self._core.facts()["bytes"])

    def facts(self) -> dict[str, Any]:
        """Device, threads, memory, whether the caller's arrays are borrowed, and of a plan its kernel and parameters."""
        return dict(self._core.facts())
