#include <nonzero/explain.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "base/size_text.hpp"
#include "plan/units.hpp"

namespace nz {
namespace {

std::string features_text(const Features& f) {
  std::string s =
      fmt::format("{} x {}, {} nonzeros, {:.1f} a row", f.rows, f.cols, f.nnz, f.row_length);
  if (f.hypersparse(true, true))
    s += fmt::format("; at most {:.0f} rows and {:.0f} columns have entries", f.nonempty_rows,
                     f.nonempty_cols);
  if (f.entries == 0) return s + "; not looked at closer";
  s += fmt::format("; of {:.0f} entries: {:.2f} lines of x a nonzero, {:.1f} bytes if compact",
                   f.entries, f.lines, f.compact_bytes);
  if (f.packed_bytes > 0)
    s += fmt::format(", {:.1f} if packed ({:.0f} % in runs)", f.packed_bytes, 100 * f.run_share);
  if (f.block_rows > 1 || f.block_cols > 1)
    s += fmt::format(", blocks of {} x {} with {:.2f} values a nonzero", f.block_rows, f.block_cols,
                     f.block_fill);
  if (f.tile_entries > 0) s += fmt::format(", {:.0f} entries a tile", f.tile_entries);
  return s;
}

}  // namespace

std::string Explanation::determinism() const {
  const auto repeats = [&](const Candidate& c) {
    return (!n || c.repeats(Op::none)) && (!t || c.repeats(Op::transpose));
  };
  // N and T may have a copy each.
  const bool two = candidates.size() > 1 && candidates[1].why_not.empty();
  if (two && candidates[0].repeats(Op::none) && candidates[1].repeats(Op::transpose))
    return "the same bits every time";
  // The fastest that repeats, or that does not.
  const auto fastest = [&](bool wanted) {
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates)
      if (repeats(c) == wanted && !c.too_large && c.seconds(n, t) > 0 &&
          (!best || c.seconds(n, t) < best->seconds(n, t)))
        best = &c;
    return best;
  };
  if (candidates.empty()) return {};
  const Candidate& taken = candidates.front();
  if (repeats(taken)) {
    const Candidate* other = fastest(false);
    if (!other || other->seconds(n, t) >= taken.seconds(n, t))
      return "the same bits every time, at no cost";
    return fmt::format(
        "the same bits every time; {}, which has other bits, would take {:.2f} of "
        "the time",
        other->kernel->id(), other->seconds(n, t) / taken.seconds(n, t));
  }
  const Candidate* other = fastest(true);
  if (!other || taken.seconds(n, t) <= 0) return "not the same bits every time";
  return fmt::format(
      "not the same bits every time; {}, which has them, would take {:.2f} times as "
      "long",
      other->kernel->id(), other->seconds(n, t) / taken.seconds(n, t));
}

std::string Explanation::text() const {
  std::string s = fmt::format("matrix: {}\n", features_text(features));
  s += fmt::format("on {}{}, for {}{}\n", device,
                   device == "cpu" ? fmt::format(" ({} threads)", threads) : "", n ? "N" : "",
                   t ? (n ? " and T" : "T") : "");
  for (const Candidate& c : candidates) {
    s += fmt::format("{} {}{}: ", c.why_not.empty() ? "*" : " ", c.kernel->id(),
                     c.transposed ? " of the transpose" : "");
    if (c.n_seconds > 0)
      s += fmt::format("N {}, T {}, setup {}, {}", time_text(c.n_seconds), time_text(c.t_seconds),
                       time_text(c.setup_seconds), size_text(c.bytes));
    if (c.measured_seconds > 0)
      s += fmt::format("{}measured {}", c.n_seconds > 0 ? "; " : "", time_text(c.measured_seconds));
    if (!c.why.empty()) s += "; " + c.why;
    s += c.why_not.empty() ? "\n" : " (" + c.why_not + ")\n";
  }
  if (from_cache) s += "the choice was made before and kept on disk\n";
  if (!input.empty()) s += input + "\n";
  if (const std::string r = rounding.text(); !r.empty()) s += r + "\n";
  s +=
      fmt::format("setup: checking {}, looking {}, converting {}, timing {}\n", time_text(checking),
                  time_text(looking), time_text(converting), time_text(timing));
  s += fmt::format("keeps {}; CSR takes {}\n", size_text(static_cast<double>(bytes)),
                   size_text(static_cast<double>(csr_bytes)));
  if (const std::string d = determinism(); !d.empty()) s += d + "\n";
  return s;
}

}  // namespace nz
