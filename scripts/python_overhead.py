"""Host time of small products beside SciPy's, CuPy's and PyTorch's, in one run.

    python scripts/python_overhead.py [--json FILE]      # needs the package; CuPy and PyTorch where there is a GPU
    python scripts/python_overhead.py --table FILE       # the table of docs/python.md from a record
"""

import argparse
import json
import warnings

import numpy as np
import python_measure as pm
import scipy.sparse as sp

SIZES = ((10, 2), (1000, 5), (4000, 5), (10_000, 5), (100_000, 5), (100_000, 50))
# On a GPU only what it can multiply faster than the host can ask: otherwise its queue is measured.
SIZES_GPU = ((10, 2), (1000, 5), (4000, 5), (10_000, 5))
warnings.filterwarnings("ignore", message=".*[Ss]parse.*")  # PyTorch's, that its own are in beta
WHAT = ("A @ x", "A.T @ x", "A.multiply(x, y)", "A @ X, 8 vectors")


def products(A, x, y, X):
    """Ours, and those of a library that has no multiply."""
    calls = {"A @ x": lambda: A @ x, "A.T @ x": lambda: A.T @ x, "A @ X, 8 vectors": lambda: A @ X}
    if hasattr(A, "kernel"):
        calls["A.multiply(x, y)"] = lambda: A.multiply(x, y)
    return calls


def torch_products(A, At, x, X):
    """A transpose that is made again in each product would be unfair."""
    return {"A @ x": lambda: A @ x, "A.T @ x": lambda: At @ x, "A @ X, 8 vectors": lambda: A @ X}


def on_host(M, x, X):
    import nonzero as nz

    ours = nz.plan(M, op="both")
    yield "numpy", "nonzero", ours.kernel, products(ours, x, np.empty(M.shape[0]), X)
    yield "numpy", "scipy", None, products(M, x, None, X)


def torch_on(M, x, X, device):
    import nonzero as nz

    torch = pm.library("torch")

    def tensor(array):
        return torch.from_numpy(array).to(device)

    def sparse(S):
        return torch.sparse_csr_tensor(tensor(S.indptr), tensor(S.indices), tensor(S.data), S.shape)

    there = sparse(M)
    ours = nz.plan(there, op="both")
    x, X, name = tensor(x), tensor(X), f"torch {device}"
    yield name, "nonzero", ours.kernel, products(ours, x, torch.empty(M.shape[0], dtype=torch.float64, device=device), X)
    yield name, "torch", None, torch_products(there, sparse(M.T.tocsr()), x, X)


def cupy_on(M, x, X):
    import cupy
    import cupyx.scipy.sparse as csp

    import nonzero as nz

    there = csp.csr_matrix(sp.csr_matrix(M))
    ours = nz.plan(there, op="both")
    x, X = cupy.asarray(x), cupy.asarray(X)
    yield "cupy", "nonzero", ours.kernel, products(ours, x, cupy.empty(M.shape[0]), X)
    yield "cupy", "cupy", None, products(there, x, None, X)
    nothing = cupy.RawKernel('extern "C" __global__ void nothing() {}', "nothing")
    yield "cupy", "cupy", None, {"a launch of nothing": lambda: nothing((1,), (1,), ())}


def measure():
    rng, rows = np.random.default_rng(1), []
    gpu, torch = pm.cupy_with_gpu(), pm.library("torch")
    bar = pm.Progress(len(SIZES), "host time")
    for n, per_row in SIZES:
        bar.step(f"{n} rows")
        M = sp.random_array((n, n), density=per_row / n, format="csr", rng=rng)
        M.sort_indices()
        x, X = rng.standard_normal(n), rng.standard_normal((n, 8))
        rounds = [(on_host(M, x, X), lambda: None)]
        if torch is not None:
            rounds.append((torch_on(M, x, X, "cpu"), lambda: None))
        if gpu is not None and (n, per_row) in SIZES_GPU:
            rounds.append((cupy_on(M, x, X), lambda: gpu.cuda.Device().synchronize()))
            if torch is not None and torch.cuda.is_available():
                rounds.append((torch_on(M, x, X, "cuda"), torch.cuda.synchronize))
        for cases, wait in rounds:
            for arrays, library, kernel, calls in cases:
                for what, call in calls.items():
                    call()
                    wait()
                    number = max(2, min(100, 10**6 // M.nnz))
                    times = pm.host_times(call, wait, number, repeat=60)
                    rows.append({"rows": n, "nnz": M.nnz, "arrays": arrays, "library": library, "what": what, "kernel": kernel,
                                 "least_us": round(min(times) * 1e6, 2), "median_us": round(pm.median(times) * 1e6, 2)})  # fmt: skip
    bar.end()
    return rows


def table(record, field="median_us"):
    """A row a size and kind of arrays; ours beside the library's own."""
    found = {(r["arrays"], r["rows"], r["nnz"], r["library"], r["what"]): r[field] for r in record["results"]}
    lines = ["| arrays | rows | nonzeros | " + " | ".join(f"`{w}`" if "," not in w or "(" in w else w for w in WHAT) + " |", "|---|--:|--:|" + "--:|" * len(WHAT)]
    for arrays in dict.fromkeys(r["arrays"] for r in record["results"]):
        peer = {"numpy": "scipy", "cupy": "cupy"}.get(arrays, "torch")
        for rows, nnz in dict.fromkeys((r["rows"], r["nnz"]) for r in record["results"] if r["arrays"] == arrays):
            cells = []
            for what in WHAT:
                ours, theirs = (found.get((arrays, rows, nnz, library, what)) for library in ("nonzero", peer))
                cells.append(" / ".join(f"{v:.1f}" if v < 100 else f"{v:.0f}" for v in (ours, theirs) if v is not None))
            lines.append(f"| {arrays} | {rows:,} | {nnz:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="write a record")
    parser.add_argument("--table", metavar="RECORD", help="print the table of a record, and measure nothing")
    arguments = parser.parse_args()
    if arguments.table:
        with open(arguments.table, encoding="utf-8") as file:
            print(table(json.load(file)))
        return
    record = {**pm.head("nonzero-python-overhead/1"), "results": measure()}
    if arguments.json:
        pm.write_record(arguments.json, record)
    print(table(record))


if __name__ == "__main__":
    main()
