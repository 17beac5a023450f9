"""The package beside SciPy (CPU), CuPy and PyTorch (GPU, and CPU) on real matrices: N, T, 8 vectors, and reading.

    NZ_MATRICES=FOLDER python scripts/python_bench.py --json FILE [--device cpu|cuda] [--types f64,f32] [NAME...]
    python scripts/python_bench.py --table FILE             # the summary of a record, for documents
    python scripts/python_bench.py --picture FILE OUT.svg   # needs Matplotlib

Every result is checked against a sum in long double with the library's bound. Each library has its best
setting: for T the transpose may be stored as CSR, for 8 vectors the order of X may be C or Fortran, PyTorch's
indices 32 or 64 bits; the shortest time counts, ours included. Plans are made with effort="balanced", for 8 vectors
with their number and order.
"""

import argparse
import contextlib
import json
import math
import os
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import python_measure as pm
import scipy.io
import scipy.sparse as sp

OPS = {"N": "A @ x", "T": "A.T @ x", "8": "A @ X, 8 vectors"}
TYPES = {"f64": np.float64, "f32": np.float32}
warnings.filterwarnings("ignore", message=".*[Ss]parse.*")  # PyTorch's, that its own are in beta


class Question:
    """A product that all are asked for: what goes in, and how far from the truth any order of additions ends."""

    def __init__(self, M, op, seed):
        self.M, self.op = M, op
        rng = np.random.default_rng(seed)
        S = M.T.tocsr() if op == "T" else M
        self.x = rng.standard_normal((S.shape[1], 8) if op == "8" else S.shape[1]).astype(M.dtype)
        L, entries = np.longdouble, np.diff(S.indptr) + 3
        if op == "8":
            entries = entries[:, None]
        self.exact = S.astype(L) @ self.x.astype(L)
        size = abs(S).astype(L) @ abs(self.x.astype(L))
        self.bound = entries * (np.finfo(M.dtype).eps / 2 * size + 2 * np.finfo(M.dtype).smallest_subnormal)

    def right(self, y):
        return bool((abs(y.astype(np.longdouble) - self.exact) <= self.bound).all())


# A library: its name, how its arrays come and go, how it waits, and what it is asked, as (setting, call).


class Host:
    name = "scipy"
    there = staticmethod(np.asarray)
    back = staticmethod(np.asarray)

    @staticmethod
    def wait():
        pass

    @staticmethod
    def calls(M, x, op):
        if op != "T":
            yield "csr", lambda: M @ x
            return
        Mt, stored = M.T, M.T.tocsr()
        yield "csc", lambda: Mt @ x
        yield "stored transpose", lambda: stored @ x


class Cupy:
    name = "cupy"

    def __init__(self):
        import cupy

        self.cupy = cupy
        self.back = cupy.asnumpy
        self.wait = lambda: cupy.cuda.Device().synchronize()

    def there(self, array):
        return self.cupy.asarray(array, order="A")

    def calls(self, M, x, op):
        import cupyx.scipy.sparse as csp

        A = csp.csr_matrix(sp.csr_matrix(M))
        if op != "T":
            yield "csr", lambda: A @ x
            return
        At, stored = A.T, A.T.tocsr()
        yield "csc", lambda: At @ x
        yield "stored transpose", lambda: stored @ x


class Torch:
    name = "torch"

    def __init__(self, device):
        import torch

        self.torch, self.device = torch, device
        self.wait = torch.cuda.synchronize if device == "cuda" else lambda: None

    def there(self, array):
        # from_numpy keeps the strides, and so does .to
        return self.torch.from_numpy(np.asarray(array)).to(self.device)

    def back(self, tensor):
        return tensor.cpu().numpy()

    def calls(self, M, x, op):
        if op == "T":
            M = M.T.tocsr()
        for bits in (np.int32, np.int64):
            arrays = [self.there(a) for a in (M.indptr.astype(bits), M.indices.astype(bits), M.data)]
            A = self.torch.sparse_csr_tensor(*arrays, M.shape)
            yield f"{'stored transpose, ' if op == 'T' else ''}{bits.__name__}", lambda A=A: A @ x


class Ours:
    """nonzero with the arrays of another library."""

    name = "nonzero"

    def __init__(self, arrays):
        self.arrays, self.there, self.back, self.wait = arrays, arrays.there, arrays.back, arrays.wait
        self.kernel = self.plan_seconds = None

    def matrix(self, M):
        if isinstance(self.arrays, Cupy):
            import cupyx.scipy.sparse as csp

            return csp.csr_matrix(sp.csr_matrix(M))
        return M

    def calls(self, M, x, op):
        import nonzero as nz

        M = self.matrix(M)
        begin = time.perf_counter()
        # What is asked for is said, as one who multiplies several vectors would.
        several = {"vectors": x.shape[1], "order": "C" if x.flags.c_contiguous else "F"} if op == "8" else {}
        A = nz.plan(M, op="T" if op == "T" else "N", **several)
        self.wait()
        self.plan_seconds, self.kernel = time.perf_counter() - begin, A.kernel
        if op == "T":
            A = A.T
        yield "plan", lambda: A @ x


def libraries(device):
    if device == "cpu":
        found = [Ours(Host()), Host()]
        return [*found, Torch("cpu")] if pm.library("torch") else found
    if pm.cupy_with_gpu() is None:
        raise SystemExit("--device cuda needs a GPU and CuPy")
    found = [Ours(Cupy()), Cupy()]
    torch = pm.library("torch")
    return [*found, Torch("cuda")] if torch and torch.cuda.is_available() else found


def measure_op(library, question, seconds):
    """The best setting's time, and whether its result is right; or what went wrong."""
    op = question.op
    best = None
    for order in ("C", "F") if op == "8" else ("C",):
        try:
            given = library.there(np.asarray(question.x, order=order))
            for setting, call in library.calls(question.M, given, op):
                right = question.right(library.back(call()))
                times = pm.batches(call, library.wait, seconds)
                case = {"setting": f"{setting}, {order}" if op == "8" else setting, "median_s": pm.median(times), "least_s": min(times), "right": right}
                if best is None or case["median_s"] < best["median_s"]:
                    best = case
        except Exception as error:  # out of memory, a type that a library lacks
            if best is None:
                best = {"error": f"{type(error).__name__}: {error}"[:200]}
    if isinstance(library, Ours) and "median_s" in best:
        best |= {"kernel": library.kernel, "plan_s": library.plan_seconds}
    return best


def measure_reading(M, seconds):
    """mmread of the same plain file, warm, by either."""
    import nonzero as nz

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.mtx")
        nz.mmwrite(path, M)
        cases = {"nonzero": lambda: nz.mmread(path), "scipy": lambda: scipy.io.mmread(path, spmatrix=False)}
        for name, call in cases.items():
            got = sp.csr_array(call())
            times = pm.batches(call, lambda: None, seconds, least=3)
            right = got.shape == M.shape and (got != M).nnz == 0
            yield {"op": "mmread", "library": name, "bytes": os.path.getsize(path), "median_s": pm.median(times), "least_s": min(times), "right": bool(right)}


def files(names):
    folder = os.environ.get("NZ_MATRICES")
    if not folder:
        raise SystemExit("NZ_MATRICES names the folder with the matrices")
    paths = sorted(p for p in Path(folder).iterdir() if ".mtx" in p.name)
    found = [p for p in paths if not names or p.name.split(".mtx")[0] in names]
    if not found:
        raise SystemExit(f"no matrices in {folder}")
    return found


def measure(arguments):
    import nonzero as nz

    rows, all_of_them = [], libraries(arguments.device)
    types = arguments.types.split(",")
    paths = files(arguments.names)
    bar = pm.Progress(len(paths) * len(types), "bench")
    for path in paths:
        name, whole = path.name.split(".mtx")[0], nz.read(path)
        for type_name in types:
            bar.step(f"{name} {type_name}")
            M = whole.astype(TYPES[type_name])
            facts = {"matrix": name, "rows": M.shape[0], "cols": M.shape[1], "nnz": M.nnz, "type": type_name}
            for op in OPS:
                question = Question(M, op, len(rows))
                for library in all_of_them:
                    case = measure_op(library, question, arguments.seconds)
                    rows.append({**facts, "op": op, "library": library.name, **case})
        if arguments.device == "cpu":
            rows += [{"matrix": name, "rows": whole.shape[0], "cols": whole.shape[1], "nnz": whole.nnz, "type": "f64", **case} for case in measure_reading(whole, arguments.seconds)]
    bar.end()
    return rows


def ratios(record, op, peer, type_name):
    """(matrix, nonzeros, theirs / ours) of every matrix that both multiplied rightly, the worst first."""
    cases = {(r["matrix"], r["library"]): r for r in record["results"] if r["op"] == op and r["type"] == type_name and r.get("right")}
    found = []
    for (matrix, library), ours in cases.items():
        theirs = cases.get((matrix, peer))
        if library == "nonzero" and theirs:
            found.append((matrix, ours["nnz"], theirs["median_s"] / ours["median_s"]))
    return sorted(found, key=lambda f: f[2])


def table(record):
    """How many times as fast as others: in the geometric mean, at worst and at best."""
    lines = ["| | type | beside | matrices | mean | least | most |", "|---|---|---|--:|--:|--:|--:|"]
    peers = [p for p in dict.fromkeys(r["library"] for r in record["results"]) if p != "nonzero"]
    labels = {"scipy": "SciPy", "cupy": "CuPy", "torch": "PyTorch"}
    for op, label in (*OPS.items(), ("mmread", "mmread")):
        for type_name in dict.fromkeys(r["type"] for r in record["results"]):
            for peer in peers:
                found = ratios(record, op, peer, type_name)
                if not found:
                    continue
                mean = math.exp(sum(math.log(f[2]) for f in found) / len(found))
                low, high = found[0], found[-1]
                what = label if "," in label else f"`{label}`"
                lines.append(f"| {what} | {type_name} | {labels[peer]} | {len(found)} | {mean:.2f} | {low[2]:.2f} ({low[0]}) | {high[2]:.1f} ({high[0]}) |")
    return "\n".join(lines)


def picture(record, out):
    """Times as fast as each peer over the nonzeros, a field an op."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "nonzero", "font.size": 9})
    from matplotlib import pyplot as plt

    peers = [p for p in dict.fromkeys(r["library"] for r in record["results"]) if p != "nonzero"]
    figure, fields = plt.subplots(1, len(OPS), figsize=(10, 3.2), sharey=True, layout="constrained")
    type_name = record["results"][0]["type"]
    for field, (op, label) in zip(fields, OPS.items(), strict=True):
        for peer, mark in zip(peers, "os^", strict=False):
            found = ratios(record, op, peer, type_name)
            field.scatter([f[1] for f in found], [f[2] for f in found], s=14, marker=mark, label={"scipy": "SciPy", "cupy": "CuPy", "torch": "PyTorch"}[peer])
        field.axhline(1, color="gray", linewidth=0.8)
        field.set(xscale="log", yscale="log", title=label, xlabel="nonzeros")
        field.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    fields[0].set_ylabel("times as fast as")
    fields[-1].legend(frameon=False)
    with contextlib.suppress(OSError):
        Path(out).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, metadata={"Date": None})


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="matrices; all without")
    parser.add_argument("--json", help="write a record")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--types", default="f64", help="f64, f32 or both with a comma")
    parser.add_argument("--seconds", type=float, default=0.1, help="for each call that is timed")
    parser.add_argument("--table", metavar="RECORD")
    parser.add_argument("--picture", nargs=2, metavar=("RECORD", "OUT"))
    arguments = parser.parse_args()
    if arguments.table:
        print(table(load(arguments.table)))
        return
    if arguments.picture:
        picture(load(arguments.picture[0]), arguments.picture[1])
        return
    record = {**pm.head("nonzero-python-bench/1"), "device": arguments.device, "results": measure(arguments)}
    if arguments.json:
        pm.write_record(arguments.json, record)
    print(table(record))
    wrong = [r for r in record["results"] if r.get("right") is False]
    for r in wrong:
        print(f"wrong: {r['library']} {r['matrix']} {r['op']} {r['type']}")
    raise SystemExit(any(r["library"] == "nonzero" for r in wrong))


if __name__ == "__main__":
    main()
