#!/usr/bin/env python3
"""Iterations and seconds of `nonzero solve` with every preconditioner, beside Eigen's.

Needs a Release build of the program and of the target eigen_solve:

    cmake --preset cpu && cmake --build --preset cpu --target nonzero-cli eigen_solve
    scripts/preconditioners.py --build build/cpu --json record.json MATRIX ...

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
from datetime import datetime, timezone

SYMMETRIC = ["none", "jacobi", "fsai", "fsai:2", "chebyshev", "ic0"]
GENERAL = ["none", "jacobi", "spai0", "spai1", "ilu0"]
EIGEN = {"cg": ["diagonal", "ichol"], "bicgstab": ["diagonal", "ilut"]}
NAMES = {"diagonal": "Eigen, diagonal", "ichol": "Eigen, IncompleteCholesky", "ilut": "Eigen, IncompleteLUT"}
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


def total(case):
    return case.get("seconds", 0) + case.get("preconditioner_seconds", 0)


def measure(options, matrix):
    probe = said([f"{options.build}/nonzero", "solve", matrix, "--max-iterations", "0", "--json", "-"])
    probe = json.loads(probe.stdout)
    method = "cg" if probe["method"] == "cg" else "bicgstab"
    cases = [("nonzero", p) for p in (SYMMETRIC if method == "cg" else GENERAL)]
    cases += [("eigen", p) for p in EIGEN[method]]
    cases = [c for c in cases if c[1] not in options.skip.split(",")]
    best, rounds = {}, {}
    for _ in range(options.rounds):
        for case in cases:
            if case in best and total(best[case]) > options.patience:
                continue
            library, preconditioner = case
            run = (ours if library == "nonzero" else eigens)(options, matrix, method, preconditioner)
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
    if case["converged"]:
        return f"{case['iterations']}, {time_text(total(case))}"
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
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="*")
    parser.add_argument("--build", default="build/cpu")
    parser.add_argument("--json")
    parser.add_argument("--from", dest="record")
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
