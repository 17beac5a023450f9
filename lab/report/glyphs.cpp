#include "lab/report/glyphs.hpp"

#include <cstdlib>
#include <map>

#include "lab/report/letters.hpp"

namespace nz::lab {
namespace {

struct GlyphText {
  char32_t code;
  int advance;
  const char* outline;
};
constexpr GlyphText glyph_texts[] = {
#include "lab/report/glyphs.inc"
};

// A letter with something on it.
struct AccentText {
  char32_t code, letter, accent;
  int right, up, advance;
};
constexpr AccentText accent_texts[] = {
#include "lab/report/accents.inc"
};

// Letters that are drawn as another one, which says nearly the same.
struct Likeness {
  std::u32string_view letters;
  char32_t drawn;
};
constexpr Likeness likenesses[] = {{U"—‐‑", U'–'},    {U"‘’", U'\''}, {U"“”", U'"'},
                                   {U"\u00a0", U' '}, {U"μ", U'µ'},   {U"ᵀ", U'T'}};

Glyph parsed(const GlyphText& text) {
  Glyph g{text.advance / 1000.0};
  const char* at = text.outline;
  const auto point = [&] {
    char* end = nullptr;
    const double x = static_cast<double>(std::strtol(at, &end, 10));
    const double y = static_cast<double>(std::strtol(end, &end, 10));
    at = end;
    return Point{x / 1000, -y / 1000};
  };
  while (*at) {
    Glyph::Step step{*at++};
    if (step.kind == 'Q') step.by = point();
    if (step.kind != 'Z') step.to = point();
    g.steps.push_back(step);
  }
  return g;
}

Glyph accented(const AccentText& text, Glyph letter, const Glyph& accent) {
  const Point by{text.right / 1000.0, -text.up / 1000.0};
  for (Glyph::Step step : accent.steps) {
    step.by = {step.by.x + by.x, step.by.y + by.y};
    step.to = {step.to.x + by.x, step.to.y + by.y};
    letter.steps.push_back(step);
  }
  letter.advance = text.advance / 1000.0;
  return letter;
}

std::map<char32_t, Glyph> all_glyphs() {
  std::map<char32_t, Glyph> all;
  for (const GlyphText& t : glyph_texts) all.emplace(t.code, parsed(t));
  for (const AccentText& t : accent_texts)
    all.emplace(t.code, accented(t, all.at(t.letter), all.at(t.accent)));
  for (const Likeness& l : likenesses)
    for (const char32_t code : l.letters) all.emplace(code, all.at(l.drawn));
  return all;
}

}  // namespace

const Glyph& glyph(char32_t code) {
  static const std::map<char32_t, Glyph> all = all_glyphs();
  const auto found = all.find(code);
  return found == all.end() ? all.at(U'?') : found->second;
}

std::vector<PlacedGlyph> placed_glyphs(std::string_view text, Point at, double size,
                                       Anchor anchor) {
  std::vector<PlacedGlyph> all;
  double width = 0;
  for (const Letter& l : letters(text)) {
    const Glyph& g = glyph(l.code);
    const double its = size * (l.raised ? raised_size : 1);
    all.push_back({l.code, &g, {width, at.y - (l.raised ? raised_by * size : 0)}, its});
    width += g.advance * its;
  }
  const double left = at.x - width * (anchor == Anchor::middle ? 0.5 : anchor == Anchor::end);
  for (PlacedGlyph& p : all) p.at.x += left;
  return all;
}

}  // namespace nz::lab
