#!/usr/bin/env python3
"""Draws a suite of ten matrices, each of another family, with parameters from a seed.

    scripts/draw_suite.py SEED > suite.json

The same seed gives the same file everywhere. Nonzeros are between 1e5 and 5e7, small and large alike
likely; what else a family has is drawn too. `nonzero bench --suite suite.json` takes it, and
`--scale small` the variants for the emulator. lab/bench/suites/drawn.json is that of seed 20261116:
nothing was chosen by looking at it.
"""
import math
import random
import sys

FEWEST, MOST = 1e5, 5e7


class Draw:
    """Numbers from a seed, from random() alone, whose sequence Python keeps from version to version."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def whole(self, low, high):
        return low + int(self.random() * (high - low + 1))

    def one(self, options):
        return options[self.whole(0, len(options) - 1)]

    def about(self, low, high):
        """Each order of magnitude alike."""
        return math.exp(math.log(low) + self.random() * math.log(high / low))

    def some(self, options, count):
        """In a drawn order."""
        left = list(options)
        return [left.pop(self.whole(0, len(left) - 1)) for _ in range(count)]

    def nonzeros(self, most=MOST):
        # Room for what is rounded and merged.
        return self.about(1.15 * FEWEST, 0.85 * most)


def spec(family, **settings):
    return f"gen:{family}:" + ",".join(f"{key}={value}" for key, value in settings.items())


def banded(d, seed):
    nnz, lower, upper = d.nonzeros(), d.whole(1, 90), d.whole(1, 90)
    density = round(d.about(0.1, 1), 2)
    n = max(2 * (lower + upper), round(nnz / (1 + (lower + upper) * density)))
    return (f"a band of {lower} diagonals below and {upper} above, {density:.0%} full",
            spec("banded", n=n, lower=lower, upper=upper, density=density, seed=seed),
            spec("banded", n=200, lower=min(lower, 12), upper=min(upper, 12), density=density, seed=seed))


def block_band(d, seed):
    nnz, block, blocks = d.nonzeros(), d.whole(2, 16), round(d.about(2, 60))
    n = max(4 * block * blocks, round(nnz / (block * blocks)))
    return (f"dense blocks of {block} x {block} around the diagonal, {blocks} a block row",
            spec("block-band", n=n, block=block, density=f"{blocks * block / n:.8f}", seed=seed),
            spec("block-band", n=12 * block + 1, block=block, density=0.2, seed=seed))


def blocks(d, seed):
    nnz, height, width = d.nonzeros(), d.whole(1, 8), d.whole(2, 8)
    mean, shape = round(d.about(3, 40)), d.whole(0, 3)
    number = round(nnz / (height * width))
    down = max(100, round(number / mean))
    across = max(4 * mean, round(down * d.about(0.5, 2)))
    longest = {0: mean + 1, 1: 2 * mean, 2: 8 * mean, 3: 50 * mean}[shape]
    lengths = ("alike", "spread", "as 1/sqrt(rank)", "as 1/rank")[shape]
    return (f"blocks of {height} x {width} anywhere, {mean} a block row, lengths {lengths}",
            spec("blocks", down=down, across=across, height=height, width=width, blocks=number,
                 min=1, max=min(longest, across), shape=shape, seed=seed),
            spec("blocks", down=30, across=40, height=height, width=width, blocks=120,
                 min=1, max=(6, 8, 20, 30)[shape], shape=shape, seed=seed))


def fem(d, seed):
    nnz, block, blocks = d.nonzeros(), d.whole(1, 8), d.whole(7, 27)
    edge = max(4, round((nnz / (block * block * blocks)) ** (1 / 3)))
    nx, ny = edge, max(4, round(edge * d.about(0.7, 1.4)))
    nz = max(4, round(nnz / (block * block * blocks) / (nx * ny)))
    return (f"finite elements with {block} unknowns a node, about {blocks} blocks a block row",
            spec("fem", nx=nx, ny=ny, nz=nz, block=block, blocks=blocks, seed=seed),
            spec("fem", nx=3, ny=3, nz=3, block=block, blocks=blocks, seed=seed))


def giant(d, seed):
    nnz, degree, share = d.nonzeros(), round(d.about(0.3, 8), 2), d.about(0.02, 0.8)
    symmetric = d.whole(0, 1)
    n = round(nnz / (degree + share) / (1 + symmetric))
    return (f"{degree:g} entries a row and one row of {share:.0%} of the columns"
            + (", mirrored" if symmetric else ""),
            spec("giant", n=n, length=round(n * share), degree=degree, symmetric=symmetric, seed=seed),
            spec("giant", n=400, length=round(400 * share), degree=degree, symmetric=symmetric, seed=seed))


def grid(d, seed):
    nnz, points = d.nonzeros(), d.one((5, 7, 9, 27))
    flat = points in (5, 9)
    edge = (nnz / points) ** (1 / 2 if flat else 1 / 3)
    nx = round(edge * d.about(0.3, 3))
    ny = round(nnz / points / nx) if flat else round(edge * d.about(0.7, 1.4))
    nz = 1 if flat else max(3, round(nnz / points / (nx * ny)))
    edges = f"{nx} x {ny}" + ("" if flat else f" x {nz}")
    return (f"stencil of {points} points on {edges}",
            spec("grid", points=points, nx=nx, ny=ny, nz=nz),
            spec("grid", points=points, nx=9, ny=6, nz=1 if flat else 5))


def lp(d, seed):
    nnz, per_row, aspect = d.nonzeros(), d.whole(2, 20), d.about(0.4, 5)
    dense_rows, dense_cols = d.whole(0, 6), d.whole(0, 12)
    fill = round(d.about(0.02, 0.5), 2)
    rows = round(nnz / (per_row + fill * (dense_rows * aspect + dense_cols)))
    return (f"linear program: {per_row} a row, {dense_rows} dense rows, {dense_cols} dense columns",
            spec("lp", rows=rows, cols=max(50, round(rows * aspect)), per_row=per_row,
                 dense_rows=dense_rows, dense_cols=dense_cols, fill=fill, seed=seed),
            spec("lp", rows=120, cols=200, per_row=per_row, dense_rows=dense_rows,
                 dense_cols=dense_cols, fill=fill, seed=seed))


def profile(d, seed):
    nnz, mean, shape = round(d.nonzeros()), d.about(3, 100), d.whole(1, 3)
    rows = round(nnz / mean)
    cols = max(2000, round(rows * d.about(0.5, 2)))
    longest = min(cols, round(mean * {1: 2, 2: 20, 3: 300}[shape]))
    lengths = ("spread", "as 1/sqrt(rank)", "as 1/rank")[shape - 1]
    return (f"rows of {mean:.0f} on average, lengths {lengths}, columns anywhere",
            spec("profile", rows=rows, cols=cols, nnz=nnz, min=1, max=longest, shape=shape, seed=seed),
            spec("profile", rows=200, cols=300, nnz=2000, min=1, max=(20, 60, 200)[shape - 1],
                 shape=shape, seed=seed))


def uniform(d, seed):
    nnz, share = d.nonzeros(), d.about(0.0001, 0.3)
    edge = (nnz / share) ** 0.5
    rows = round(edge * d.about(0.5, 2))
    cols = round(nnz / share / rows)
    return (f"{share:.2%} of all cells, anywhere",
            spec("random", rows=rows, cols=cols, density=f"{share:.8f}", seed=seed),
            spec("random", rows=90, cols=110, density=f"{max(share, 0.02):.8f}", seed=seed))


def rmat(d, seed):
    degree = d.whole(4, 40)
    scale = max(12, min(22, round(math.log2(d.nonzeros() / degree))))
    while degree << scale > MOST:
        scale -= 1
    return (f"power-law graph of 2^{scale} rows, {degree} edges each",
            spec("rmat", scale=scale, degree=degree, seed=seed),
            spec("rmat", scale=7, degree=min(degree, 10), seed=seed))


def road(d, seed):
    nnz, degree = d.nonzeros(), round(2 + 1.5 * d.random(), 2)
    nx = round((nnz / degree) ** 0.5 * d.about(0.5, 2))
    return (f"road network, {degree:g} entries a row",
            spec("road", nx=nx, ny=round(nnz / degree / nx), degree=degree, seed=seed),
            spec("road", nx=22, ny=17, degree=degree, seed=seed))


FAMILIES = (banded, block_band, blocks, fem, giant, grid, lp, profile, uniform, rmat, road)


def entry(name, drawn):
    """A matrix of a suite: (why, source, small) under a name."""
    why, source, small = drawn
    return f'  {{"name": "{name}", "why": "{why}",\n   "source": "{source}",\n   "small": "{small}"}}'


def written(name, about, entries):
    """The suite's file."""
    return (f'{{\n "schema": "nonzero-suite/1",\n "name": "{name}",\n "about": "{about}",\n'
            ' "options": {"kernels": "plan,own,peer/*", "ops": "N,T", "types": "f32,f64", "time_limit": 0.02},\n'
            ' "matrices": [\n' + ",\n".join(entries) + "\n ]\n}\n")


def main(suite, usage):
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(f"usage: {usage} SEED")
    sys.stdout.write(suite(int(sys.argv[1])))


def suite(seed):
    d = Draw(seed)
    entries = [entry(f"drawn-{number}", family(d, d.whole(1, 10**6)))
               for number, family in enumerate(d.some(FAMILIES, 10), 1)]
    return written("drawn", "Ten matrices of different families whose parameters were drawn: "
                            f"scripts/draw_suite.py {seed}.", entries)


if __name__ == "__main__":
    main(suite, "draw_suite.py")
