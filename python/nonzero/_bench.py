"""Which kernel wins on my matrix: the laboratory's measurements, as lists of dicts for pandas."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from typing import Any

from ._figure import Cases
from ._files import write
from ._program import run_program

Path = str | os.PathLike[str]
# What makes two cases the same.
CASE = ("matrix", "device", "kernel", "op", "type", "threads", "parameters")


def bench(
    matrix: Any,
    *,
    kernels: str = "plan,own",
    ops: str = "N,T",
    types: str = "f64",
    threads: str | int | None = None,
    device: str = "cpu",
    time_limit: float = 1.0,
) -> Cases:
    """Measures kernels on a matrix with `nonzero bench`: each is checked first, then timed in a process of its own.

    `matrix` is a sparse matrix, a path, or "gen:SPEC". Returns a dict a case, as `records` does;
    `.figure()` of what it returns draws them.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = matrix
        if not isinstance(matrix, (str, os.PathLike)):
            source = os.path.join(folder, "matrix.nzb")
            write(source, matrix)
        record = os.path.join(folder, "record.json")
        arguments = ["bench", os.fspath(source), "--kernels", kernels, "--ops", ops, "--types", types,
                     "--device", device, "--time-limit", str(time_limit), "--json", record]  # fmt: skip
        if threads is not None:
            arguments += ["--threads", str(threads)]
        run_program(*arguments)
        return records(record)


def records(*paths: Path) -> Cases:
    """All cases of records that `nonzero bench --json` wrote: `pandas.DataFrame(nz.records("a.json"))`.

    Each dict has what the record has of a case, and `record`, the file, and `commit`.
    """
    rows = Cases()
    for path in paths:
        with open(path, encoding="utf-8") as file:
            whole = json.load(file)
        if not isinstance(whole, dict) or not str(whole.get("schema", "")).startswith("nonzero-bench/"):
            raise ValueError(f"{os.fspath(path)} is no record of nonzero bench")
        for row in whole["results"]:
            rows.append({**row, "record": os.fspath(path), "commit": whole.get("commit")})
    return rows


def compare(first: Iterable[dict[str, Any]], second: Iterable[dict[str, Any]]) -> Cases:
    """The cases that both have timed, with `ratio`: how many times as fast the second is, the worst first.

    >>> import nonzero as nz
    >>> case = {"matrix": "a", "kernel": "cpu/csr/serial", "op": "N", "type": "f64", "status": "ok"}
    >>> nz.compare([{**case, "median_s": 2.0}], [{**case, "median_s": 1.0}])[0]["ratio"]
    2.0
    """
    before = {_key(row): row for row in first if _timed(row)}
    rows = Cases()
    for row in second:
        if _timed(row) and _key(row) in before:
            old = before[_key(row)]["median_s"]
            case = {name: row[name] for name in CASE if name in row}
            rows.append({**case, "first_s": old, "second_s": row["median_s"], "ratio": old / row["median_s"]})
    return Cases(sorted(rows, key=lambda row: float(row["ratio"])))


def _timed(row: dict[str, Any]) -> bool:
    return row.get("status") == "ok" and bool(row.get("median_s"))


def _key(row: dict[str, Any]) -> str:
    return json.dumps([row.get(name) for name in CASE], sort_keys=True)
