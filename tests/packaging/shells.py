#!/usr/bin/env python3
"""What the program writes for shells and for man: that a bash completes with it, that zsh and fish can read theirs
where they are installed, and that the manual page has every command and option and no mistake that groff sees.

    shells.py PROGRAM
"""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

program = Path(sys.argv[1]).resolve()
problems = []


def expect(true, text):
    if not true:
        problems.append(text)


def output(*words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def commands():
    inside, names = False, []
    for line in output("--help").splitlines():
        if inside and re.match(r"  \S", line):
            names.append(line.split()[0])
        inside = line == "Subcommands:" or (inside and line.startswith("  "))
    return names


def answers(script, lines):
    """What bash's own completion answers to each line, the cursor at its end."""
    calls = "\n".join(
        f"COMP_LINE='nonzero {line}' COMP_POINT={len('nonzero ' + line)}; _nonzero; printf '%s\\n' \"${{COMPREPLY[@]}}\"; echo ==="
        for line in lines)
    shown = subprocess.run(["bash", "--norc", "-c", f"source {script}\n{calls}"], capture_output=True, text=True)
    expect(shown.returncode == 0 and shown.stderr == "", f"bash: {shown.stderr}")
    return [set(part.split()) for part in shown.stdout.split("===\n")]


def bash(folder, names):
    script = folder / "nonzero.bash"
    script.write_text(output("completion", "bash"))
    (folder / "cant.mtx").write_text("")
    (folder / "sub").mkdir()
    os.chdir(folder)
    kernels = set(output("list", "--ids").split())
    cases = {
        "": lambda a: set(names) <= a,
        "ben": lambda a: a == {"bench", "bench-solve"},
        "help sol": lambda a: a == {"solve"},
        "bench --ker": lambda a: a == {"--kernels"},
        "bench --kernels cpu/csr/": lambda a: a and a == {k for k in kernels if k.startswith("cpu/csr/")},
        "bench --kernels=cpu/csr/ser": lambda a: a == {"cpu/csr/serial"},
        "bench --kernels cpu/csr/serial,cpu/ell/ser": lambda a: a == {"cpu/csr/serial,cpu/ell/serial"},
        "bench --kernels 'cpu/csr/ser": lambda a: a == {"cpu/csr/serial"},
        "run a.mtx --kernel cpu/ell/s": lambda a: a == {"cpu/ell/serial"},
        "run a.mtx --type ": lambda a: a == {"f32", "f64", "c64", "c128"},
        "info ca": lambda a: a == {"cant.mtx"},
        "info gen:gri": lambda a: "grid" in a,  # bash takes words apart at the colon
        "info like:ecol": lambda a: a == {"ecology1"},
        "sweep cpu/csr/ser": lambda a: a == {"cpu/csr/serial"},
        "sweep cpu/csr/serial ca": lambda a: a == {"cant.mtx"},
        "report --figures s": lambda a: a == {"sub"},
        "gen gri": lambda a: "grid" in a,
        "reproduce mess": lambda a: any(x.startswith("messa2025") for x in a),
        "completion z": lambda a: a == {"zsh"},
        "solve cant.mtx --tolerance ": lambda a: a == set(),
        "nothing --": lambda a: a == set(),
    }
    for line, got in zip(cases, answers(script, [c.replace("'", "'\\''") for c in cases])):
        expect(cases[line](got), f"bash: 'nonzero {line}' is completed to {sorted(got)[:9]}")
    # Every option of every command.
    for name, got in zip(names, answers(script, [f"{n} -" for n in names])):
        shown = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", output(name, "--help").split("Options:")[1].split("Examples:")[0]))
        listed = {o for o in shown if re.search(rf"^ +(-\w,)?(--[\w-]+,)*{o}\b", output(name, "--help"), re.M)}
        expect(listed <= got and "--help" in got, f"bash: {name} lacks {sorted(listed - got)}")


def typed_into_bash(folder):
    """A person at a terminal: tab completes the word."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="dumb", PS1="ready> ", HISTFILE="/dev/null", INPUTRC="/dev/null")
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    seen = b""

    def until(text, seconds=10):
        nonlocal seen
        end = time.time() + seconds
        while text not in seen and time.time() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                try:
                    seen += os.read(terminal, 4096)
                except OSError:
                    break
        return text in seen

    until(b"ready> ")
    os.write(terminal, b"source nonzero.bash && echo sourced\n")
    until(b"\nsourced")
    # Tab, tab, and then the line is echoed instead of run.
    os.write(terminal, b"nonzero dem\t--sma\t\x01echo saw: \n")
    good = until(b"\nsaw: nonzero demo --small")
    os.write(terminal, b"exit\n")
    os.close(terminal)
    os.waitpid(pid, 0)
    expect(good, f"bash: typing does not complete: {seen[-300:]!r}")


def others(folder):
    for shell, check in (("zsh", ["-n"]), ("fish", ["--no-execute"])):
        script = folder / f"nonzero.{shell}"
        script.write_text(output("completion", shell))
        text = script.read_text()
        for name in commands():
            expect(name in text, f"{shell}: no {name}")
        found = shutil.which(shell)
        if found:
            shown = subprocess.run([found, *check, script], capture_output=True, text=True)
            expect(shown.returncode == 0 and not shown.stderr, f"{shell}: {shown.stderr}")
        else:
            print(f"{shell} is not installed: its script is made, not read")
    wrong = subprocess.run([program, "completion", "tcsh"], capture_output=True, text=True)
    expect(wrong.returncode == 2 and "bash,zsh,fish" in wrong.stderr.replace(" ", ""), f"tcsh: {wrong.stderr}")


def manual(folder, names):
    page = folder / "nonzero.1"
    page.write_text(output("man"))
    formatter = shutil.which("groff")
    if not formatter:
        print("groff is not installed: the manual page is made, not formatted")
        return
    shown = subprocess.run([formatter, "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=80n", page], capture_output=True, text=True)
    expect(shown.returncode == 0 and shown.stderr == "", f"groff: {shown.stderr[:500]}")
    text = shown.stdout.replace("\u2010", "-").replace("\u2212", "-")
    for line in text.splitlines():
        expect(len(line) <= 80, f"man: wider than 80 columns: {line}")
    for name in names:
        expect(re.search(rf"^   {name}$", text, re.M), f"man: no section {name}")
        for option in re.findall(r"^ +(?:-\w,)?(--[a-z][\w-]*)", output(name, "--help"), re.M):
            expect(option in text, f"man: {name} {option} is missing")
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT"):
        expect(re.search(rf"^{title}$", text, re.M), f"man: no {title}")
    # A line that is filled may have wider spaces.
    expect(re.search(r"Exit +codes: +0 +ok", text), "man: no exit codes")


with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    names = commands()
    expect(len(names) >= 20, f"only {names}")
    bash(folder, names)
    typed_into_bash(folder)
    others(folder)
    manual(folder, names)
    os.chdir("/")
for p in problems:
    print(p)
print("shells and man are served" if not problems else f"{len(problems)} problems")
sys.exit(bool(problems))
