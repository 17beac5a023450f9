#!/usr/bin/env python3
"""Iterations and seconds of `nonzero solve` with every preconditioner, beside Eigen's and PyAMG's.

Needs a Release build of the program and of the target eigen_solve:

    cmake --preset cpu && cmake --build --preset cpu --target nonzero-cli eigen_solve
    scripts/preconditioners.py --build build/cpu --json record.json --pyamg PYTHON MATRIX ...

PYTHON is an interpreter that has PyAMG; without it PyAMG is left out. What PyAMG does is in
pyamg_solve.py.

Each case is solved --rounds times, the cases of a matrix one after the other in each round, so that
whatever else the machine does hits them alike; the best round counts, and those that take longer
than --patience seconds are not repeated. A matrix is a file or gen:SPEC. The tables go to standard
output; --from RECORD writes them again.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import datetime, timezone

SYMMETRIC = ["none", "jacobi", "fsai", "fsai:2", "chebyshev", "ic0"]
GENERAL = ["none", "jacobi", "spai0", "spai1", "ilu0"]
EIGEN = {"cg": ["diagonal", "ichol"], "bicgstab": ["diagonal", "ilut"]}
PYAMG = ["sa", "rs", "blackbox"]
NAMES = {"diagonal": "Eigen, diagonal", "ichol": "Eigen, IncompleteCholesky", "ilut": "Eigen, IncompleteLUT",
         "sa": "PyAMG, smoothed aggregation", "rs": "PyAMG, Ruge-Stüben", "blackbox": "PyAMG, its own choice"}
HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = ["name", "rows", "nnz", "method", "negated", "preconditioner", "preconditioner_seconds", "kernel",
        "max_iterations", "true_residual", "reason", "converged", "iterations", "residual", "seconds"]


def said(call):
    return subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ours(options, matrix, method, preconditioner):
    call = [f"{options.build}/nonzero", "solve", matrix, "--method", method, "--preconditioner", preconditioner,
            "--threads", str(options.threads), "--max-iterations", str(options.limit), "--json", "-"]
    done = said(call)
    if done.returncode > 1:  # bad input: the preconditioner has none for this matrix
        return {"preconditioner": preconditioner, "converged": False, "reason": done.stderr.strip().split("error: ")[-1]}
    record = json.loads(done.stdout)
    record["name"] = os.path.basename(record["name"])  # not where it lay
    return {key: record[key] for key in KEPT if key in record}


def eigens(options, matrix, method, preconditioner):
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    done = said([f"{options.build}/eigen_solve", matrix, method, preconditioner, str(options.limit)])
    if done.returncode != 0:
        sys.exit(done.stderr)
    return {"preconditioner": preconditioner, **json.loads(done.stdout)}


def plain_file(options, matrix, folder):
    """The matrix as a file that SciPy reads: it has no generators, and not all of our compressions."""
    path = os.path.join(folder, "matrix.mtx")
    program = f"{options.build}/nonzero"
    if matrix.startswith("gen:"):
        done = said([program, "gen", matrix[4:], "-o", path])
    else:
        done = said([program, "convert", matrix, path])
    if done.returncode != 0:
        sys.exit(done.stderr)
    return path


def pyamgs(options, path, method, preconditioner):
    done = said([options.pyamg, f"{HERE}/pyamg_solve.py", path, method, preconditioner, str(options.limit)])
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def total(case):
    return case.get("seconds", 0) + case.get("preconditioner_seconds", 0)


def measure(options, matrix):
    probe = said([f"{options.build}/nonzero", "solve", matrix, "--max-iterations", "0", "--json", "-"])
    probe = json.loads(probe.stdout)
    method = "cg" if probe["method"] == "cg" else "bicgstab"
    cases = [("nonzero", p) for p in (SYMMETRIC if method == "cg" else GENERAL)]
    cases += [("eigen", p) for p in EIGEN[method]]
    cases += [("pyamg", p) for p in PYAMG if options.pyamg]
    cases = [c for c in cases if c[1] not in options.skip.split(",")]
    best, rounds = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        path = plain_file(options, matrix, folder) if options.pyamg else None
        ways = {"nonzero": (ours, matrix), "eigen": (eigens, matrix), "pyamg": (pyamgs, path)}
        for _ in range(options.rounds):
            for case in cases:
                if case in best and total(best[case]) > options.patience:
                    continue
                library, preconditioner = case
                way, where = ways[library]
                run = way(options, where, method, preconditioner)
                rounds[case] = rounds.get(case, 0) + 1
                if case not in best or total(run) < total(best[case]):
                    best[case] = run
    name = os.path.basename(matrix).split(".mtx")[0]
    print(f"{name} done", file=sys.stderr)
    return {"matrix": name, "rows": probe["rows"], "nnz": probe["nnz"], "method": method, "negated": probe["negated"],
            "cases": [{"library": c[0], "rounds": rounds[c], **best[c]} for c in cases]}


def time_text(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def cell(case):
    if case is None:
        return ""
    if case["converged"] or case.get("reason") == "converged":
        text = f"{case['iterations']}, {time_text(total(case))}"
        if case.get("library") == "pyamg":
            text += f", of which {time_text(case['preconditioner_seconds'])} to make"
        # A residual that a solver carries along may say less than the one of its answer.
        return text + (f", **true {case['true_residual']:.0e}**" if case["true_residual"] > 1e-7 else "")
    if case.get("iterations") is None:
        return case["reason"]
    return f"{case['iterations']}, {case.get('reason', 'not converged')}"


def tables(record):
    lines = []
    for method, own in (("cg", SYMMETRIC), ("bicgstab", GENERAL)):
        columns = [("nonzero", p) for p in own] + [("eigen", p) for p in EIGEN[method]]
        names = [NAMES[p] if library == "eigen" else f"`{p}`" for library, p in columns]
        lines += ["", f"| `{method}` | unknowns | " + " | ".join(names) + " |", "|---|--:|" + "--:|" * len(names)]
        for m in record["matrices"]:
            if m["method"] == method:
                cases = {(c["library"], c["preconditioner"]): c for c in m["cases"]}
                cells = [m["matrix"] + (", −A" if m["negated"] else ""), f"{m['rows']:,}".replace(",", " ")]
                lines.append("| " + " | ".join(cells + [cell(cases.get(c)) for c in columns]) + " |")
    return "\n".join(lines + beside_pyamg(record))


def beside_pyamg(record):
    """The fastest of each library whose answer holds, and PyAMG's ways."""
    lines = []
    for m in record["matrices"]:
        held = [c for c in m["cases"] if c["converged"] and c["true_residual"] <= 1e-7]
        ways = {c["preconditioner"]: c for c in m["cases"] if c["library"] == "pyamg"}
        if not ways:
            continue
        if not lines:
            lines = ["", "| system | ours, the fastest | Eigen, the fastest | " + " | ".join(NAMES[p] for p in PYAMG) + " |",
                     "|---|" + "--:|" * (2 + len(PYAMG))]
        cells = [f"{m['matrix']}, `{m['method']}`"]
        for library in ("nonzero", "eigen"):
            fastest = min((c for c in held if c["library"] == library), key=total, default=None)
            name = "" if fastest is None else NAMES.get(fastest["preconditioner"], f"`{fastest['preconditioner']}`")
            tried = any(c["library"] == library for c in m["cases"])
            none = "none holds" if tried else "not tried"
            cells.append(f"{name.replace('Eigen, ', '')}: {cell(fastest)}" if fastest else none)
        lines.append("| " + " | ".join(cells + [cell(ways.get(p)) for p in PYAMG]) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="*")
    parser.add_argument("--build", default="build/cpu")
    parser.add_argument("--json")
    parser.add_argument("--from", dest="record")
    parser.add_argument("--pyamg", help="an interpreter of Python that has PyAMG")
    parser.add_argument("--note", help="what else is to be known of this run")
    parser.add_argument("--skip", default="", help="preconditioners to leave out, with commas between")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=5)
    parser.add_argument("--limit", type=int, default=10000)
    options = parser.parse_args()
    if options.record:
        with open(options.record) as file:
            record = json.load(file)
    else:
        version = said([f"{options.build}/nonzero", "--version"]).stdout.strip()
        record = {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "version": version,
                  "machine": platform.machine(), "cores": os.cpu_count(), "threads": options.threads,
                  "tolerance": 1e-8, "limit": options.limit, "rounds": options.rounds, "load_before": os.getloadavg()}
        if options.note:
            record["note"] = options.note
        if options.pyamg:
            record["pyamg"] = json.loads(said([options.pyamg, f"{HERE}/pyamg_solve.py", "--versions"]).stdout)
        record["matrices"] = []
        for matrix in options.matrices:  # what was measured is kept, whatever becomes of the rest
            record["matrices"].append(measure(options, matrix))
            record["load_after"] = os.getloadavg()
            if options.json:
                with open(options.json, "w") as file:
                    json.dump(record, file, indent=1)
                    file.write("\n")
    print(tables(record))


if __name__ == "__main__":
    main()
