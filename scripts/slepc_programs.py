"""SLEPc's own test programs, stock and with nonzero's products, for scripts/test_petsc.py.

Debian has their sources as pages of HTML only (libslepc3.18-dev-examples), without the outputs to compare with: the
sources are taken from the pages, unchanged, and the outputs of the two runs are compared, numbers to rounding.
"""
import html
import pathlib
import re
import subprocess

pages = pathlib.Path("/usr/share/slepc/3.18/examples/src")
# Program, ranks, options, from the programs' own lists of tests.
PROGRAMS = [
    ("eps/tests/test1", 1, "-n 18 -eps_nev 4 -eps_max_it 1500"),
    ("eps/tests/test1", 1, "-n 18 -eps_nev 4 -eps_max_it 1500 -eps_type arnoldi"),
    ("eps/tests/test1", 2, "-n 18 -eps_nev 4 -eps_max_it 1500 -st_pc_type redundant"),
    ("eps/tests/test2", 1, "-eps_ncv 20"),
    ("eps/tests/test4", 1, ""),
    ("eps/tests/test9", 1, "-eps_largest_real -eps_nev 4"),
    ("eps/tests/test9", 2, "-eps_type arnoldi -eps_nev 4"),
    ("eps/tutorials/ex2", 1, "-n 72 -eps_nev 4 -eps_ncv 20 -terse"),
    ("eps/tutorials/ex2", 4, "-n 30 -eps_nev 4 -eps_ncv 20 -terse"),
    ("eps/tutorials/ex5", 2, "-eps_largest_real -eps_nev 4 -eps_two_sided 0 -terse"),
    ("eps/tutorials/ex11", 2, "-eps_nev 4 -terse"),
    ("svd/tests/test1", 1, "-svd_type lanczos"),
    ("svd/tests/test1", 2, "-svd_type trlanczos"),
    ("svd/tutorials/ex8", 1, ""),
]


def source(page):
    text = page.read_text()
    text = text[text.index("<pre"):text.index("</pre>")]
    text = re.sub(r'<a name="line\d+">\s*\d+: </a>', "", text)
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def built(work, program):
    target = work / program.replace("/", "-")
    if not target.is_file():
        target.with_suffix(".c").write_text(source(pages / f"{program}.c.html"))
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "SLEPc", "PETSc"], capture_output=True, text=True,
                               check=True).stdout.split()
        subprocess.run(["mpicc", "-O1", "-w", target.with_suffix(".c"), "-o", target, *flags, "-lm"], check=True)
    return target


def alike(a, b):
    """The same words in the same order, numbers to a millionth; those below 1e-6 are errors, which may differ."""
    number = r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?"
    if re.sub(number, "#", a).split() != re.sub(number, "#", b).split():
        return False
    return all(abs(float(x) - float(y)) <= 1e-6 * max(1.0, abs(float(x)))
               for x, y in zip(re.findall(number, a), re.findall(number, b)))


def run(work, environment, options):
    """What every program printed; None where it failed."""
    work.mkdir(parents=True, exist_ok=True)
    said = {}
    for program, ranks, own in PROGRAMS:
        done = subprocess.run(["mpirun", "-n", str(ranks), built(work, program), *own.split(), *options.split()],
                              capture_output=True, text=True, errors="replace", env=environment,
                              timeout=300)
        said[f"{program}, {ranks} ranks, {own}"] = done.stdout if done.returncode == 0 else None
    return said
