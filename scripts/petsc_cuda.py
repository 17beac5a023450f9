#!/usr/bin/env python3
"""PETSc's own programs, unchanged, on a GPU: stock, with aijcusparse, and with nonzero's products.

scripts/petsc_cuda.py --petsc DIR --arch ARCH --library libnonzero_petsc.so --work FOLDER --record FILE

What scripts/petsc_cuda.sh runs last. Every program runs on one rank and on two in several ways: as it is (host),
with aijcusparse and vectors on the GPU (cusparse), with a plan of nonzero's on the GPU and vectors on the GPU (ours)
or in host memory (ours-host-vectors), and with a plan on the CPU and vectors on the GPU (ours-cpu-plan). They must take
the same iterations to the same norms; with vectors on the GPU every product must have found them there, by the
plug-in's own count. Then larger ones are timed, aijcusparse and ours in turns, by PETSc's own log. --device emu or cpu
tries all of this without a GPU, on small matrices. The exit code is 1 where something disagrees, 2 where time ran out.
"""
import argparse
import concurrent.futures
import datetime
import itertools
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

PROGRAMS = {"ex2": "ksp/ksp/tutorials/ex2.c", "ex45": "ksp/ksp/tutorials/ex45.c", "ex19": "snes/tutorials/ex19.c",
            "ex5": "mat/tests/ex5.c", "bench_kspsolve": "ksp/ksp/tutorials/bench_kspsolve.c"}
# Checked in every way: the name, the program, its options, and who makes its vectors and matrices: a DM (True), options
# (False), or for the vectors the matrix (None).
CHECKS = [
    ("grid5", "ex2", "-m 300 -n 300 -ksp_type cg -pc_type jacobi -ksp_rtol 1e-8 -ksp_max_it 3000", False),
    ("grid5-ilu", "ex2", "-m 200 -n 200 -ksp_type gmres -ksp_rtol 1e-6", False),
    ("grid7-dm", "ex45", "-da_grid_x 48 -da_grid_y 48 -da_grid_z 48 -ksp_type cg -pc_type jacobi -ksp_rtol 1e-8 "
     "-ksp_converged_reason", True),
    ("cavity", "ex19", "-da_refine 3 -pc_type jacobi -ksp_type gmres -ksp_rtol 1e-6 -snes_converged_reason "
     "-ksp_converged_reason", True),
    ("products", "ex5", "-m 90", False),
    ("products-tall", "ex5", "-m 90 -rectB", False),
    ("grid27-coo", "bench_kspsolve", "-n 24 -ksp_type cg -pc_type jacobi -ksp_rtol 1e-8", None),
]
SMALL = {"-m 300 -n 300": "-m 40 -n 40", "-m 200 -n 200": "-m 30 -n 30", "48": "10", "-da_refine 3": "-da_refine 1",
         "-m 90": "-m 20", "-n 24": "-n 8"}
# Timed: the name, the program, its options, the stage of the log that has the products, and the logs that are taken:
# with the GPU's own clock, which makes the host wait for each product (kernels), and without (solve).
TIMED = [
    ("27-point grid, 100^3, products", "bench_kspsolve", "-n 100 -matmult -its 500", "Step2", ["kernels"]),
    ("5-point grid, 1400^2, 500 of CG and Jacobi", "ex2",
     "-m 1400 -n 1400 -ksp_type cg -pc_type jacobi -ksp_rtol 1e-14 -ksp_max_it 500", "Main Stage", ["kernels", "solve"]),
    ("27-point grid, 100^3, CG and Jacobi", "bench_kspsolve", "-n 100 -ksp_type cg -pc_type jacobi -ksp_rtol 1e-10",
     "Step2", ["solve"]),
]
NUMBER = r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?"


class Runs:
    def __init__(self, asked):
        self.asked = asked
        self.begin = time.monotonic()
        self.work = asked.work.resolve()
        self.gpu = asked.device.startswith("cuda")
        self.library = asked.library.resolve()
        self.log = open(asked.record.with_suffix(".log"), "w", encoding="utf-8")
        # OpenMPI asks root whether it means it; what it has for fast networks may not be here.
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_pml="ob1",
                                OMPI_MCA_btl_vader_single_copy_mechanism="none", NONZERO_TUNING="off",
                                OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                                PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")

    def left(self):
        return self.asked.seconds - (time.monotonic() - self.begin)

    def say(self, text):
        print(f"[{time.monotonic() - self.begin:6.1f} s] {text}", flush=True)

    def build(self, name):
        lib = f"{self.asked.petsc}/{self.asked.arch}/lib"
        command = ["mpicc", "-O2", f"-I{self.asked.petsc}/include", f"-I{self.asked.petsc}/{self.asked.arch}/include",
                   *(f"-I{path}" for path in self.asked.include), f"{self.asked.petsc}/src/{PROGRAMS[name]}", "-o",
                   str(self.work / name), f"-L{lib}", f"-Wl,-rpath,{lib}", "-lpetsc", "-lm",
                   "-Wl,--allow-shlib-undefined"]
        done = subprocess.run(command, capture_output=True, text=True)
        return f"{name}: {done.stderr[-1500:]}" if done.returncode else None

    def options(self, way, dm):
        """What each way adds to a program's own options. dm: vectors are made by a DM (True), by options (False) or for
        the matrix (None)."""
        vectors = {True: "-dm_vec_type", False: "-vec_type", None: ""}[dm]
        on_gpu = f"{vectors} cuda" if vectors else ""
        matrix = "-dm_mat_type" if dm else "-mat_type"
        plugin = f"-dll_append {self.library} -mat_seqaij_type seqaijnonzero"
        gpu = "-use_gpu_aware_mpi 0" if self.gpu else ""
        return {"host": "",
                "cusparse": f"{gpu} {matrix} aijcusparse {on_gpu}",
                "ours": f"{gpu} {plugin} {matrix} aijnonzero -mat_nonzero_device {self.asked.device} "
                        + (on_gpu if self.gpu else ""),
                "ours-host-vectors": f"{gpu} {plugin} -mat_nonzero_device {self.asked.device}"
                                     + (" -vec_type standard" if dm is False else ""),
                "ours-cpu-plan": f"{gpu} {plugin} {matrix} aijnonzero -mat_nonzero_device cpu {on_gpu}"}[way]

    def run(self, what, program, ranks, options, limit=90):
        """One run: its exit code, seconds, output and the plug-in's counts."""
        counts = self.work / f"counts-{re.sub('[^a-z0-9]+', '-', what)}.txt"
        counts.unlink(missing_ok=True)
        words = [*options.split(), *(["-mat_nonzero_count", str(counts)] if "seqaijnonzero" in options else [])]
        command = ["mpirun", "-n", str(ranks), str(self.work / program), *words]
        started = time.monotonic()
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", env=self.environment, cwd=self.work, timeout=limit)
            code, output = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            code, output = 124, (late.stdout or b"").decode(errors="replace")
        seconds = time.monotonic() - started
        total = {}
        for line in counts.read_text().splitlines() if counts.is_file() else []:
            line = line.split()
            for name, number in zip(line[::2], line[1::2]):
                total[name] = total.get(name, 0) + int(number)
        self.log.write(f"== {what}: {' '.join(command)}\n== exit {code}, {seconds:.1f} s, {total}\n{output[-6000:]}\n")
        self.log.flush()
        return {"code": code, "seconds": round(seconds, 2), "counts": total}, output


def figures(output):
    """Iterations and norms that the programs print, by name."""
    found = {}
    for name, pattern in (("iterations", r"iterations (\d+)"), ("iterations", r"KSP iters:\s+(\d+)"),
                          ("norm", rf"Norm of error ({NUMBER})"), ("norm", rf"Error norm:\s+({NUMBER})"),
                          ("residual", rf"Residual norm ({NUMBER})"),
                          ("newton_steps", r"Number of SNES iterations = (\d+)")):
        hits = re.findall(pattern, output)
        if hits:  # iterations of all solves
            found[name] = sum(map(float, hits)) if name == "iterations" else float(hits[-1])
    return found


def plain(output):
    """Without what names types of matrices and vectors."""
    return "\n".join(line for line in output.splitlines() if "type:" not in line)


def agree(stock, ours):
    """Why two outputs differ; empty: they do not. Rounding may cost or save an iteration in a hundred."""
    a, b = figures(stock), figures(ours)
    if not a:  # all that is printed is numbers
        first, second = (re.findall(NUMBER, plain(text)) for text in (stock, ours))
        if len(first) != len(second):
            return f"{len(first)} numbers and {len(second)}"
        bad = [(x, y) for x, y in zip(first, second) if abs(float(x) - float(y)) > 1e-5 * max(1.0, abs(float(x)))]
        return f"{len(bad)} numbers differ, the first {bad[0]}" if bad else ""
    if a.keys() != b.keys():
        return f"{a} and {b}"
    steps = abs(a.get("iterations", 0) - b.get("iterations", 0))
    if steps > max(1, a.get("iterations", 0) / 100) or a.get("newton_steps") != b.get("newton_steps"):
        return f"{a} and {b}"
    for name in ("norm", "residual"):
        if name not in a:
            continue
        close = 1e-4 * abs(a[name]) if steps == 0 else 0.9 * max(abs(a[name]), abs(b[name]))
        if abs(a[name] - b[name]) > max(close, 1e-9):
            return f"{a} and {b}"
    return ""


def logged(path, stage, event):
    """An event of PETSc's log in a stage: count, seconds, flops, and of a GPU its Mflop/s and the copies to and from it."""
    here = False
    for line in path.read_text(errors="replace").splitlines() if path.is_file() else []:
        if line.startswith("--- Event Stage"):
            here = stage in line
        words = line.split()
        if here and words and words[0] == event and len(words) > 10:
            number = [float(w) if re.fullmatch(NUMBER, w) else None for w in words[1:]]
            row = {"count": number[0], "seconds": number[2], "flops": number[4]}
            if len(words) >= 24:
                row.update(gpu_mflops=number[-6], to_gpu=number[-5], to_gpu_mb=number[-4], from_gpu=number[-3],
                           from_gpu_mb=number[-2])
            return row
    return None


def checks(runs, record, wrong):
    ways = ["host", "cusparse", "ours", "ours-host-vectors", "ours-cpu-plan"] if runs.gpu else ["host", "ours"]
    jobs = []
    for name, program, options, dm in CHECKS:
        if not runs.gpu:
            for large, small in SMALL.items():
                options = options.replace(large, small)
        for ranks in (1, 2):
            if ranks == 2 and name == "products-tall":
                continue  # PETSc has no diagonal of that on two ranks
            for way in ways:
                if way == "ours-host-vectors" and dm is None:
                    continue  # vectors that are made for the matrix are where its plan is
                jobs.append((name, program, options, dm, ranks, way))

    def one(job):
        name, program, options, dm, ranks, way = job
        if runs.left() < 5:
            return job, None, ""
        explain = " -mat_nonzero_explain" if (way, name) == ("ours-host-vectors", "grid5") else ""
        done, output = runs.run(f"{name} {ranks} {way}", program, ranks,
                                f"{options} {runs.options(way, dm)}{explain}", min(90, runs.left()))
        return job, done, output

    with concurrent.futures.ThreadPoolExecutor(runs.asked.at_once) as pool:
        results = list(pool.map(one, jobs))
    stock = {(job[0], job[4]): output for job, done, output in results if job[5] == "host" and done}
    lines = {}
    for (name, _, options, _, ranks, way), done, output in results:
        what = f"{name}, {ranks} rank{'s' if ranks > 1 else ''}, {way}"
        if done is None:
            record["left_out"].append(what)
            continue
        entry = {"case": name, "ranks": ranks, "way": way, "options": options, **done, **figures(output)}
        reasons = []
        if done["code"]:
            reasons.append(f"exit code {done['code']}: {output[-700:]}")
        elif way != "host":
            reason = agree(stock.get((name, ranks), ""), output)
            if reason:
                reasons.append(f"disagrees with stock: {reason}")
        counts = done["counts"]
        products = counts.get("products", 0) + counts.get("transposed", 0)
        if way.startswith("ours") and not done["code"]:
            if products == 0:
                reasons.append("no product went through nonzero")
            if way == "ours" and runs.gpu and counts.get("in_place") != products:
                reasons.append(f"{counts.get('in_place')} of {products} products found their vectors on the GPU")
            if (way, name) == ("ours-host-vectors", "grid5") and "copies between them will take most" not in output:
                reasons.append("nothing warned of copies")
        entry["agrees"] = not reasons
        record["checks"].append(entry)
        wrong += [f"{what}: {reason}" for reason in reasons]
        lines.setdefault(f"{name}, {ranks} rank(s)", []).append(
            f"{way} {'ok' if not reasons else 'WRONG'} {' '.join(f'{v:g}' for v in figures(output).values())}"
            + (f" ({counts.get('in_place')} of {products} in place)" if counts else ""))
    for what, texts in lines.items():
        runs.say(f"{what}: {'; '.join(texts)}")


def timed(runs, record, wrong):
    ways = ("cusparse", "ours") if runs.gpu else ("host", "ours")
    for ranks, rounds in ((1, runs.asked.rounds), (2, 1)):
        for name, program, options, stage, modes in TIMED:
            if not runs.gpu:
                options = options.replace("-n 100", "-n 12").replace("1400", "40").replace("500", "20")
            entry = {"case": name, "ranks": ranks, "options": options, "rounds": []}
            outputs = {}
            for _, mode, way in itertools.product(range(rounds), modes, ways):
                what = f"{name}, {ranks} rank(s), {way}, {mode}"
                if runs.left() < 20:
                    record["left_out"].append(what)
                    continue
                log = runs.work / f"log-{way}.txt"
                log.unlink(missing_ok=True)
                extra = f"-log_view :{log}" + (" -log_view_gpu_time" if mode == "kernels" and runs.gpu else "")
                made_by = False if program == "ex2" else None
                done, output = runs.run(what, program, ranks, f"{options} {runs.options(way, made_by)} {extra}")
                entry["rounds"].append({"way": way, "mode": mode, **done, **figures(output),
                                        "MatMult": logged(log, stage, "MatMult"),
                                        "KSPSolve": logged(log, stage, "KSPSolve")})
                outputs[way] = output
                if done["code"]:
                    wrong.append(f"{what}: exit code {done['code']}: {output[-700:]}")
                elif not entry["rounds"][-1]["MatMult"]:
                    wrong.append(f"{what}: no MatMult in PETSc's log")
            if len(outputs) == 2 and figures(outputs[ways[0]]):
                reason = agree(*(outputs[way] for way in ways))
                entry["agrees"] = not reason
                if reason:
                    wrong.append(f"{name}, {ranks} rank(s): {reason}")
            entry.update(ratios(entry["rounds"], ways, entry["ranks"]))
            if stage == "Main Stage":  # the first product of ours there has the making of the plan in it
                del entry["ratio_MatMult"], entry["seconds_MatMult"]
            record["timed"].append(entry)
            copies = {f["way"]: [f["MatMult"].get("to_gpu"), f["MatMult"].get("from_gpu")]
                      for f in entry["rounds"] if f["MatMult"]}
            runs.say(f"{name}, {ranks} rank(s): {ways[0]} over ours " +
                     json.dumps({k[6:]: v for k, v in entry.items() if k.startswith("ratio")}) +
                     f", copies to and from the GPU in MatMult {json.dumps(copies)}, "
                     f"{round(sum(f['seconds'] for f in entry['rounds']))} s for {len(entry['rounds'])} runs")


def ratios(rounds, ways, ranks):
    """The least time of the other way over the least of ours: of products by the clock of PETSc's log, of what the GPU
    did in them (flops over its rate), and of solves."""
    def least(way, mode, take):
        times = [take(r) for r in rounds if r["way"] == way and r["mode"] == mode and r["code"] == 0]
        return min((t for t in times if t), default=None)

    def seconds(event):
        return lambda r: (r[event] or {}).get("seconds") and r[event]["seconds"] / r[event]["count"]

    def kernels(r):
        row = r["MatMult"] or {}
        # The log has the most flops of a rank, and the rate of all ranks.
        return row.get("gpu_mflops") and ranks * row["flops"] / (1e6 * row["gpu_mflops"] * row["count"])

    result = {}
    for name, mode, take in (("MatMult", "kernels", seconds("MatMult")), ("MatMult_on_gpu", "kernels", kernels),
                             ("KSPSolve", "solve", seconds("KSPSolve"))):
        theirs, ours = least(ways[0], mode, take), least(ways[1], mode, take)
        result[f"seconds_{name}"] = {ways[0]: theirs, "ours": ours}
        result[f"ratio_{name}"] = round(theirs / ours, 4) if theirs and ours else None
    return result


def version(petsc):
    text = (petsc / "include/petscversion.h").read_text()
    return ".".join(re.search(rf"define PETSC_VERSION_{part}\s+(\d+)", text)[1] for part in ("MAJOR", "MINOR", "SUBMINOR"))


def said(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip().splitlines()
    except OSError:
        return []


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--petsc", type=pathlib.Path, required=True)
    options.add_argument("--arch", required=True)
    options.add_argument("--library", type=pathlib.Path, required=True)
    options.add_argument("--work", type=pathlib.Path, required=True)
    options.add_argument("--record", type=pathlib.Path, required=True)
    options.add_argument("--include", action="append", default=[], help="where CUDA's headers are")
    options.add_argument("--device", default="cuda:0")
    options.add_argument("--seconds", type=float, default=240)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--at-once", type=int, default=4)
    asked = options.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    asked.petsc = asked.petsc.resolve()
    runs = Runs(asked)
    commit = os.environ.get("NZ_COMMIT") or " ".join(said(["git", "describe", "--always", "--dirty", "--abbrev=40"]))
    record = {"date": datetime.date.today().isoformat(), "commit": commit, "petsc": version(asked.petsc),
              "cuda": " ".join(said(["nvcc", "--version"])[-2:-1]), "mpi": " ".join(said(["mpirun", "--version"])[:1]),
              "device": asked.device,
              "gpu": said(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]), "machine": platform.machine(), "cores": os.cpu_count(), "checks": [], "timed": [], "left_out": []}
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(len(PROGRAMS)) as pool:
        wrong += [text for text in pool.map(runs.build, PROGRAMS) if text]
    runs.say(f"{len(PROGRAMS)} programs of PETSc's built")
    if not wrong:
        try:
            checks(runs, record, wrong)
            timed(runs, record, wrong)
        except Exception as error:  # the record has what there was until then
            wrong.append(f"{type(error).__name__}: {error}")
    record.update(wrong=wrong, agrees=not wrong, seconds=round(time.monotonic() - runs.begin, 1))
    asked.record.write_text(json.dumps(record, indent=1) + "\n")
    for text in wrong:
        print("WRONG:", text)
    runs.say(f"{len(record['checks'])} checks, {len(wrong)} wrong, {len(record['left_out'])} left out for lack of time")
    return 1 if wrong else 2 if record["left_out"] else 0


if __name__ == "__main__":
    sys.exit(main())
