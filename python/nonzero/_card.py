"""What a notebook shows of a plan."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._plan import Plan


def card(plan: Plan) -> str:
    """Shape, kernel, predicted times and a picture of the nonzeros."""
    from ._spy import spy

    facts, why = plan.facts(), plan.explain().to_dict()
    lines = {
        "shape": "{} × {}".format(*plan.shape),
        "nonzeros": f"{plan.nnz} of {plan.dtype}",
        "kernel": facts["kernel"],
        "device": f"{facts['device']}, {facts['threads']} threads" if facts["device"] == "cpu" else facts["device"],
        "memory": f"{facts['bytes'] / 1e6:.3g} MB" + (", arrays borrowed" if facts["borrows"] else ""),
    }
    if why["candidates"]:
        taken = why["candidates"][0]
        names = ("t_seconds", "n_seconds") if plan._flip else ("n_seconds", "t_seconds")
        for label, name in zip(("A @ x", "A.T @ x"), names):
            if taken[name] > 0:
                lines[f"predicted {label}"] = f"{taken[name] * 1e6:.3g} µs"
    if facts["reason"]:
        lines["why"] = facts["reason"]
    rows = "".join(f"<tr><th>{escape(k)}</th><td>{escape(str(v))}</td></tr>" for k, v in lines.items())
    picture = base64.b64encode(spy(plan, size=160)).decode()
    return (
        '<div style="display:flex;gap:1em;align-items:center">'
        f'<img alt="nonzeros" style="border:1px solid #999;image-rendering:pixelated" src="data:image/png;base64,{picture}">'
        f"<table>{rows}</table></div>"
    )
