#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/formats/blocks.hpp>
#include <nonzero/formats/bsr.hpp>
#include <nonzero/formats/compact.hpp>
#include <nonzero/formats/coo.hpp>

#include "base/size_text.hpp"
#include "cli/complex_matrix.hpp"
#include "cli/info_parts.hpp"
#include "lab/bench/statistics.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using C = std::complex<double>;
using Json = nlohmann::ordered_json;

// What the values are to those of the transpose.
std::string symmetry_of(const CsrView<C, std::int64_t>& a) {
  if (a.rows != a.cols) return "not square";
  const Csr<C, std::int64_t> t = transpose(a);
  const auto n = static_cast<std::size_t>(a.nnz);
  if (!std::equal(t.offsets.begin(), t.offsets.end(), a.offsets) ||
      !std::equal(t.columns.begin(), t.columns.end(), a.columns))
    return "none";
  const auto all = [&](auto&& same) {
    for (std::size_t k = 0; k < n; ++k)
      if (!same(a.values[k], t.values[k])) return false;
    return true;
  };
  if (all([](C v, C w) { return v == std::conj(w); })) return "hermitian";
  if (all([](C v, C w) { return v == w; })) return "symmetric";
  if (all([](C v, C w) { return v == -w; })) return "skew-symmetric";
  return "symmetric in pattern, not in values";
}

struct Stored {
  std::string format;
  std::size_t bytes = 0;
};

std::vector<Stored> stored(const CsrView<C, std::int64_t>& a, const BlockVerdict& blocks) {
  std::vector<Stored> all{{"csr", a.bytes()},
                          {"coo", coo_from_csr(a).bytes()},
                          {"compact", compact_from_csr(a).bytes()}};
  if (blocks.pays())
    all.push_back({fmt::format("bsr {} x {}", blocks.block_rows, blocks.block_cols),
                   bsr_from_csr(a, blocks.block_rows, blocks.block_cols).bytes()});
  return all;
}

}  // namespace

int info_complex(const Session& session, const std::string& what, Json& all) {
  const ComplexSource source = load_complex(session, what);
  const auto a = source.matrix.view();
  // The lengths of rows are those of any matrix with these offsets.
  const lab::Lengths rows = lab::row_lengths({a.rows, a.cols, a.nnz, a.offsets, nullptr, nullptr});
  const BlockVerdict blocks = detect_blocks(Pattern(a));
  const std::string symmetry = symmetry_of(a);
  const auto line = [&](const char* label, const std::string& text) { tell(session, label, text); };
  tell_name(session, source.name);
  line("shape", shape_text(source));
  if (source.file) line("file", file_text(*source.file));
  line("read in", lab::seconds_text(source.seconds));
  line("rows", lengths_text(rows, "empty row", "empty rows"));
  line("symmetry", symmetry);
  line("blocks", blocks.pays() ? fmt::format("{} x {}, {:.3g} values a nonzero", blocks.block_rows,
                                             blocks.block_cols, blocks.fill_ratio)
                               : std::string("none that pay"));
  lab::Table table({{"format"}, {"bytes", lab::Align::right}, {"x CSR", lab::Align::right}});
  Json formats = Json::array();
  for (const Stored& s : stored(a, blocks)) {
    const double ratio = static_cast<double>(s.bytes) / static_cast<double>(a.bytes());
    table.add({s.format, size_text(static_cast<double>(s.bytes)), fmt::format("{:.2f}", ratio)});
    formats.push_back({{"format", s.format}, {"bytes", s.bytes}, {"ratio_to_csr", ratio}});
  }
  session.print("\n" + table.text(session.colour(), session.width()));
  Json r = describe(source);
  if (source.file) r["file"] = describe(*source.file);
  r["load_seconds"] = source.seconds;
  r["numeric_symmetry"] = symmetry;
  r["formats"] = std::move(formats);
  all.push_back(std::move(r));
  return ok;
}

}  // namespace nz::cli
