#!/usr/bin/env python3
"""nonzero inside PETSc against PETSc's own matrix types: scripts/petsc_bench.py BUILD [--record FILE]

On 1, 2 and 4 ranks of one thread each, for a stencil, one with varying coefficients, blocks of a finite-element
method and a graph: seconds of MatMult, of MatMultTranspose and of a KSP solve with a fixed number of conjugate
gradients, of AIJ with and without inodes, AIJSELL, AIJPERM and ours. All types are in one process and take turns, so
that what else the machine does falls on all of them; the least and the median of the rounds are kept, with the
spread. `first_solve` has the first products of a matrix in it, so ours has making the plan in it; the solves after it
have not.

Beside the times: that residuals and iterations agree with stock to rounding, and that two runs with
-mat_nonzero_deterministic give the same bits. Needs petsc4py. `--small` is for trying the script out.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

home = pathlib.Path(__file__).resolve().parent.parent
TYPES = {"aij": "aij", "aij-no-inodes": "aij", "aijsell": "aijsell", "aijperm": "aijperm", "nonzero": "aijnonzero"}
MATRICES = ["grid5", "grid27-varied", "fem3", "graph"]


def rows_of(name, small, first_rank, ranks):
    """This rank's rows in CSR, with global columns, and the number of unknowns; all are symmetric and definite."""
    import numpy as np

    if name == "graph":
        n = 1 << (12 if small else 17)
        random = np.random.default_rng(5)
        ends = []
        for _ in range(2):  # R-MAT's way: one bit of an index after the other, lopsided
            index = np.zeros(8 * n, dtype=np.int64)
            for _ in range(n.bit_length() - 1):
                index = 2 * index + (random.random(8 * n) < 0.3)
            ends.append(index)
        i, j = np.concatenate(ends), np.concatenate(ends[::-1])
        keep = i != j
        key = np.unique(i[keep] * n + j[keep])
        i, j = key // n, key % n
        first, last = n * first_rank // ranks, n * (first_rank + 1) // ranks
        degree = np.bincount(i, minlength=n)
        mine = (i >= first) & (i < last)
        i, j = i[mine], j[mine]
        i, j = np.concatenate([i, np.arange(first, last)]), np.concatenate([j, np.arange(first, last)])
        values = np.where(i == j, degree[i] + 1.0, -1.0)
    else:
        dims = {"grid5": (60, 60, 1) if small else (1000, 1000, 1), "grid27-varied": (12,) * 3 if small else (56,) * 3,
                "fem3": (6,) * 3 if small else (24,) * 3}[name]
        block = 3 if name == "fem3" else 1
        nodes = dims[0] * dims[1] * dims[2]
        first, last = nodes * first_rank // ranks, nodes * (first_rank + 1) // ranks
        node = np.arange(first, last)
        x, y, z = node % dims[0], node // dims[0] % dims[1], node // (dims[0] * dims[1])
        i, j = [], []
        for dz in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if name == "grid5" and (dz or abs(dx) + abs(dy) > 1):
                        continue
                    ok = ((x + dx >= 0) & (x + dx < dims[0]) & (y + dy >= 0) & (y + dy < dims[1]) &
                          (z + dz >= 0) & (z + dz < dims[2]))
                    i.append(node[ok])
                    j.append(node[ok] + dx + dims[0] * (dy + dims[1] * dz))
        i, j = np.concatenate(i), np.concatenate(j)
        if block > 1:
            across = np.arange(block)
            i, j = ((i * block)[:, None, None] + across[None, :, None] + 0 * across,
                    (j * block)[:, None, None] + across + 0 * across[:, None])
            i, j = np.broadcast_arrays(i, j)
            i, j = i.ravel(), j.ravel()
        n, first, last = nodes * block, first * block, last * block
        if name == "grid5":
            values = np.where(i == j, 4.0, -1.0)
        else:  # symmetric, and the diagonal outweighs the rest
            low, high = np.minimum(i, j), np.maximum(i, j)
            values = -0.5 - ((low * 7919 + high * 104729) % 1000003) / 2e6
            values[i == j] = 27.0 * block + 1
    order = np.lexsort((j, i))
    i, j, values = i[order], j[order], values[order]
    offsets = np.zeros(last - first + 1, dtype=np.int32)
    offsets[1:] = np.cumsum(np.bincount(i - first, minlength=last - first))
    return n, offsets, j.astype(np.int32), values


def worker(asked):
    """Under mpirun: one matrix, all types, in turns."""
    import numpy as np
    import petsc4py

    petsc4py.init([sys.argv[0], "-dll_append", str(asked.build.resolve() / "libnonzero_petsc.so"),
                   "-noinode_mat_no_inode", *(["-mat_nonzero_deterministic"] if asked.deterministic else [])])
    from petsc4py import PETSc

    comm = PETSc.COMM_WORLD
    n, offsets, columns, values = rows_of(asked.matrix, asked.small, comm.getRank(), comm.getSize())
    local = len(offsets) - 1
    matrices, answers = {}, {}
    for label, kind in TYPES.items():
        if asked.deterministic and label not in ("aij", "nonzero"):
            continue
        A = PETSc.Mat().create(comm)
        A.setOptionsPrefix("noinode_" if label == "aij-no-inodes" else "")
        A.setSizes(((local, n), (local, n)))
        A.setType(kind)
        if label == "aij-no-inodes":
            A.setFromOptions()
        A.setPreallocationCSR((offsets, columns, values))
        A.assemble()
        matrices[label] = A
    x, y = next(iter(matrices.values())).createVecs()
    first, last = x.getOwnershipRange()
    x.setArray(np.arange(first, last) * 7919 % 1009 / 1009 - 0.5)

    def solve(A, steps):
        solver = PETSc.KSP().create(comm)
        solver.setOperators(A)
        solver.setType("cg")
        solver.getPC().setType("jacobi")
        solver.setTolerances(rtol=1e-30, atol=0, max_it=steps)
        out = x.duplicate()
        comm.barrier()
        started = time.perf_counter()
        solver.solve(x, out)
        comm.barrier()
        seconds = time.perf_counter() - started
        return seconds, solver.getIterationNumber(), solver.getResidualNorm(), out

    steps = 10 if asked.small else 20
    result = {label: {} for label in matrices}
    # Plans are made in these solves; those after them are with what is there.
    for label, A in matrices.items():
        seconds, iterations, residual, out = solve(A, steps)
        result[label].update(first_solve=seconds, iterations=iterations, residual=residual, norm=out.norm())
    if asked.deterministic:
        # Products alone and a whole solve; its dot products are PETSc's and MPI's.
        for what, call in (("mult", "mult"), ("transpose", "multTranspose"), ("solve", None)):
            for label, A in matrices.items():
                if call:
                    getattr(A, call)(x, y)
                    answers[label] = hashlib.sha256(y.getArray().tobytes()).hexdigest()
                else:
                    answers[label] = hashlib.sha256(solve(A, steps)[3].getArray().tobytes()).hexdigest()
                PETSc.Sys.syncPrint(f"DIGEST {label} {what} {comm.getRank()} {answers[label]}")
        PETSc.Sys.syncFlush()
        return
    products = 1 if asked.small else 4
    times = {label: {"mult": [], "transpose": [], "solve": []} for label in matrices}
    for label, A in matrices.items():
        A.multTranspose(x, y)
    # What memory gives to all ranks at once: a sum of two long vectors, which moves 24 bytes an element (32 where the
    # processor reads what it is about to write).
    length = 4_000_000 // comm.getSize()
    a, b, c = np.ones(length), np.ones(length), np.ones(length)
    sums = []
    for _ in range(asked.rounds):
        comm.barrier()
        busy = time.process_time()
        np.add(a, b, out=c)
        sums.append(time.process_time() - busy)
        for what in ("mult", "transpose"):
            for label, A in matrices.items():
                call = A.mult if what == "mult" else A.multTranspose
                comm.barrier()
                busy, started = time.process_time(), time.perf_counter()
                for _ in range(products):
                    call(x, y)
                comm.barrier()
                times[label][what].append(((time.perf_counter() - started) / products,
                                           (time.process_time() - busy) / products))
    for _ in range(asked.rounds // 2 + 1):
        for label, A in matrices.items():
            busy = time.process_time()
            times[label]["solve"].append((solve(A, steps)[0], time.process_time() - busy))
    nonzeros = int(matrices["aij"].getInfo(PETSc.Mat.InfoType.GLOBAL_SUM)["nz_used"])
    if comm.getRank() == 0:
        for label in matrices:
            for what, all_of in times[label].items():
                wall, busy = zip(*all_of)
                result[label][what] = {"least": min(wall), "median": statistics.median(wall), "most": max(wall),
                                       "cpu_least": min(busy), "cpu_median": statistics.median(busy)}
        # The model of docs/distributed.md for stock AIJ, whose bytes are known; all ranks share one memory here.
        # In the processor's time, which other programs do not add to.
        speed = 32 * length * comm.getSize() / min(sums)
        model = {"bytes_a_second": speed, "aij_seconds": (12 * nonzeros + 20 * n) / speed}
        model["measured_over_model"] = result["aij"]["mult"]["cpu_least"] / model["aij_seconds"]
        print("RESULT " + json.dumps({"rows": n, "nonzeros": nonzeros, "model": model, "types": result}), flush=True)


def launch(python, asked, ranks, matrix, deterministic=False):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none",
                       OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                       NONZERO_TUNING="off")
    if deterministic:  # which instruction set a process takes is otherwise timed, and each adds in an order of its own
        environment.setdefault("NONZERO_ISA", "portable")
    command = ["mpirun", "-n", str(ranks), python, __file__, str(asked.build), "--worker", "--matrix", matrix,
               "--rounds", str(asked.rounds)]
    command += ["--small"] * (asked.small or deterministic) + ["--deterministic"] * deterministic
    said = subprocess.run(command, capture_output=True, text=True, env=environment)
    if said.returncode:
        sys.exit(f"{' '.join(command)}\n{said.stdout}{said.stderr}")
    return said.stdout


def ratios(types):
    """Times as fast as PETSc's best type, and as plain AIJ, by the least and by the median times. The processor's
    time of rank 0 leaves out what other programs took; on several ranks it has waiting for the others in it."""
    found = {}
    for what in ("mult", "transpose", "solve"):
        for word in ("least", "median", "cpu_least", "cpu_median"):
            others = {label: t[what][word] for label, t in types.items() if label != "nonzero"}
            best = min(others, key=others.get)
            ours = types["nonzero"][what][word]
            found[f"{what}_{word}"] = {"over_best": round(others[best] / ours, 3), "best": best,
                                       "over_aij": round(others["aij"] / ours, 3)}
    return found


def table(record):
    """The rows of docs/distributed.md: times as fast as PETSc's best type and as plain AIJ."""
    print("| matrix | ranks | load | MatMult | MatMultTranspose | solve | MatMult by the clock |\n|---|--:|--:|--:|--:|--:|--:|")
    for run in json.loads(record.read_text())["runs"]:
        r = run["ratios"]
        cells = [f"{r[what]['over_best']:.2f} ({r[what]['best']}) / {r[what]['over_aij']:.2f}"
                 for what in ("mult_cpu_least", "transpose_cpu_least", "solve_cpu_least", "mult_least")]
        print(f"| {run['matrix']} | {run['ranks']} | {run['load']:.0f} | " + " | ".join(cells) + " |")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--record", type=pathlib.Path)
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--ranks", type=int, nargs="*", default=[1, 2, 4])
    options.add_argument("--matrix", default=None)
    options.add_argument("--small", action="store_true")
    options.add_argument("--table", action="store_true", help="show the record, measure nothing")
    options.add_argument("--worker", action="store_true")
    options.add_argument("--deterministic", action="store_true")
    asked = options.parse_args()
    if asked.worker:
        worker(asked)
        return 0
    if asked.table:
        table(asked.record)
        return 0
    python = next((p for p in (sys.executable, "/usr/bin/python3")
                   if subprocess.run([p, "-c", "import petsc4py"], capture_output=True).returncode == 0), None)
    if python is None:
        print("skipped: no petsc4py")
        return 0
    runs, wrong = [], []
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=40"], cwd=home,
                            capture_output=True, text=True).stdout.strip()
    for matrix in [asked.matrix] if asked.matrix else MATRICES:
        for ranks in asked.ranks:
            out = launch(python, asked, ranks, matrix)
            run = json.loads(next(line for line in out.splitlines() if line.startswith("RESULT "))[7:])
            run = {"matrix": matrix, "ranks": ranks, "date": datetime.date.today().isoformat(), "commit": commit,
                   "load": os.getloadavg()[0], "ratios": ratios(run["types"]), **run}
            stock, ours = run["types"]["aij"], run["types"]["nonzero"]
            if stock["iterations"] != ours["iterations"] or abs(stock["norm"] - ours["norm"]) > 1e-9 * stock["norm"]:
                wrong.append(f"{matrix}, {ranks} ranks: stock {stock}, nonzero {ours}")
            digests = [{" ".join(line.split()[1:4]): line.split()[4] for line in launch(
                python, asked, ranks, matrix, True).splitlines() if line.startswith("DIGEST")} for _ in range(2)]
            run["deterministic"] = {
                label: {what: all(digests[0][f"{label} {what} {r}"] == digests[1][f"{label} {what} {r}"]
                                  for r in range(ranks)) for what in ("mult", "transpose", "solve")}
                for label in ("aij", "nonzero")}
            for what, same in run["deterministic"]["nonzero"].items():
                if not same:
                    wrong.append(f"{matrix}, {ranks} ranks: two deterministic runs differ in {what}; "
                                 f"stock's are the same: {run['deterministic']['aij'][what]}")
            runs.append(run)
            r = run["ratios"]
            print(f"{matrix:14} {ranks} ranks: " + ", ".join(
                f"{what} {r[what + '_least']['over_best']:.2f} (best {r[what + '_least']['best']}), "
                f"median {r[what + '_median']['over_best']:.2f}, cpu {r[what + '_cpu_least']['over_best']:.2f} "
                f"{r[what + '_cpu_median']['over_best']:.2f}" for what in ("mult", "transpose", "solve")), flush=True)
    for line in wrong:
        print("WRONG:", line)
    if asked.record:
        model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                     platform.machine())
        # Runs that were not asked for stay as they were.
        old = json.loads(asked.record.read_text())["runs"] if asked.record.is_file() else []
        new = {(run["matrix"], run["ranks"]) for run in runs}
        runs = [run for run in old if (run["matrix"], run["ranks"]) not in new] + runs
        runs.sort(key=lambda run: (MATRICES.index(run["matrix"]), run["ranks"]))
        asked.record.write_text(json.dumps(
            {"processor": model, "cores": os.cpu_count(), "threads_per_rank": 1,
             "note": "more ranks than cores are oversubscribed; other programs ran beside it where the load is above the ranks",
             "runs": runs}, indent=1) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
