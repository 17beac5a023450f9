#!/usr/bin/env python3
"""Files of other programs, written here byte by byte as their formats say, read by `info` and multiplied by `run`.

    readers.py PROGRAM

The matrix is drawn anew each time; NZ_TEST_SEED repeats one.
"""

import io
import json
import os
import random
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

program = Path(sys.argv[1]).resolve()
seed = int(os.environ.get("NZ_TEST_SEED") or random.SystemRandom().randrange(1 << 31))
draw = random.Random(seed)
problems = []


def expect(true, text):
    if not true:
        problems.append(text)


class Matrix:
    """Small, with an empty row, values that are exact in binary, by columns and by rows."""

    def __init__(self):
        self.rows, self.cols = draw.randrange(3, 9), draw.randrange(3, 9)
        self.entries = {}
        while len(self.entries) < self.rows + self.cols:
            i, j = draw.randrange(self.rows), draw.randrange(self.cols)
            if i != 1:
                self.entries[i, j] = draw.randrange(-64, 65) / 8 or 0.5
            if len(self.entries) >= (self.rows - 1) * self.cols:
                break

    def by(self, columns):
        lines = self.cols if columns else self.rows
        starts, others, values = [0], [], []
        for k in range(lines):
            inside = sorted((i if columns else j, v) for (i, j), v in self.entries.items() if (j if columns else i) == k)
            others += [o for o, _ in inside]
            values += [v for _, v in inside]
            starts.append(len(values))
        return starts, others, values

    def product(self, x):
        y = [0.0] * self.rows
        for (i, j), v in self.entries.items():
            y[i] += v * x[j]
        return y


def npy(kind, shape, payload):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + payload


def npz(m):
    starts, columns, values = m.by(False)
    ints = lambda a: npy("<i4", f"({len(a)},)", struct.pack(f"<{len(a)}i", *a))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("indices.npy", ints(columns))
        z.writestr("indptr.npy", ints(starts))
        z.writestr("format.npy", npy("|S3", "()", b"csr"))
        z.writestr("shape.npy", npy("<i8", "(2,)", struct.pack("<2q", m.rows, m.cols)))
        z.writestr("data.npy", npy("<f8", f"({len(values)},)", struct.pack(f"<{len(values)}d", *values)))
    return out.getvalue()


def mat(m):
    starts, rows, values = m.by(True)

    def element(kind, payload):
        return struct.pack("<2i", kind, len(payload)) + payload + b"\0" * (-len(payload) % 8)

    body = element(6, struct.pack("<2I", 5, len(values)))  # a sparse array of doubles
    body += element(5, struct.pack("<2i", m.rows, m.cols)) + element(1, b"A")
    body += element(5, struct.pack(f"<{len(rows)}i", *rows)) + element(5, struct.pack(f"<{len(starts)}i", *starts))
    body += element(9, struct.pack(f"<{len(values)}d", *values))
    head = b"MATLAB 5.0 MAT-file, written by a test".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    return head + struct.pack("<2i", 14, len(body)) + body


def rb(m):
    starts, rows, values = m.by(True)
    cards = lambda numbers, form, each: ["".join(form % n for n in numbers[k:k + each]) for k in range(0, len(numbers), each)]
    pointers = cards([s + 1 for s in starts], "%8d", 10)
    indices = cards([r + 1 for r in rows], "%8d", 10)
    numbers = cards(values, "%20.12E", 4)
    head = ["%-72s%-8s" % ("A matrix of a test", "test")]
    head.append("%14d%14d%14d%14d" % (len(pointers) + len(indices) + len(numbers), len(pointers), len(indices), len(numbers)))
    head.append("%-14s%14d%14d%14d%14d" % ("rua", m.rows, m.cols, len(values), 0))
    head.append("%-16s%-16s%-20s" % ("(10I8)", "(10I8)", "(4E20.12)"))
    return "\n".join(head + pointers + indices + numbers + [""]).encode()


def mtx(m):
    lines = [f"{i + 1} {j + 1} {v!r}" for (i, j), v in m.entries.items()]
    return "\n".join(["%%MatrixMarket matrix coordinate real general", f"{m.rows} {m.cols} {len(lines)}", *lines, ""]).encode()


def tar(m):
    """As the SuiteSparse collection packs them: NAME/NAME.mtx, with others beside it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        for name, payload in (("drawn/drawn.mtx", mtx(m)), ("drawn/README.txt", b"of a test")):
            about = tarfile.TarInfo(name)
            about.size = len(payload)
            t.addfile(about, io.BytesIO(payload))
    return out.getvalue()


def run(*words):
    return subprocess.run([program, *words], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    for ending, write in ((".npz", npz), (".mat", mat), (".rb", rb), (".tar.gz", tar)):
        m = Matrix()
        path = folder / ("drawn" + ending)
        path.write_bytes(write(m))
        told = run("info", str(path), "--json", "-")
        expect(told.returncode == 0, f"info {path.name}: {told.stderr}")
        if told.returncode == 0:
            about = json.loads(told.stdout)[0]
            expect((about["rows"], about["cols"], about["nnz"]) == (m.rows, m.cols, len(m.entries)),
                   f"info {path.name}: {about['rows']} x {about['cols']}, {about['nnz']}")
        people = run("info", str(path))
        expect(f"{m.rows} x {m.cols}, {len(m.entries)} nonzeros" in people.stdout, f"info {path.name}: {people.stdout}")
        x = [draw.randrange(-16, 17) / 4 for _ in range(m.cols)]
        (folder / "x.npy").write_bytes(npy("<f8", f"({m.cols},)", struct.pack(f"<{m.cols}d", *x)))
        out = folder / "y.npy"
        ran = run("run", str(path), "--x", str(folder / "x.npy"), "-o", str(out))
        expect(ran.returncode == 0, f"run {path.name}: {ran.stderr}")
        if ran.returncode == 0:
            raw = out.read_bytes()
            y = list(struct.unpack(f"<{m.rows}d", raw[10 + struct.unpack("<H", raw[8:10])[0]:]))
            # All products are exact in binary.
            expect(y == m.product(x), f"run {path.name}: {y}, not {m.product(x)}")
        # One that is cut off is refused, with its name.
        whole = path.read_bytes()
        path.write_bytes(whole[:2 * len(whole) // 3])
        broken = run("info", str(path))
        expect(broken.returncode in (3, 4) and path.name in broken.stderr, f"{path.name}, cut off: {broken.stderr}")
for p in problems:
    print(p)
print("all are read" if not problems else f"{len(problems)} problems, NZ_TEST_SEED={seed}")
sys.exit(bool(problems))
