"""Compiles one changed source of a build folder, links it into a test program, runs the tests."""

import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess

# Read once for all mutants: most of the time of a compiler that does not optimise goes into them.
HEADERS = ("algorithm", "cmath", "functional", "limits", "map", "memory", "numeric", "span", "string", "vector",
           "fmt/format.h", "nonzero/formats.hpp")


class Build:
    """A configured and built folder (Ninja), whose programs are relinked with one object changed.

    The changed object comes first on the link line. What is in a static library is taken only for
    names that are still missing, so the object that was compiled from the unchanged source stays out.
    """

    def __init__(self, folder, work, kept):
        self.folder, self.work, self.kept = map(os.path.abspath, (folder, work, kept))
        with open(os.path.join(self.folder, "compile_commands.json")) as f:
            self.database = json.load(f)
        self.links = {}
        self.precompiled = {}
        self.linker = ["-fuse-ld=lld"] if shutil.which("ld.lld") else []

    def command(self, source, define):
        """How the source is compiled; `define` tells those apart that are compiled several times."""
        found = [c for c in self.database if os.path.abspath(c["file"]) == source
                 and (not define or f"-D{define}" in c["command"])]
        if not found:
            raise SystemExit(f"{self.folder} does not compile {source}")
        return shlex.split(found[0]["command"])

    def compile(self, entry, root, text, place):
        """The object of the changed text, or None where it does not compile; and what the compiler said."""
        changed = os.path.join(root, entry["file"])
        source = os.path.join(root, entry.get("through", entry["file"]))
        inside = os.path.relpath(changed, os.path.join(root, "src"))
        folder = os.path.join(self.work, place)
        copy = os.path.join(folder, "src", inside)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(copy, "w") as f:
            f.write(text)
        command = self.command(source, entry.get("define"))
        for flag in ("-o", "-c"):
            at = command.index(flag)
            del command[at:at + 2]
        command += ["-O0", "-w"]
        headers = self.headers(command)
        # A changed header is found before the one it was made from.
        out = os.path.join(folder, "changed.o")
        what = copy if changed == source else source
        command[1:1] = ["-I" + os.path.join(folder, "src")]
        done = subprocess.run(command + headers + ["-o", out, "-c", what], cwd=self.folder, capture_output=True,
                              text=True)
        os.remove(copy)
        return (out if done.returncode == 0 else None), done.stderr

    def headers(self, command):
        """Precompiled for these options; nothing where they cannot be compiled."""
        key = " ".join(command)
        if key not in self.precompiled:
            place = os.path.join(self.kept, str(len(self.precompiled)))
            os.makedirs(place, exist_ok=True)
            header = os.path.join(place, "all.hpp")
            with open(header, "w") as f:
                f.writelines(f"#include <{h}>\n" for h in HEADERS)
            done = subprocess.run(command + ["-x", "c++-header", "-o", header + ".gch", header], cwd=self.folder,
                                  capture_output=True)
            self.precompiled[key] = ["-include", header] if done.returncode == 0 else []
        return self.precompiled[key]

    def link_command(self, program):
        if program not in self.links:
            lines = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", program], check=True,
                                   capture_output=True, text=True).stdout.splitlines()
            words = shlex.split(re.sub(r"^: && | && :$", "", lines[-1]))
            self.links[program] = words + self.linker
        return list(self.links[program])

    def link(self, program, changed, place):
        words = self.link_command(program)
        out = os.path.join(self.work, place, os.path.basename(program))
        at = words.index("-o")
        words[at + 1] = out
        first = next(i for i, w in enumerate(words) if w.endswith(".o"))
        if changed:
            words.insert(first, changed)
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{program} does not link:\n{done.stderr}")
        return out


class Outcome:
    def __init__(self, killed, by, seconds):
        self.killed, self.by, self.seconds = killed, by, seconds


def run(program, entry, limit, memory, number=0, whole=False):
    """Runs the tests of one program; a crash, a failure and a hang (`limit` CPU seconds) all kill. What
    they draw is the same every time."""
    where = os.path.dirname(program)
    os.environ["NZ_MUTANT"] = str(number)
    environment = dict(os.environ, OMP_WAIT_POLICY="PASSIVE", NZ_TEST_SEED="19", NZ_TEST_THIN="1", TMPDIR=where,
                       **entry.get("environment", {}))
    if whole:
        del environment["NZ_TEST_THIN"]

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 2))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([program, "--gtest_brief=1", "--gtest_fail_fast",
                                "--gtest_filter=" + entry.get("filter", "*")],
                               cwd=where, env=environment, preexec_fn=limits, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        output, _ = process.communicate(timeout=60 + 20 * limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Outcome(True, "hangs", 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if process.returncode == 0:
        if re.search(r"\b0 tests from 0 test suites ran", output):
            raise SystemExit(f"no test is called {entry['filter']} in {program}")
        return Outcome(False, "", seconds)
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Outcome(True, "hangs", seconds)
    failed = re.search(r"\[  FAILED  \] (\S+)", output)
    if process.returncode < 0:
        return Outcome(True, signal.Signals(-process.returncode).name, seconds)
    return Outcome(True, failed.group(1).rstrip(",") if failed else f"exit {process.returncode}", seconds)
