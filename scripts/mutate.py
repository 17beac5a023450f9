#!/usr/bin/env python3
"""Mutation testing: small faults planted in the sources, and the share that the unit tests find.

  scripts/mutate.py --build build/mutation --record results/mutation.json

For each source of mutation/files.json some mutants are drawn by the seed, compiled, linked into the
test program named there and run, in their thin form first. A mutant that no test notices has survived, unless
mutation/equivalent.json says why nobody could notice it. Exit 1 when less than the wanted share of some file's mutants is killed.
"""

import argparse
import datetime
import fnmatch
import json
import os
import random
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "mutation"))
import build as building  # noqa: E402
import operators  # noqa: E402
import switched  # noqa: E402

MEMORY = 8 << 30


def drawn(source, name, seed):
    """The mutants of a source in the order in which they are tried: operator by operator, each in
    turn, so that a small sample has all kinds."""
    dice = random.Random(f"{seed} {name}")
    kinds = {}
    for mutant in operators.mutants(source):
        kinds.setdefault(mutant.operator, []).append(mutant)
    for kind in kinds.values():
        dice.shuffle(kind)
    turns = sorted(kinds)
    dice.shuffle(turns)
    while any(kinds.values()):
        for kind in turns:
            if kinds[kind]:
                yield kinds[kind].pop()


def reason(equivalents, name, mutant):
    for e in equivalents:
        if (e["file"], e["before"], e["after"]) == (name, mutant.before, mutant.after):
            return e["reason"]
    return None


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True).stdout.strip()


def known_outcome(before, mutant):
    """What an earlier run found of the same mutant, where it was killed."""
    for m in before.get("mutants", []):
        if m["outcome"] == "killed" and (m["before"], m["after"]) == (mutant.before, mutant.after):
            return m
    return None


class Run:
    def __init__(self, options, table, equivalents):
        self.options, self.table, self.equivalents = options, table, equivalents
        self.root = os.path.abspath(options.root)
        self.kept = os.path.join(os.path.abspath(options.build), "mutants", str(os.getpid()))
        self.work = os.path.join(self.kept, "work")
        self.build = building.Build(options.build, self.work, self.kept)
        self.times = {}

    def plain_seconds(self, entry, whole=False):
        """CPU seconds of the tests with nothing changed; they must pass."""
        key = json.dumps([entry["program"], entry.get("filter"), entry.get("environment"), whole])
        if key not in self.times:
            place = "plain"
            os.makedirs(os.path.join(self.work, place), exist_ok=True)
            program = self.build.link(entry["program"], None, place)
            outcome = building.run(program, entry, 600, MEMORY, whole=whole)
            if outcome.killed:
                raise SystemExit(f"{entry['program']} fails without a mutant: {outcome.by}")
            self.times[key] = outcome.seconds
        return self.times[key]

    def file(self, entry, before):
        name = entry["file"]
        source = open(os.path.join(self.root, name)).read()
        wanted = entry.get("mutants", self.options.mutants)
        found = []
        stock = list(drawn(source, name, self.options.seed))
        # As many as are wanted, and again as many as did not compile.
        while stock and (missing := wanted - sum(m["outcome"] != "does not compile" for m in found)) > 0:
            some, stock = stock[:missing], stock[missing:]
            known = {m: known_outcome(before, m) if self.options.again else None for m in some}
            fresh = self.several(entry, source, [m for m in some if not known[m]])
            for mutant in some:
                m = known[mutant] or fresh[mutant]
                found.append(m)
                print(f"{name}:{m['line']}: {m['operator']}: {m['outcome']} {m.get('by', '')}"
                      + (f"\n  - {m['before']}\n  + {m['after']}" if m["outcome"] == "survived" else ""), flush=True)
        if all(m["outcome"] == "does not compile" for m in found):
            raise SystemExit(f"no mutant of {name} compiles")
        return {"file": name, "program": entry["program"], "filter": entry.get("filter", "*"),
                "commit": git(self.root, "rev-parse", "HEAD"),
                "dirty": bool(git(self.root, "status", "--porcelain", "-uno", "--", ".", ":!results")),
                "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ"),
                "seed": self.options.seed, "possible": len(operators.mutants(source)), "mutants": found}

    def several(self, entry, source, mutants):
        """What became of each: compiled together where that can be, otherwise alone."""
        rows = {}
        # CPU seconds, since others may use the machine.
        limit = 3 + int(4 * self.plain_seconds(entry)) if mutants else 0
        text, chosen = switched.together(source, mutants)
        while chosen:
            changed, said = self.compile(entry, text)
            if changed:
                break
            bad = switched.complained_of(said, os.path.basename(entry["file"]))
            fewer = [m for m in chosen.values() if m.line not in bad]
            if len(fewer) == len(chosen):
                fewer = []  # the compiler did not say which
            text, chosen = switched.together(source, fewer)
        if chosen:
            program = self.build.link(entry["program"], changed, "mutant")
            alone = building.run(program, entry, 4 * limit, MEMORY)  # with none of them switched on
            if not alone.killed:
                limit = max(limit, 3 + int(4 * alone.seconds))  # it is compiled without optimisation
                for number, mutant in chosen.items():
                    rows[mutant] = self.row(entry, mutant, self.tried(program, entry, mutant, limit, number))
        for mutant in mutants:
            if mutant not in rows:
                changed, _ = self.compile(entry, mutant.apply(source))
                rows[mutant] = self.row(entry, mutant, changed and self.tried(
                    self.build.link(entry["program"], changed, "mutant"), entry, mutant, limit))
        return rows

    def tried(self, program, entry, mutant, limit, number=0):
        """The thin form of the tests first; where that finds nothing and nobody says why, all of them."""
        outcome = building.run(program, entry, limit, MEMORY, number)
        if outcome.killed or reason(self.equivalents, entry["file"], mutant):
            return outcome
        return building.run(program, entry, 10 + int(10 * self.plain_seconds(entry, whole=True)), MEMORY, number,
                            whole=True)

    def compile(self, entry, text):
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(os.path.join(self.work, "mutant"))
        return self.build.compile(entry, self.root, text, "mutant")

    def row(self, entry, mutant, outcome):
        row = {"line": mutant.line, "operator": mutant.operator, "before": mutant.before, "after": mutant.after}
        if not outcome:
            return dict(row, outcome="does not compile")
        if outcome.killed:
            return dict(row, outcome="killed", by=outcome.by)
        why = reason(self.equivalents, entry["file"], mutant)
        return dict(row, outcome="equivalent", by=why) if why else dict(row, outcome="survived")


def counts(file):
    of = lambda kind: sum(m["outcome"] == kind for m in file["mutants"])
    return of("killed"), of("survived"), of("equivalent"), of("does not compile")


def table(files):
    """The record as Markdown."""
    lines = ["| source | mutants | killed | survived | equivalent | share killed |", "|---|---:|---:|---:|---:|---:|"]
    total = [0, 0, 0]
    for f in sorted(files, key=lambda f: f["file"]):
        killed, survived, equivalent, _ = counts(f)
        total = [a + b for a, b in zip(total, (killed, survived, equivalent))]
        lines.append(f"| `{f['file']}` | {killed + survived + equivalent} | {killed} | {survived} | {equivalent} "
                     f"| {share(killed, survived)} |")
    lines.append(f"| {len(files)} files | {sum(total)} | {total[0]} | {total[1]} | {total[2]} | {share(*total[:2])} |")
    return "\n".join(lines)


def share(killed, survived):
    return f"{100 * killed / (killed + survived):.0f} %" if killed + survived else "-"


def short(files, wanted):
    """The files of which less than the wanted share is killed."""
    return [f["file"] for f in files if counts(f)[0] < wanted * (counts(f)[0] + counts(f)[1])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/mutation", help="a built folder (Ninja)")
    parser.add_argument("--root", default=os.path.dirname(HERE))
    parser.add_argument("--files", default=os.path.join(HERE, "mutation", "files.json"))
    parser.add_argument("--equivalent", default=os.path.join(HERE, "mutation", "equivalent.json"))
    parser.add_argument("--record", help="kept up to date file by file; what it has of other files stays")
    parser.add_argument("--only", default="*", help="the sources that match")
    parser.add_argument("--mutants", type=int, default=6, help="how many of each file (6)")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--again", action="store_true", help="believe the record where a mutant was killed")
    parser.add_argument("--share", type=float, default=0.9)
    parser.add_argument("--programs", action="store_true", help="print the test programs that are needed, and stop")
    parser.add_argument("--table", action="store_true", help="print the record as Markdown, and stop")
    options = parser.parse_args()

    entries = [e for e in json.load(open(options.files)) if fnmatch.fnmatch(e["file"], options.only)]
    if options.programs:
        print(*sorted({os.path.basename(e["program"]) for e in entries}))
        return 0
    record = {"files": []}
    if options.record and os.path.exists(options.record):
        record = json.load(open(options.record))
    if options.table:
        print(table(record["files"]))
        return 0
    run = Run(options, entries, json.load(open(options.equivalent)))
    done = []
    try:
        for entry in entries:
            before = next((f for f in record["files"] if f["file"] == entry["file"]), {})
            done.append(run.file(entry, before))
            record["files"] = [f for f in record["files"] if f["file"] != entry["file"]] + [done[-1]]
            record["files"].sort(key=lambda f: f["file"])
            if options.record:
                with open(options.record + ".new", "w") as f:
                    json.dump(record, f, indent=1)
                    f.write("\n")
                os.replace(options.record + ".new", options.record)
    finally:
        shutil.rmtree(run.kept, ignore_errors=True)
    print(table(done))
    for name in short(done, options.share):
        print(f"{name}: less than {options.share:.0%} of its mutants are killed", file=sys.stderr)
    return 1 if short(done, options.share) else 0


if __name__ == "__main__":
    sys.exit(main())
