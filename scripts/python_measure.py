"""What the scripts that measure the Python package share: the machine, the libraries, times, progress, records."""

import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def library(name):
    """A module, or None where it is not installed or does not work."""
    try:
        return importlib.import_module(name)
    except Exception:  # a CUDA library without its driver throws anything
        return None


def cupy_with_gpu():
    cupy = library("cupy")
    try:
        return cupy if cupy is not None and cupy.cuda.runtime.getDeviceCount() > 0 else None
    except Exception:
        return None


def commit():
    """That of NZ_COMMIT, where there is no clone, or of the clone."""
    if os.environ.get("NZ_COMMIT"):
        return os.environ["NZ_COMMIT"]
    found = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=40"], capture_output=True, text=True, check=False)
    return found.stdout.strip()


def machine():
    facts = {"cpu": platform.processor() or platform.machine(), "cpus": len(os.sched_getaffinity(0))}
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        facts["cpu"] = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    cupy = cupy_with_gpu()
    if cupy is not None:
        facts["gpu"] = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        facts["driver"] = cupy.cuda.runtime.driverGetVersion()
        facts["runtime"] = cupy.cuda.runtime.runtimeGetVersion()
    return facts


def versions():
    found = {"python": platform.python_version()}
    for name in ("nonzero", "numpy", "scipy", "cupy", "torch"):
        module = library(name)
        if module is not None:
            found[name] = module.__version__
    return found


def head(schema):
    """How a record begins."""
    import nonzero as nz

    return {"schema": schema, "commit": commit(), "date": time.strftime("%Y-%m-%d"), "machine": machine(), "versions": versions(), "threads": nz.threads()}


def write_record(path, record):
    """One line a case, so that records can be compared."""
    rows = ",\n".join("  " + json.dumps(row) for row in record["results"])
    rest = {name: value for name, value in record.items() if name != "results"}
    text = json.dumps(rest, indent=1)[:-2] + ',\n "results": [\n' + rows + "\n ]\n}\n"
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def batches(function, wait, seconds, batch_seconds=0.002, most=10**6, least=5):
    """Seconds of a call in each of several batches, at the end of which `wait` waits for the device."""
    function()
    wait()
    number = 1
    while True:
        elapsed = _batch(function, wait, number)
        if elapsed >= batch_seconds or number >= most:
            break
        number = min(most, max(number * 2, int(number * batch_seconds / max(elapsed, 1e-9) * 1.1)))
    times, end = [], time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        times.append(_batch(function, wait, number) / number)
    return times


def _batch(function, wait, number):
    begin = time.perf_counter()
    for _ in range(number):
        function()
    wait()
    return time.perf_counter() - begin


def host_times(function, wait, number, repeat):
    """Seconds that a call takes the host, in each of several batches; the device is waited for in between."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        for _ in range(number):
            function()
        times.append((time.perf_counter() - begin) / number)
        wait()
    return times


def median(times):
    return statistics.median(times)


class Progress:
    """A bar on the terminal, one line at its end elsewhere."""

    def __init__(self, total, what):
        self.total, self.what, self.done, self.begin = max(total, 1), what, 0, time.monotonic()
        self.shown = sys.stderr.isatty()

    def step(self, note):
        if self.shown:
            full = round(30 * self.done / self.total)
            left = (time.monotonic() - self.begin) / self.done * (self.total - self.done) if self.done else 0
            sys.stderr.write(f"\r{self.what} [{'#' * full}{'.' * (30 - full)}] {self.done}/{self.total} {left:4.0f} s  {note:40.40}")
            sys.stderr.flush()
        self.done += 1

    def end(self):
        if self.shown:
            sys.stderr.write("\r" + " " * 110 + "\r")
        print(f"{self.what}: {self.done} in {time.monotonic() - self.begin:.0f} s", file=sys.stderr)
