#!/usr/bin/env python3
"""What a product costs on P devices, on paper: the tables of docs/distributed.md.

    product = max(local bytes / memory speed, messages * latency + halo bytes / network speed) + halo block's bytes / memory

The halo of a stencil is counted by geometry; that of a power-law graph is counted in R-MAT graphs of the same degree,
rows dealt out by chance, on 2 to 1,024 parts that are small but in number the same. Needs NumPy.
"""
import numpy as np

MEMORY = 4.1e12  # bytes a second of an H200 that kernels here reach (docs/results-gpu.md)
NETWORK = 45e9  # of a 400 Gbit/s port a GPU
LATENCY = 8e-6  # a message between GPUs of two nodes, its packing shared
LAUNCH = 5e-6
HOP = 6e-6  # a step of an all-reduce, of which there are log2 P
GATHER = 0.35  # of the memory's speed that remains where columns are anywhere


def stencil(side, ranks):
    """27 points, a cube of side^3 unknowns a device, double in CSR: 12 bytes an entry."""
    rows = side**3
    halo = (side + 2) ** 3 - rows if ranks > 1 else 0
    local = (27 * rows * 12 + rows * 20) / MEMORY + LAUNCH
    wire = (26 * LATENCY + halo * 8 / NETWORK) if ranks > 1 else 0
    extra = (6 * side**2 * 9 * 12 + 6 * side**2 * 24) / MEMORY + LAUNCH if ranks > 1 else 0
    product = max(local, wire) + extra
    sweeps = 10 * rows * 8 / MEMORY + 4 * LAUNCH  # the vectors of conjugate gradients
    meetings = 2 * np.log2(max(ranks, 1)) * HOP
    alone = local + sweeps
    return rows, local, wire, product, local / product, alone / (product + sweeps + meetings)


def halo_of_graph(parts, each=1024, degree=16):
    """Distinct columns of other parts that a part touches, for each of its entries, on average over some parts."""
    n = parts * each
    random = np.random.default_rng(1)
    m = n * degree
    i, j = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    for _ in range(int(np.log2(n))):
        u = random.random(m)
        i = 2 * i + (u >= 0.76)
        j = 2 * j + ((u >= 0.57) & (u < 0.76) | (u >= 0.95))
    deal = random.permutation(n)  # who has which row is chance: hubs are spread
    i, j = deal[i], deal[j]
    found = []
    for part in range(0, parts, max(1, parts // 8)):
        mine = j[i // each == part]
        out = np.unique(mine[mine // each != part])
        found.append((len(out) / max(1, len(mine)), len(mine)))
    entries = np.bincount(i // each, minlength=parts)
    return np.mean([f for f, _ in found]), entries.max() / entries.mean()


def main():
    print("27-point stencil, side^3 a device, on 1,000: ms local, ms on the wire, product and CG as share of one device")
    for side in (32, 64, 100, 128, 256):
        rows, local, wire, _, share, cg = stencil(side, 1000)
        print(f"| {side}³ = {rows / 1e6:.2f} M | {1e3 * local:.3f} | {1e3 * wire:.3f} | {100 * share:.0f} % | {100 * cg:.0f} % |")
    print("R-MAT, degree 16, 4 million rows a device: halo an entry, fullest part over mean, ms local, ms on the wire")
    entries = 16 * 4e6
    local = entries * 12 / MEMORY / GATHER
    for parts in (2, 8, 64, 1024):
        share, lopsided = halo_of_graph(parts)
        wire = (parts - 1) * LATENCY + share * entries * 8 / NETWORK
        print(f"| {parts} | {share:.2f} | {lopsided:.2f} | {1e3 * local:.2f} | {1e3 * wire:.1f} | {wire / local:.0f} |")


if __name__ == "__main__":
    main()
