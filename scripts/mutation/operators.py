"""Where a C++ source can be changed, and how: the mutation operators.

Works on the text. It relies on the repository's formatting: binary operators stand between spaces,
those of templates, pointers and references do not; a statement begins its line.
"""

import bisect
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    line: int  # from 1
    operator: str
    before: str  # the line, without the spaces around it
    after: str
    place: int  # what is replaced, and by what
    end: int
    new: str

    def apply(self, source):
        return source[:self.place] + self.new + source[self.end:]


def masked(source):
    """The source with comments, literals of text, preprocessor lines and what only builds with CUDA
    compile blanked, place by place."""
    out = list(source)

    def blank(begin, end):
        for i in range(begin, end):
            if out[i] != "\n":
                out[i] = " "

    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
        re.S | re.M,
    )
    for m in pattern.finditer(source):
        blank(m.start(), m.end())
    for m in re.finditer(r"^#ifdef NZ_HAVE_CUDA\n.*?^#(?:else|endif)", source, re.S | re.M):
        blank(m.start(), m.end())
    return "".join(out)


# Words of lines that say nothing of what the program does.
NO_CODE = re.compile(r"^\s*(static_assert|template|using|namespace|enum|friend|requires|case)\b")

REPLACED = {
    "relational": {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == "},
    "arithmetic": {" + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " % ": " / ", " += ": " -= ", " -= ": " += ",
                   " << ": " >> ", " >> ": " << ", " & ": " | ", " | ": " & "},
    "logical": {" && ": " || ", " || ": " && "},
}
MIN_MAX = re.compile(r"(?<!>::)\b(min|max)(?=(?:<[\w: ]+>)?\()")
NUMBER = re.compile(r"(?<![\w.])(\d[\d']*|0x[0-9a-fA-F']+)(u|U|l|L|ul|ull|UL|ULL|uz)?(?![\w.])")
REAL = re.compile(r"(?<![\w.])(\d+\.\d*)([eE][+-]?\d+)?(?![\w.])")
CONDITION = re.compile(r"\bif (?:constexpr )?(\()")
THROW = re.compile(r"\bthrow\b")
CALL = re.compile(r"^[\w:.<>*&\[\]-]*?[\w>\])]\(.*\);$")
ASSIGNMENT = re.compile(r"^\*?[\w.\[\]()>*+ -]*?[\w\])] (?:[+\-*/|&^]|<<|>>)?= .*;$")
DECLARATION = re.compile(r"^(?:[\w:<>,]+[*&]? )+[\w\[\]]+ = ")
JUMP = re.compile(r"^(continue|break);$")
INCREMENT = re.compile(r"^(?:\+\+|--)[\w.\[\]>-]+;$")
KEYWORDS = re.compile(r"^(return|throw|if|for|while|else|switch|do|delete|goto|co_\w+)\b")


def closing(code, place):
    """The place of the bracket that closes the one at `place`."""
    depth = 0
    for i in range(place, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return None


def end_of_statement(code, place):
    depth = 0
    for i in range(place, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
        elif code[i] == ";" and depth == 0:
            return i + 1
    return None


def changed_number(text):
    digits = text.replace("'", "")
    value = int(digits, 16) if digits.lower().startswith("0x") else int(digits, 10)
    return hex(value + 1) if digits.lower().startswith("0x") else str(value + 1)


def edits(source):
    """Every (place, end, new text, operator) that changes the source."""
    code = masked(source)
    for m in re.finditer(r"[^\n]*\n", code):
        line, start = m.group(), m.start()
        if not line.strip() or NO_CODE.match(line):
            continue
        for operator, table in REPLACED.items():
            for old, new in table.items():
                at = line.find(old)
                while at >= 0:
                    yield start + at, start + at + len(old), new, operator
                    at = line.find(old, at + 1)
        for f in MIN_MAX.finditer(line):
            yield start + f.start(1), start + f.end(1), "max" if f.group(1) == "min" else "min", "min-max"
        for f in NUMBER.finditer(line):
            yield start + f.start(), start + f.end(), changed_number(f.group(1)) + (f.group(2) or ""), "constant"
        for f in REAL.finditer(line):
            yield start + f.start(1), start + f.end(1), str(float(f.group(1)) + 1), "constant"
        for f in CONDITION.finditer(line):
            close = closing(code, start + f.start(1))
            if close is not None:
                inside = source[start + f.end(1):close]
                # The negation of a lone comparison is the relational mutant of the same place.
                if ";" not in inside and not re.fullmatch(r"[^&|]* [!=]= [^&|]*", inside):
                    yield start + f.end(1), close, f"!({inside})", "negation"
        for f in THROW.finditer(line):
            end = end_of_statement(code, start + f.start())
            if end:
                yield start + f.start(), end, ";", "throw"
        yield from deletions(code, start)


def deletions(code, start):
    """The statement that begins on this line, or after its `if (...)` or `else`, deleted."""
    place = start + len(code[start:]) - len(code[start:].lstrip())
    before = code[:place].rstrip()
    if not before or before[-1] not in ";{})" and not before.endswith("else"):
        return
    for _ in range(2):
        m = re.match(r"(?:else )?(?:if|for|while) (?=\()", code[place:])
        if m:
            close = closing(code, place + m.end())
            if close is None:
                return
            place = close + 1 + len(code[close + 1:]) - len(code[close + 1:].lstrip())
    end = end_of_statement(code, place)
    if end is None:
        return
    statement = re.sub(r"\s*\n\s*", " ", code[place:end]).strip()
    if "{" in statement or KEYWORDS.match(statement) or DECLARATION.match(statement):
        return
    if JUMP.match(statement) or CALL.match(statement) or ASSIGNMENT.match(statement) or INCREMENT.match(statement):
        yield place, end, ";", "deletion"


def mutants(source):
    """All mutants of a source, each change once, in the order of the text."""
    starts = [0] + [m.end() for m in re.finditer("\n", source)]
    seen, found = set(), []
    for place, end, new, operator in edits(source):
        if (place, end, new) in seen or source[place:end] == new:
            continue
        seen.add((place, end, new))
        number = bisect.bisect_right(starts, place)
        text = source[:place] + new + source[end:]
        line_end = lambda s, p: s.find("\n", p) if s.find("\n", p) >= 0 else len(s)
        before = source[starts[number - 1]:line_end(source, place)].strip()
        after = text[starts[number - 1]:line_end(text, place)].strip()
        if before == after:  # the change is on a later line
            after = text[starts[number - 1]:line_end(text, place + len(new))].strip()
        found.append(Mutant(number, operator, before, after, place, end, new))
    found.sort(key=lambda m: (m.line, m.operator, m.after))
    return found
