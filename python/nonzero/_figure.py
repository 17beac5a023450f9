"""Cases of the laboratory as a list, and as a figure of Matplotlib's, which is imported when one is asked for."""

from __future__ import annotations

import os
from typing import Any

MOST = 30  # bars in a field


class Cases(list[dict[str, Any]]):
    """Dicts, one a case, for `pandas.DataFrame`; `figure()` draws them."""

    def figure(self, path: str | os.PathLike[str] | None = None) -> Any:
        """A figure of Matplotlib's, a field for each op and type: times of kernels, the shortest on top, or ratios of `compare`.

        With a path it is written there (.png, .svg, .pdf).
        """
        ratio = bool(self) and "ratio" in self[0]
        rows = [row for row in self if ratio or row.get("status") == "ok" and row.get("median_s")]
        if not rows:
            raise ValueError("no case was timed: there is nothing to draw")
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError("figures need Matplotlib: pip install matplotlib") from None
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            groups.setdefault(f"{row.get('op')} {row.get('type')}", []).append(row)
        longest = min(MOST, max(len(group) for group in groups.values()))
        drawn = Figure(figsize=(5.5 * len(groups), 1.2 + 0.25 * longest), layout="constrained")
        for field, (title, group) in zip(drawn.subplots(1, len(groups), squeeze=False)[0], groups.items(), strict=True):
            value = "ratio" if ratio else "median_s"
            group = sorted(group, key=lambda row: float(row[value]), reverse=ratio)[:MOST][::-1]
            field.barh(range(len(group)), [row[value] * (1 if ratio else 1e6) for row in group], color="#4477aa")
            field.set_yticks(range(len(group)), [_label(row, group) for row in group])
            field.set_title(title)
            field.set_xlabel("times as fast as before" if ratio else "µs a product")
            if ratio:
                field.axvline(1, color="gray", linewidth=0.8)
        if path is not None:
            drawn.savefig(path)
        return drawn


def _label(row: dict[str, Any], group: list[dict[str, Any]]) -> str:
    """The kernel, and what else tells it from its neighbours."""
    parts = [str(row.get("kernel"))]
    for name in ("matrix", "threads", "device"):
        if len({str(other.get(name)) for other in group}) > 1:
            parts.append(str(row.get(name)))
    return " ".join(parts)
