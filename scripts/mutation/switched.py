"""Several mutants in one program: each is there, and an environment variable says which one is.

Compiling takes most of the time of mutation testing. Where a change can be written so that it is made
while the program runs, all changes of a source are compiled together; with none of them switched on the
program is the original. What cannot be written so (in constant expressions, say) is compiled alone.
"""

import re

# `a < b` becomes `a < Choice<'<'>{3} > b`: two operators of the same rank, so that the operands stay
# what they were.
HEAD = r"""
#include <cstdlib>
#include <initializer_list>
namespace nz_mutant {
inline int number() {
  static const int n = std::getenv("NZ_MUTANT") ? std::atoi(std::getenv("NZ_MUTANT")) : 0;
  return n;
}
inline bool on(int k) { return number() == k; }
template <int> struct Choice { int k; };
template <int c, class L> struct Half { const L& left; int k; };
#define NZ_MUTANT_PAIR(c, first, second, was, is)                                                     \
  template <class L> Half<c, L> operator first(const L& l, Choice<c> m) { return {l, m.k}; }          \
  template <class L, class R> auto operator second(Half<c, L> h, const R& r) {                        \
    return on(h.k) ? (h.left is r) : (h.left was r);                                                  \
  }
NZ_MUTANT_PAIR(1, <, >, <, <=)
NZ_MUTANT_PAIR(2, <, >, <=, <)
NZ_MUTANT_PAIR(3, <, >, >, >=)
NZ_MUTANT_PAIR(4, <, >, >=, >)
NZ_MUTANT_PAIR(5, ==, ==, ==, !=)
NZ_MUTANT_PAIR(6, ==, ==, !=, ==)
NZ_MUTANT_PAIR(7, +, +, +, -)
NZ_MUTANT_PAIR(8, +, +, -, +)
NZ_MUTANT_PAIR(9, *, *, *, /)
NZ_MUTANT_PAIR(10, *, *, /, *)
NZ_MUTANT_PAIR(11, *, *, %, /)
NZ_MUTANT_PAIR(12, <<, <<, <<, >>)
NZ_MUTANT_PAIR(13, <<, <<, >>, <<)
#undef NZ_MUTANT_PAIR
struct Extreme {
  int k;
  bool least;
  template <class T> T operator()(const T& a, const T& b) const {
    return (least != on(k)) == (b < a) ? b : a;
  }
};
}  // namespace nz_mutant
"""

PAIRS = {" < ": 1, " <= ": 2, " > ": 3, " >= ": 4, " == ": 5, " != ": 6, " + ": 7, " - ": 8, " * ": 9, " / ": 10,
         " % ": 11, " << ": 12, " >> ": 13}
FIRST = {1: "<", 2: "<", 3: "<", 4: "<", 5: "==", 6: "==", 7: "+", 8: "+", 9: "*", 10: "*", 11: "*", 12: "<<", 13: "<<"}
SECOND = {1: ">", 2: ">", 3: ">", 4: ">"}


def written(source, mutant, k):
    """The edit (place, end, text) that makes mutant k one of several, or None."""
    place, end, new = mutant.place, mutant.end, mutant.new
    old = source[place:end]
    if mutant.operator in ("relational", "arithmetic") and old in PAIRS:
        c = PAIRS[old]
        return place, end, f" {FIRST[c]} nz_mutant::Choice<{c}>{{{k}}} {SECOND.get(c, FIRST[c])} "
    if mutant.operator == "constant":
        return place, end, f"(nz_mutant::on({k}) ? {new} : {old})"
    if mutant.operator in ("deletion", "throw"):
        return place, end, f"{{ if (!nz_mutant::on({k})) {old} }}"
    if mutant.operator == "negation" and "constexpr" not in source[max(0, place - 12):place]:
        return place, end, f"nz_mutant::on({k}) != static_cast<bool>({old})"
    if mutant.operator == "min-max" and source[place - 5:place] == "std::" and source[end] == "(":
        return place - 5, end, f"nz_mutant::Extreme{{{k}, {'true' if old == 'min' else 'false'}}}"
    return None


def together(source, mutants):
    """The source with all mutants that can be, and their numbers: {number: mutant}. Changes that
    touch each other are left out."""
    chosen, edits, last = {}, [], []
    for k, mutant in enumerate(mutants, 1):
        edit = written(source, mutant, k)
        if edit and all(edit[1] <= b or edit[0] >= e for b, e in last):
            chosen[k] = mutant
            edits.append(edit)
            last.append(edit[:2])
    text = source
    for place, end, new in sorted(edits, reverse=True):
        # No line moves: the compiler's complaints name those of the source.
        text = text[:place] + re.sub(r"\s*\n\s*", " ", new) + "\n" * source[place:end].count("\n") + text[end:]
    return HEAD.strip() + "\n#line 1\n" + text, chosen


def complained_of(errors, name):
    """The lines of the source that the compiler complains of."""
    return {int(n) for n in re.findall(re.escape(name) + r":(\d+):", errors)}
