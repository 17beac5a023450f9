#!/usr/bin/env python3
"""The site is built, every link and picture of it is there, and every kernel has a page.

    check.py PROGRAM SOURCE
"""

import json
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

program, source = sys.argv[1], Path(sys.argv[2])
problems = []


class Page(HTMLParser):
    void = {"meta", "link", "img", "input", "br"}

    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.open, self.wrong = [], set(), [], []
        self.feed(path.read_text())
        self.wrong += [f"<{t}> is not closed" for t in self.open]

    def handle_starttag(self, tag, attributes):
        if tag not in self.void:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            if name in ("href", "src"):
                self.links.append(value)
                if name == "src" and re.match(r"[a-z]+:|//", value):
                    self.wrong.append(f"loads {value}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")


with tempfile.TemporaryDirectory() as place:
    site = Path(place) / "site"
    shown = subprocess.run([sys.executable, source / "scripts/site/build.py", program, site], capture_output=True, text=True)
    if shown.returncode:
        sys.exit(shown.stdout + shown.stderr)
    pages = {p.resolve(): Page(p) for p in site.rglob("*.html") if "files" not in p.relative_to(site).parts}
    links = 0
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        problems += [f"{name}: {w}" for w in page.wrong[:3]]
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            to, _, anchor = link.partition("#")
            there = (path.parent / to).resolve() if to else path
            if not there.is_file():
                problems.append(f"{name}: {link} leads nowhere")
            elif anchor and there in pages and anchor not in pages[there].ids:
                problems.append(f"{name}: {link}: no such heading")
    kernels = json.loads(subprocess.run([program, "list", "--json", "-"], capture_output=True, text=True, check=True).stdout)
    for k in kernels:
        page = site / "kernels" / (k["id"].replace("/", "-") + ".html")
        if not page.is_file():
            problems.append(f"no page of {k['id']}")
        elif k["id"].startswith(("cpu/", "gpu/", "plan/")) and '<svg class="schedule"' not in page.read_text():
            problems.append(f"the page of {k['id']} has no picture of its schedule")
        elif "Where it wins" not in page.read_text() or k["id"] not in page.read_text():
            problems.append(f"the page of {k['id']} says too little")
    sections = json.loads((site / "sections.js").read_text().removeprefix("const SECTIONS = ").rstrip(";\n"))
    found = [s for s in sections if "preconditioner" in s["x"].lower()]
    if len(found) < 3:
        problems.append(f"only {len(found)} sections have the word preconditioner")
    # The last words of a long section are found, too.
    longest = max(sections, key=lambda s: len(s["x"]))
    if len(longest["x"]) < 5000:
        problems.append(f"no section is longer than {len(longest['x'])} characters: are they cut?")
    for s in sections:
        if not (site / s["u"].split("#")[0]).is_file():
            problems.append(f"the search leads to {s['u']}, which is not there")
    # One that can be counted by hand: the fastest of our kernels on each product of a record.
    record = json.loads((source / "results/cpu/xeon-16-f64.json").read_text())
    ours = [r for r in record["results"] if r.get("median_s") and r["status"] == "ok" and r["kernel"].startswith(("cpu/", "gpu/"))]
    best = {}
    for r in ours:
        key = r["matrix"], r["type"], r["op"]
        best[key] = min(best.get(key, (9e9, "")), (r["median_s"], r["kernel"]))
    name = max({b[1] for b in best.values()}, key=lambda n: sum(b[1] == n for b in best.values()))
    tried = {(r["matrix"], r["type"], r["op"]) for r in ours if r["kernel"] == name}
    text = (site / "kernels" / (name.replace("/", "-") + ".html")).read_text()
    count = f"{sum(b[1] == name for b in best.values())} of {len(tried)}"
    row = re.search(r"results/cpu/xeon-16-f64\.json.*?</tr>", text)
    if row and not re.search(r'href="[^"]*xeon-16-f64\.json"', text):
        problems.append(f"the page of {name} names a record and does not lead to it")
    first = (site / "index.html").read_text()
    if "report/h200.html" not in first:
        problems.append("the report is not in the navigation")
    if not row or count not in row[0]:
        problems.append(f"{name} should be the fastest on {count} of xeon-16-f64: {row and row[0]}")
for p in problems[:40]:
    print(p)
print(f"{len(pages)} pages, {links} links" if not problems else f"{len(problems)} problems")
sys.exit(bool(problems))
