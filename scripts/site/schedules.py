"""A picture of who multiplies what, for each kernel, by what the registry says of it: device, format and strategy.

All pictures are of one small matrix. A colour is a worker, the number within an entry its place in the order of
that worker; a dashed square is padding.
"""

import re

ROWS = [[0, 1], [0, 1, 2, 5], [2], [1, 3, 4], [0, 2, 4, 5, 6, 8, 9, 11], [5, 6], [4, 6, 7, 10], [7, 9, 11]]
ENTRIES = [(r, s, c) for r, row in enumerate(ROWS) for s, c in enumerate(row)]
WIDTH, SIZE = 12, 22
COLOURS = ["#0a6ebd", "#d05a00", "#00875f", "#a54a92", "#9a7400", "#007f9e", "#b03060", "#5b6570"]


class Drawing:
    """Entries at places, each with its worker and step; frames around what belongs together."""

    def __init__(self, words):
        self.words, self.parts, self.right, self.bottom = words, [], 0, 0

    def reach(self, x, y):
        self.right, self.bottom = max(self.right, x), max(self.bottom, y)

    def entry(self, x, y, worker, step):
        colour = COLOURS[worker % len(COLOURS)]
        self.parts.append(f'<rect x="{x * SIZE + 1}" y="{y * SIZE + 1}" width="{SIZE - 2}" height="{SIZE - 2}" rx="3" fill="{colour}"/>'
                          f'<text x="{(x + .5) * SIZE:g}" y="{(y + .5) * SIZE + 4:g}">{step + 1}</text>')
        self.reach(x + 1, y + 1)

    def padding(self, x, y):
        self.parts.append(f'<rect class="none" x="{x * SIZE + 2}" y="{y * SIZE + 2}" width="{SIZE - 4}" height="{SIZE - 4}" rx="3"/>')
        self.reach(x + 1, y + 1)

    def frame(self, x, y, width, height):
        self.parts.insert(0, f'<rect class="frame" x="{x * SIZE:g}" y="{y * SIZE:g}" width="{width * SIZE:g}" height="{height * SIZE:g}"/>')
        self.reach(x + width, y + height)

    def svg(self):
        width, height = self.right * SIZE, self.bottom * SIZE
        return (f'<svg class="schedule" xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 {width + 8:g} {height + 8:g}" width="{width + 8:g}" '
                f'role="img" aria-label="{self.words}">{"".join(self.parts)}</svg>')


def in_place(words, order, worker, rows=True, frames=()):
    """Entries where the matrix has them; worker(k, row, slot, col) says who takes the k-th of that order, and when."""
    d = Drawing(words)
    for x, y, w, h in [(0, 0, WIDTH, len(ROWS)), *frames]:
        d.frame(x, y, w, h)
    for k, (r, s, c) in enumerate(sorted(ENTRIES, key=order)):
        d.entry(c, r, *worker(k, r, s, c))
    return d


def by_rows(e):
    return e[0], e[2]


def counted(group):
    """Steps of each worker, one after the other; group(row, slot, col, k) is the worker."""
    done = {}

    def worker(k, r, s, c):
        who = group(k, r, s, c)
        done[who] = done.get(who, -1) + 1
        return who, done[who]
    return worker


def in_order(words, group, order=by_rows, frames=()):
    return in_place(words, order, counted(group), frames=frames)


def lanes(words, width=4, frames=()):
    """Lanes side by side along a row."""
    return in_place(words, by_rows, lambda k, r, s, c: (s % width, s // width), frames=frames)


def chunks(words, width, frames=()):
    """Lanes side by side along the entries, whatever their rows."""
    return in_place(words, by_rows, lambda k, r, s, c: (k % width, k // width), frames=frames)


def slots(words, height, rows=None, padded=True, one=False):
    """Rows pushed to the left, in slices of so many, each as long as its longest row; a worker a row, or one for all."""
    d = Drawing(words)
    rows = rows or ROWS
    step = 0
    for top in range(0, len(rows), height):
        part = rows[top:top + height]
        longest = max(len(r) for r in part)
        d.frame(0, top + .3 * (top // height), longest, len(part))
        for s in range(longest):
            for i, row in enumerate(part):
                y = top + i + .3 * (top // height)
                if s < len(row):
                    d.entry(s, y, 0 if one else i, step if one else s)
                    step += 1
                elif padded:
                    d.padding(s, y)
    return d


def blocks(words, side, group, order=None):
    """Squares that are stored: group(b, block row, block column) is the worker of the b-th of them."""
    places = sorted({(r // side, c // side) for r, _, c in ENTRIES}, key=order)
    number = {place: b for b, place in enumerate(places)}
    frames = [(c * side, r * side, side, side) for r, c in places]
    return in_order(words, lambda k, r, s, c: group(number[r // side, c // side], r // side, c // side),
                    order=lambda e: (number[e[0] // side, e[2] // side], e[0], e[2]), frames=frames)


def full_blocks(words, worker):
    """Blocks of 2 x 2 with their zeros; worker(b, block row, place, block column) is who takes a value, and when."""
    places = sorted({(r // 2, c // 2) for r, _, c in ENTRIES})
    have = {(r, c) for r, _, c in ENTRIES}
    d = Drawing(words)
    d.frame(0, 0, WIDTH, len(ROWS))
    for b, (br, bc) in enumerate(places):
        d.frame(bc * 2, br * 2, 2, 2)
        for place in range(4):
            r, c = br * 2 + place // 2, bc * 2 + place % 2
            if (r, c) in have:
                d.entry(c, r, *worker(b, br, place, bc))
            else:
                d.padding(c, r)
    return d


def hybrid(words, width, one):
    """The first entries of each row as slots, the rest as a list beneath."""
    d = slots(words, 4, [r[:width] for r in ROWS], one=one)
    rest = [(r, s) for r, s, _ in ENTRIES if s >= width]
    for i, _ in enumerate(rest):
        d.entry(i, len(ROWS) + 1, 0 if one else i, 0 if not one else len(ENTRIES) - len(rest) + i)
    return d


def by_length(r):
    """Who takes a row where long ones are shared: (first worker, workers)."""
    n = len(ROWS[r])
    return 1 if n < 3 else 2 if n < 6 else 4


def of_plan(words):
    d = Drawing(words)
    for i, name in enumerate(["look", "predict", "prepare", "multiply"]):
        d.parts.append(f'<rect class="frame" x="{i * 110}" y="0" width="86" height="34" rx="6"/><text class="word" x="{i * 110 + 43}" y="22">{name}</text>')
        if i:
            d.parts.append(f'<path class="arrow" d="M{i * 110 - 20} 17h14m-5 -4l5 4l-5 4"/>')
    d.reach(416 / SIZE, 34 / SIZE)
    return d


SORTED = sorted(ROWS, key=len, reverse=True)
# Those that touch the left columns, then the others; in each half the longest first.
TOGETHER = [ROWS[r] for r in (1, 3, 0, 2, 4, 6, 7, 5)]


def by_columns(e):
    return e[2], e[0]


# What "device/format/strategy" begins with or is, and the picture of it; the first that fits.
SCHEDULES = [
    (r"cpu/(coo|csr)/(serial|scatter)", lambda: in_order("One thread takes the rows one after the other.", lambda *_: 0)),
    (r"cpu/csc/serial", lambda: in_order("One thread takes the columns one after the other.", lambda *_: 0, by_columns)),
    (r"cpu/csr/omp-rows", lambda: in_order("Each thread takes as many rows, whatever their length.", lambda k, r, s, c: r // 2)),
    (r"cpu/(csr|compact|dcsr)/balanced", lambda: in_order("Each thread takes as many entries; a row may be shared by two.", lambda k, *_: k // 7)),
    (r"cpu/csb/block-rows", lambda: blocks("A thread takes a line of blocks.", 4, lambda b, r, c: r)),
    (r"cpu/csb/balanced", lambda: blocks("Blocks are made into tasks with about as many entries.", 4, lambda b, r, c: b // 2)),
    (r"cpu/ell/serial", lambda: slots("One thread takes strips of rows, slot by slot; short rows are padded to the longest.", 8, one=True)),
    (r"cpu/hyb/serial", lambda: hybrid("One thread takes the first slots of a strip of rows, then the entries that are left.", 3, True)),
    (r"cpu/sell/serial", lambda: slots("One thread takes a slice of rows of like length slot by slot.", 4, SORTED, one=True)),
    (r"cpu/(sell|packed)/", lambda: slots("Vector lanes lie down the rows of a slice: a lane is a row, a step a slot.", 4, SORTED)),
    (r"cpu/esb/", lambda: slots("Vector lanes lie down the rows of a slice; no padding is stored, a mask says who takes part.", 4, SORTED, padded=False)),
    (r"cpu/bsr/serial", lambda: full_blocks("One thread takes block by block, its zeros too.", lambda b, r, p, c: (0, b))),
    (r"cpu/bsr/granular-row", lambda: full_blocks("A thread takes a line of blocks.", lambda b, r, p, c: (r, c))),
    (r"cpu/bsr/intra-row", lambda: full_blocks("All threads share each line of blocks, line after line.", lambda b, r, p, c: (b % 3, r))),
    (r"cpu/bsr/", lambda: full_blocks("A thread takes a task of as many blocks as any other.", lambda b, r, p, c: (b // 4, b % 4))),
    (r"cpu/dia/", lambda: in_order("One thread takes strips of rows, diagonal by diagonal.", lambda *_: 0, lambda e: (e[0] // 4, e[2] - e[0], e[0]))),
    (r"gpu/(coo/(thread-per-entry|scatter)|ecsb/coo-based)", lambda: in_place("A thread takes one entry and adds it to y by an atomic.", by_rows, lambda k, *_: (k, 0))),
    (r"gpu/coo/map-1$", lambda: in_order("A thread takes a few entries that are neighbours.", lambda k, *_: k // 4)),
    (r"gpu/coo/map-", lambda: chunks("A thread takes a few entries, others' between them.", 7)),
    (r"gpu/coo/(ps-|by-row-density)", lambda: chunks("Threads side by side take a chunk of entries; sums of rows come from a scan over the chunk.", 8)),
    (r"gpu/csr5/tiles", lambda: in_order("A warp takes a tile of entries; a lane takes as many that are neighbours, and flags say where rows begin.", lambda k, *_: k // 3)),
    (r"gpu/(coo/(segmented|slots)|csr/hola)", lambda: in_order("A thread takes as many entries as any other; sums of rows that are shared meet.", lambda k, *_: k // 4)),
    (r"gpu/csr/merge-path", lambda: in_order("A thread takes as many rows and entries together as any other.", lambda k, r, *_: (k + r) // 6)),
    (r"gpu/(csr|compact)/balanced", lambda: in_order("A block takes as many rows and entries as any other; long rows are cut into pieces.", lambda k, r, *_: (k + r) // 9)),
    (r"gpu/csr/by-density", lambda: in_order("A thread takes a row; where rows are long in the mean, a warp does.", lambda k, r, *_: r)),
    (r"gpu/(csr/(thread-per-row|one-thread-per-row))", lambda: in_order("A thread takes a row.", lambda k, r, *_: r)),
    (r"gpu/vcsr/", lambda: slots("All rows are sorted by length; a thread takes a row of a bundle.", 4, SORTED)),
    (r"gpu/csr/row-swizzle", lambda: lanes("The lanes of a warp take a row together, the longest rows first.")),
    (r"gpu/csr/(warp-per-row|one-warp-per-row)", lambda: lanes("The lanes of a warp take a row together, and add up by shuffles.")),
    (r"gpu/csr/coalesced-bins", lambda: in_order("A warp takes a bin of rows that has about as many entries as any other.", lambda k, r, *_: [0, 0, 1, 1, 2, 3, 3, 4][r])),
    (r"gpu/csr/(hybrid|adaptive)", lambda: in_place("Short rows are taken by a thread, longer ones by several together.", by_rows, lambda k, r, s, c: (s % by_length(r), s // by_length(r)))),
    (r"gpu/csr/row-blocks", lambda: in_order("A block takes many short rows, or one long row.", lambda k, r, *_: [0, 0, 0, 0, 1, 2, 2, 2][r])),
    (r"gpu/cmrs/", lambda: in_place("A warp takes a strip of rows, its lanes the entries of the strip.", by_rows, counted(lambda k, r, *_: r // 2), frames=[(0, y, WIDTH, 2) for y in (0, 2, 4, 6)])),
    (r"gpu/slabs/|gpu/compact/slabs", lambda: in_order("Rows are made into units; a block takes the entries of a unit slab by slab of columns.", lambda k, r, *_: r // 4, lambda e: (e[0] // 4, e[2] // 4, e[0]), [(x, y, 4, 4) for x in (0, 4, 8) for y in (0, 4)])),
    (r"gpu/panels/", lambda: in_order("A block takes a panel of columns, its part of x in shared memory.", lambda k, r, s, c: c // 4, lambda e: (e[2] // 4, e[0]), [(x, 0, 4, 8) for x in (0, 4, 8)])),
    (r"gpu/(ell/|ecsb/ell-based)", lambda: slots("A thread takes a row; short rows are padded to the longest.", 8)),
    (r"gpu/(hyb/|ecsb/by-rule)", lambda: hybrid("A thread takes the first slots of a row; the entries that are left are taken apart.", 3, False)),
    (r"gpu/clusters/", lambda: slots("Rows that touch the same columns come together, the longest first; a block brings x of these to shared memory, and a lane takes a row.", 4, TOGETHER)),
    (r"gpu/sell/thread-per-row", lambda: slots("A thread takes a row; the rows of a warp are about as long.", 4, SORTED)),
    (r"gpu/(sell|packed)/", lambda: slots("A warp takes a slice of rows as they come, a lane a row.", 4)),
    (r"gpu/gcsb/", lambda: blocks("A thread takes a block; those of a group hold about as many entries, and lie side by side.", 2, lambda b, r, c: b)),
    (r"gpu/csb-baseline/", lambda: blocks("A thread takes a block, entry by entry.", 4, lambda b, r, c: b)),
    (r"gpu/bsr/vector", lambda: full_blocks("A thread takes a column of a block, several rows at once.", lambda b, r, p, c: (p % 2, b))),
    (r"gpu/bsr/(row-major|thread-private|team)", lambda: full_blocks("A thread takes one value of a block.", lambda b, r, p, c: (p, b))),
    (r"gpu/bsr/", lambda: full_blocks("A warp takes as many blocks as any other.", lambda b, r, p, c: (b // 4, b % 4))),
    (r"gpu/tile/", lambda: blocks("A block of threads takes square tiles, whose sums are in shared memory, for A and its transpose.", 4, lambda b, r, c: b)),
    (r"plan/", lambda: of_plan("A plan looks at a part of the matrix, predicts the time of each kernel and prepares the best one.")),
]


def page_part(kernel):
    """The picture of a kernel of the registry and what it shows, as HTML."""
    for pattern, made in SCHEDULES:
        if re.match(pattern, kernel):
            drawing = made()
            svg = drawing.svg()
            key = "" if kernel.startswith("plan/") else ("<p>A colour is a worker, the numbers the order of its entries, of which warps and blocks take several at once" +
                                                         ("; a dashed square is padding.</p>" if 'class="none"' in svg else ".</p>"))
            return f'<p>{drawing.words}</p><div class="wide">{svg}</div>{key}'
    return "<p>How another library shares out the work is not known here.</p>"
