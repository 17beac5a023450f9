#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/formats/blocks.hpp>

#include "base/size_text.hpp"
#include "cli/commands.hpp"
#include "cli/complex_matrix.hpp"
#include "cli/info_parts.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/statistics.hpp"
#include "lab/bench/storage.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;
using lab::Align;
using lab::count_text;

Json record(const lab::Lengths& s) {
  return {{"min", s.min},     {"mean", s.mean},           {"max", s.max},
          {"empty", s.empty}, {"deviation", s.deviation}, {"histogram", s.histogram}};
}

// What block detection says, and how long it took.
struct Blocks {
  BlockVerdict found;
  double seconds = 0;
};

Blocks blocks_of(const CsrView<double, std::int64_t>& a) {
  const auto start = std::chrono::steady_clock::now();
  Pattern p(a);
  if (a.nnz <= std::numeric_limits<std::int32_t>::max()) p.offset_bytes = sizeof(std::int32_t);
  Blocks b{detect_blocks(p)};
  b.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return b;
}

Json record(const Blocks& b) {
  const BlockVerdict& v = b.found;
  return {{"block_rows", v.block_rows},
          {"block_cols", v.block_cols},
          {"blocks", v.blocks},
          {"fill_ratio", v.fill_ratio},
          {"bsr_bytes", v.bsr_bytes},
          {"csr_bytes", v.csr_bytes},
          {"exact", v.exact},
          {"row_share", v.row_share},
          {"padding_rows", v.padding_rows},
          {"padding_cols", v.padding_cols},
          {"seconds", b.seconds}};
}

Json record(const lab::Storage& s) {
  Json r{{"format", s.format}};
  if (!s.refused.empty()) {
    r["refused"] = s.refused;
  } else {
    r["bytes"] = s.bytes;
    r["ratio_to_csr"] = s.ratio;
    r["slots_per_nonzero"] = s.slots_per_nonzero;
  }
  return r;
}

Json record(const lab::Source& source, const lab::Statistics& s) {
  Json r = describe(source);
  if (source.file) r["file"] = describe(*source.file);
  r["load_seconds"] = source.seconds;
  r["density"] = s.density;
  r["row_lengths"] = record(s.rows);
  r["column_lengths"] = record(s.columns);
  r["bandwidth"] = s.bandwidth;
  r["diagonals"] = s.diagonals;
  r["diagonal_entries"] = s.diagonal_entries;
  r["explicit_zeros"] = s.explicit_zeros;
  r["pattern_symmetry"] = s.pattern_symmetry;
  r["numeric_symmetry"] = name(s.symmetry);
  return r;
}

std::string symmetry_text(const CsrView<double, std::int64_t>& a, const lab::Statistics& s) {
  if (a.rows != a.cols) return "not square";
  if (s.symmetry != lab::NumericSymmetry::none)
    return fmt::format("{} in pattern and values", name(s.symmetry));
  if (s.pattern_symmetry == 1) return "symmetric in pattern, not in values";
  return fmt::format("none; {} of the entries off the diagonal have a mirror image",
                     lab::percent_text(s.pattern_symmetry));
}

std::string blocks_text(const Blocks& b) {
  const BlockVerdict& v = b.found;
  const std::string looked =
      v.exact ? std::string("exact")
              : fmt::format("from {} of the rows", lab::percent_text(v.row_share));
  const std::string how = fmt::format("({}, found in {})", looked, lab::seconds_text(b.seconds));
  if (!v.pays()) return "none that pay " + how;
  std::string s =
      fmt::format("{} x {}, {}, {:.2f} x CSR's bytes", v.block_rows, v.block_cols,
                  v.fill_ratio < 1.00005 ? std::string("no fill")
                                         : fmt::format("{:.3g} values a nonzero", v.fill_ratio),
                  v.ratio());
  if (v.padding_rows > 0 || v.padding_cols > 0)
    s += fmt::format(", padded by {} and {}", lab::plural(v.padding_rows, "row", "rows"),
                     lab::plural(v.padding_cols, "column", "columns"));
  return s + " " + how;
}

std::string bar(std::int64_t n, std::int64_t most) {
  constexpr int widest = 40;
  // Eighths of a character: what is not nothing shows.
  const auto eighths =
      n == 0
          ? 0
          : std::max<std::int64_t>(
                1, std::llround(8.0 * widest * static_cast<double>(n) / static_cast<double>(most)));
  if (!utf8_locale()) return std::string(static_cast<std::size_t>((eighths + 7) / 8), '#');
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string s;
  for (std::int64_t i = 0; i < eighths / 8; ++i) s += "█";
  return s + parts[eighths % 8];
}

lab::Table histogram(const lab::Lengths& s) {
  lab::Table t({{"row length", Align::right}, {"rows", Align::right}, {""}});
  if (s.histogram.empty()) return t;
  const std::int64_t most = *std::max_element(s.histogram.begin(), s.histogram.end());
  // From the first length that occurs.
  std::size_t b = 0;
  while (s.histogram[b] == 0) ++b;
  for (; b < s.histogram.size(); ++b) {
    const std::int64_t low = b == 0 ? 0 : std::int64_t{1} << (b - 1), high = 2 * low - 1;
    t.add({high <= low ? std::to_string(low) : fmt::format("{}-{}", low, high),
           count_text(s.histogram[b]), bar(s.histogram[b], most)});
  }
  return t;
}

lab::Table storage_table(const std::vector<lab::Storage>& all) {
  lab::Table t({{"format"},
                {"bytes", Align::right},
                {"x CSR", Align::right},
                {"slots/nonzero", Align::right},
                {""}});
  for (const lab::Storage& s : all) {
    if (s.refused.empty())
      t.add({s.format, size_text(static_cast<double>(s.bytes)), fmt::format("{:.2f}", s.ratio),
             fmt::format("{:.2f}", s.slots_per_nonzero)});
    else
      t.add({s.format, "-", "-", "-", {"refused: " + s.refused, lab::Tone::dim}});
  }
  return t;
}

void print(const Session& session, const lab::Source& source, const lab::Statistics& s,
           const Blocks& blocks) {
  const auto a = source.matrix.view();
  const auto line = [&](const char* label, const std::string& text) { tell(session, label, text); };
  tell_name(session, lab::label(source));
  if (source.stand_in)
    line("STAND-IN", source.note);
  else if (!source.note.empty())
    line("note", source.note);
  line("shape",
       fmt::format("{}, density {}", shape_text(a), fmt::format("{:.3g} %", 100 * s.density)));
  if (source.file) line("file", file_text(*source.file, " (expanded on load)"));
  line(source.file ? "read in" : "made in", lab::seconds_text(source.seconds));
  line("rows", lengths_text(s.rows, "empty row", "empty rows"));
  line("columns", lengths_text(s.columns, "empty column", "empty columns"));
  line("bandwidth", fmt::format("{}; entries on {}", count_text(s.bandwidth),
                                lab::plural(s.diagonals, "diagonal", "diagonals")));
  line("diagonal", fmt::format("{} of {} stored", count_text(s.diagonal_entries),
                               count_text(std::min(a.rows, a.cols))));
  line("symmetry", symmetry_text(a, s));
  line("blocks", blocks_text(blocks));
  if (s.explicit_zeros > 0)
    line("zeros", lab::plural(s.explicit_zeros, "entry is", "entries are") + " zero");
}

int info(const Session& session, const std::vector<std::string>& matrices) {
  require_apart({{"--json", session.json}}, files_of_matrices(matrices));
  Json all = Json::array();
  for (const std::string& what : matrices) {
    if (is_complex_matrix(what, session)) {
      if (&what != &matrices.front()) session.print("\n");
      info_complex(session, what, all);
      continue;
    }
    lab::Source source = session.load(what);
    const lab::Statistics s = lab::statistics(source.matrix.view());
    const Blocks blocks = blocks_of(source.matrix.view());
    Json r = record(source, s);
    r["blocks"] = record(blocks);
    if (&what != &matrices.front()) session.print("\n");
    print(session, source, s, blocks);

    std::vector<lab::Storage> stored;
    {
      ProgressBar bar_("converting to");
      stored = lab::storage(lab::narrow(std::move(source.matrix)), [&](std::string_view format,
                                                                       int done, int total) {
        bar_.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total), format);
      });
    }
    session.print("\n" + histogram(s.rows).text(session.colour(), session.width()));
    session.print("\n" + storage_table(stored).text(session.colour(), session.width()));
    for (const lab::Storage& f : stored) r["formats"].push_back(record(f));
    all.push_back(std::move(r));
  }
  session.write(all);
  return ok;
}

}  // namespace

void add_info(Parser& parser, Session& session) {
  auto matrices = std::make_shared<std::vector<std::string>>();
  parser.add("info", "Tell what a matrix looks like and what it takes in every format")
      .needs("MATRIX", *matrices, "Files, gen:SPEC or like:NAME")
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero info cant.mtx\n"
          "  nonzero info like:ecology1 gen:grid:nx=500,ny=500\n"
          "  nonzero info cant.mtx --json cant.json")
      .runs([&session, matrices] { return info(session, *matrices); });
}

}  // namespace nz::cli
