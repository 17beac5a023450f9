#!/usr/bin/env python3
"""Products of every kernel against SciPy's: scripts/differential.py PRODUCTS NONZERO RECORD

PRODUCTS and NONZERO are the programs nonzero-products and nonzero. At least 300 matrices are generated, by
`nonzero gen` with drawn settings and by SciPy with odd shapes; those of the folder NZ_MATRICES, where that is set,
come after them. Each goes through every kernel of the CPU, and small ones through every GPU
kernel on the emulator, in float and double, N and T, with several alpha and beta. An element is right when it
differs from SciPy's product in double by at most

    (n + 3) u (|alpha| sum|a||x| + |beta||y|)    and as much with double's u, for SciPy's own error,

n the entries of the row, u the unit roundoff of the type; kernels that share rounding between rows have the wider
bound of docs/architecture.md. A kernel that refuses every matrix is a miss too. The record has the counts; every
miss is printed. Needs NumPy and SciPy.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
import scipy.io
import scipy.sparse as sp

home = pathlib.Path(__file__).resolve().parent.parent
random = np.random.default_rng(int(os.environ.get("NZ_SEED", "19")))
limit = float(os.environ.get("NZ_SECONDS", "1200"))


def drawn_spec():
    """A family of the generator with settings that stay small."""
    n = int(random.integers(1, 700))
    side = int(np.sqrt(n)) + 1
    seed = int(random.integers(1000))
    pick = random.integers
    return [
        lambda: f"grid:points={random.choice([5, 9])},nx={side},ny={side}",
        lambda: f"grid:points={random.choice([7, 27])},nx={side // 4 + 1},ny={side // 4 + 1},nz=5",
        lambda: f"banded:n={n},lower={pick(12)},upper={pick(12)},density={random.random():.2f},seed={seed}",
        lambda: f"block-band:n={n},block={pick(1, 9)},density=0.05,seed={seed}",
        lambda: f"blocks:down={n // 4 + 1},across={n // 4 + 1},height={pick(1, 6)},width={pick(1, 6)},"
                f"blocks={n // 2 + 1},min=0,max={n // 4 + 1},seed={seed}",
        lambda: f"diagonal:n={n},seed={seed}",
        lambda: f"empty:rows={pick(0, 90)},cols={pick(0, 90)}",
        lambda: f"fem:nx={side // 4 + 1},ny={side // 4 + 1},nz=3,block={pick(1, 5)},seed={seed}",
        lambda: f"giant:n={n},length={pick(n + 1)},degree=1.5,seed={seed}",
        lambda: f"lp:rows={n},cols={2 * n},per_row=4,dense_rows=2,dense_cols=2,fill=0.4,seed={seed}",
        lambda: f"mycielskian:k={pick(2, 9)}",
        lambda: f"profile:rows={n},cols={n},nnz={4 * n},min=0,max={min(n, 60)},shape={pick(4)},seed={seed}",
        lambda: f"random:rows={n},cols={pick(1, 700)},density=0.0{pick(1, 9)},seed={seed}",
        lambda: f"rmat:scale={pick(1, 10)},degree={pick(1, 9)},seed={seed}",
        lambda: f"road:nx={side},ny={side},seed={seed}",
    ]


def odd_matrix(i):
    """What SciPy writes: any shape, empty, full, one row, one column, wide ranges of values."""
    m, n = (int(v) for v in random.integers(0, 400, 2))
    if i % 6 == 0:
        m, n = random.permutation([1, max(n, 1)])
    density = [0.0, 0.01, 0.05, 0.3, 1.0, 0.002][i % 6]
    if m * n * density > 60000:
        density = 60000 / (m * n)
    a = sp.random(int(m), int(n), density, format="csr", random_state=random)
    a.data = random.standard_normal(a.nnz) * 2.0 ** random.integers(-12, 12, a.nnz)
    return a


def rows_within(indptr, data, chunk):
    """Of each row, the sum over all chunks of consecutive entries that it touches."""
    starts = np.arange(0, len(data), chunk)
    sums = np.add.reduceat(data, starts) if len(data) else np.zeros(0)
    total = np.concatenate([[0.0], np.cumsum(sums)])
    first, last = indptr[:-1] // chunk, np.maximum(indptr[1:] - 1, 0) // chunk
    return np.where(indptr[1:] > indptr[:-1], total[np.minimum(last + 1, len(sums))] - total[first], 0.0)


class Matrix:
    def __init__(self, path):
        a = sp.csr_matrix(scipy.io.mmread(path), dtype=np.float64)
        a.sum_duplicates()
        self.of = {}
        for kind, dtype in (("f64", np.float64), ("f32", np.float32)):
            b = sp.csr_matrix((a.data.astype(dtype).astype(np.float64), a.indices, a.indptr), a.shape)
            t = sp.csr_matrix(b.T)
            self.of[kind] = {"N": b, "T": t}
        self.shape, self.nnz = a.shape, a.nnz
        n = max(a.shape) + 1
        self.x = random.standard_normal(n).astype(np.float32).astype(np.float64)
        self.y = random.standard_normal(n).astype(np.float32).astype(np.float64)
        self.kept = {}

    def exact(self, kind, op):
        if (kind, op) not in self.kept:
            b = self.of[kind][op]
            size = abs(b) @ abs(self.x[: b.shape[1]])
            self.kept[kind, op] = (b @ self.x[: b.shape[1]], size, np.diff(b.indptr))
        return self.kept[kind, op]

    def worst(self, kind, op, alpha, beta, chunk, computed):
        """The largest error as a share of its bound."""
        dtype = np.float32 if kind == "f32" else np.float64
        alpha, beta = float(dtype(alpha)), float(dtype(beta))
        product, size, entries = self.exact(kind, op)
        y = self.y[: len(product)]
        u, own = np.finfo(dtype).eps / 2, np.finfo(np.float64).eps / 2
        terms = abs(alpha) * size + abs(beta) * abs(y)
        bound = (entries + 3) * (u + own) * terms + (entries + 3) * (abs(alpha) + 1) * float(np.finfo(dtype).smallest_subnormal)
        if chunk:
            b = self.of[kind][op]
            shared = rows_within(b.indptr, abs(b.data) * abs(self.x[b.indices]), chunk)
            bound = bound + (entries + chunk + 3) * u * 2 * abs(alpha) * shared
        error = abs(computed.astype(np.float64) - (alpha * product + beta * y))
        share = np.where(error > 0, error / np.where(bound > 0, bound, np.finfo(np.float64).tiny), 0.0)
        share = np.where(np.isfinite(computed), share, np.inf)
        return float(share.max()) if len(share) else 0.0


def check(program, path, device, count, misses):
    matrix = Matrix(path)
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, f"{v}.npy") for v in "xy"]
        np.save(names[0], matrix.x)
        np.save(names[1], matrix.y)
        pattern = "cpu/*" if device == "cpu" else "gpu/*"
        child = subprocess.Popen([program, path, *names, device, pattern], stdout=subprocess.PIPE,
                                 env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        for line in child.stdout:
            kernel, kind, op, alpha, beta, chunk, how, length = line.decode().split()
            count["kernels"].setdefault(kernel, 0)
            if how == "refused":
                count["refused"] += 1
                continue
            dtype = np.float32 if kind == "f32" else np.float64
            y = np.frombuffer(child.stdout.read(int(length) * dtype().itemsize), dtype)
            share = matrix.worst(kind, op, float(alpha), float(beta), int(chunk), y)
            count["products"] += 1
            count["kernels"][kernel] += 1
            count["elements"] += len(y)
            count["worst"] = max(count["worst"], share)
            if share > 1:
                miss = f"{path} {device} {kernel} {kind} {op} alpha {alpha} beta {beta}: {share:.3g} of the bound"
                print("MISS", miss, flush=True)
                misses.append(miss)
        if child.wait() != 0:
            misses.append(f"{path} {device}: exit code {child.returncode}")
            print("MISS", misses[-1], flush=True)
    return matrix


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    products, nonzero, record = sys.argv[1:]
    start = time.monotonic()
    count = {"products": 0, "elements": 0, "refused": 0, "worst": 0.0, "kernels": {}}
    tally, misses = {"generated": 0, "by SciPy": 0, "real": 0, "on the emulator": 0}, []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.mtx")
        for i in range(int(os.environ.get("NZ_MATRIX_COUNT", "300"))):
            if i % 3 == 2:
                scipy.io.mmwrite(path, odd_matrix(i // 3), precision=17)
                tally["by SciPy"] += 1
            else:
                specs = drawn_spec()
                family, _, rest = specs[(i - i // 3) % len(specs)]().partition(":")
                made = subprocess.run([nonzero, "gen", family, *rest.split(","), "-o", path], capture_output=True,
                                      text=True)
                if made.returncode != 0:
                    sys.exit(f"{family}:{rest}: {made.stderr}")
                tally["generated"] += 1
            matrix = check(products, path, "cpu", count, misses)
            # The emulator takes a thousand times as long: small ones, while there is time.
            if matrix.nnz <= 1500 and max(matrix.shape) <= 400 and time.monotonic() - start < limit * 0.7:
                check(products, path, "emu", count, misses)
                tally["on the emulator"] += 1
            if i % 50 == 49:
                print(f"{time.monotonic() - start:6.0f} s: {i + 1} matrices, {count['products']} products, "
                      f"{len(misses)} misses", flush=True)
    misses += [f"{kernel}: refused every matrix" for kernel, products_of in count["kernels"].items() if products_of == 0]
    real = pathlib.Path(os.environ.get("NZ_MATRICES", "none"))
    skipped = []
    if real.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            for file in sorted(real.glob("*.mtx*"), key=lambda f: f.stat().st_size):
                if time.monotonic() - start > limit:
                    skipped.append(file.name)
                    continue
                plain = os.path.join(folder, "real.mtx")
                subprocess.run([nonzero, "convert", file, plain], check=True, capture_output=True)
                check(products, plain, "cpu", count, misses)
                tally["real"] += 1
    said = subprocess.run(["git", "-C", home, "describe", "--always", "--dirty", "--abbrev=40"],
                          capture_output=True, text=True)
    whole = {"schema": "nonzero-differential/1", "commit": said.stdout.strip() or "unknown",
             "date": time.strftime("%Y-%m-%d", time.gmtime()), "scipy": scipy.__version__, "numpy": np.__version__,
             "matrices": tally, "kernels": len(count["kernels"]), "products": count["products"],
             "elements": count["elements"], "refused": count["refused"],
             "worst_share_of_bound": round(count["worst"], 4), "misses": misses,
             "real_matrices_left_out_for_time": skipped, "seconds": round(time.monotonic() - start)}
    pathlib.Path(record).write_text(json.dumps(whole, indent=1) + "\n")
    print(f"differential: {sum(tally.values()) - tally['on the emulator']} matrices ({tally}), "
          f"{whole['kernels']} kernels, {whole['products']} products, {whole['elements']} elements, "
          f"worst error {whole['worst_share_of_bound']} of the bound, {whole['refused']} refused, "
          f"{len(misses)} misses, {whole['seconds']} s")
    sys.exit(1 if misses else 0)


main()
