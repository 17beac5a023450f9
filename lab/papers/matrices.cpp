#include "lab/papers/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/spec.hpp"
#include "lab/bench/source.hpp"
#include "lab/papers/experiments.hpp"

namespace nz::lab {
namespace {

using View = CsrView<double, std::int64_t>;

// fn(row, column, value) for the entries on and below the diagonal.
template <class Fn>
void each_lower(const View& a, Fn&& fn) {
  for (index_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1] && a.columns[k] <= i; ++k)
      fn(i, a.columns[k], a.values[k]);
}

bool is_symmetric(const View& a) {
  if (a.rows != a.cols) return false;
  const auto mirrored = transpose(a);
  return mirrored == transpose(mirrored.view());
}

GeneratedMatrix as_the_paper(GeneratedMatrix&& a, Symmetric symmetric) {
  if (symmetric == Symmetric::whole) return std::move(a);
  GeneratedMatrix half = lower_half(a.view());
  return symmetric == Symmetric::half ? std::move(half) : completed(half.view());
}

std::optional<PaperMatrix> from_folder(std::string_view name, double most, Symmetric symmetric,
                                       const std::string& folder) {
  if (folder.empty()) return {};
  for (const char* ending : {".mtx", ".mtx.gz", ".mtx.zst", ".nzb"}) {
    const auto path = std::filesystem::path(folder) / (std::string(name) + ending);
    if (!std::filesystem::exists(path)) continue;
    Source s = load(path.string());
    PaperMatrix m{std::string(name), path.string(), false, std::move(s.matrix)};
    // An .nzb does not say whether it is symmetric; it is whole.
    if (symmetric == Symmetric::half) m.matrix = lower_half(m.matrix.view());
    if (static_cast<double>(m.matrix.nnz()) <= most) return m;
  }
  return {};
}

void scale_profile(Settings& s, double scale) {
  const auto whole = [](double v) { return std::max(1.0, std::round(v)); };
  const double rows = s["rows"], cols = s["cols"], mean = s["nnz"] / rows;
  // At most an eighth of the cells: long rows need more of them than their share.
  const double share = std::max(scale, std::sqrt(8 * s["nnz"] * scale / (rows * cols)));
  s["rows"] = std::max(whole(rows * share), 8.0);
  s["cols"] = rows == cols ? s["rows"] : std::max(whole(cols * share), 8.0);
  s["nnz"] = std::min(whole(s["nnz"] * scale), std::floor(s["rows"] * s["cols"] / 8));
  const double shorter = std::min(mean, s["nnz"] / s["rows"]);
  const double places = s["cols"] - (s["form"] > 0 && s["diagonal"] == 0 ? 1 : 0);
  const double longest = std::max(whole(s["max"] * share), std::ceil(2 * shorter + 2));
  s["max"] = std::min({s["max"], longest, places});
  s["min"] = std::min(s["min"], std::floor(shorter));
  if (s["band"] > 0) s["band"] = std::min(s["cols"], std::max(whole(s["band"] * share), s["max"]));
  const double on_diagonal = s["diagonal"] > 0 ? s["rows"] : 0;
  s["nnz"] = std::max(s["nnz"], on_diagonal);
  // Off the diagonal the entries of a symmetric matrix come in pairs.
  if (s["form"] == 2) s["nnz"] -= std::fmod(s["nnz"] - on_diagonal, 2);
  // The shortest and the longest row are both met.
  s["max"] = std::min(s["max"], std::max(1.0, s["nnz"] - (s["rows"] - 1) * s["min"]));
}

}  // namespace

GeneratedMatrix lower_half(const View& a) {
  GeneratedMatrix half{a.rows, a.cols, Array<std::int64_t>(static_cast<std::size_t>(a.rows) + 1)};
  std::fill(half.offsets.begin(), half.offsets.end(), 0);
  each_lower(a,
             [&](index_t i, index_t, double) { ++half.offsets[static_cast<std::size_t>(i) + 1]; });
  for (std::size_t i = 0; i + 1 < half.offsets.size(); ++i) half.offsets[i + 1] += half.offsets[i];
  const auto nnz = static_cast<std::size_t>(half.offsets[half.offsets.size() - 1]);
  half.columns = Array<index_t>(nnz);
  half.values = Array<double>(nnz);
  std::size_t at = 0;
  each_lower(a, [&](index_t, index_t j, double value) {
    half.columns[at] = j;
    half.values[at++] = value;
  });
  return half;
}

GeneratedMatrix completed(const View& half) {
  std::vector<index_t> row, column;
  std::vector<double> value;
  const auto add = [&](index_t i, index_t j, double v) {
    row.push_back(i);
    column.push_back(j);
    value.push_back(v);
  };
  each_lower(half, [&](index_t i, index_t j, double v) {
    add(i, j, v);
    if (i != j) add(j, i, v);
  });
  return csr_from_triplets<double, std::int64_t>(half.rows, half.cols, row, column, value);
}

GeneratedMatrix as_stored(GeneratedMatrix&& whole, bool declared, std::int64_t published) {
  GeneratedMatrix half = lower_half(whole.view());
  const auto off = [&](const GeneratedMatrix& a) { return std::abs(a.nnz() - published); };
  const bool nearer = off(half) < off(whole);
  return declared || (nearer && is_symmetric(whole.view())) ? std::move(half) : std::move(whole);
}

std::string scaled(std::string_view spec, double scale) {
  Spec parsed = parse_spec(spec);
  if (scale == 1) return to_string(parsed);
  Settings& s = parsed.settings;
  if (parsed.family->name == "profile") {
    scale_profile(s, scale);
  } else if (parsed.family->name == "grid") {
    for (const char* side : {"nx", "ny"})
      s[side] = std::max(3.0, std::round(s[side] * std::sqrt(scale)));
  } else if (parsed.family->name == "mycielskian") {
    // The nonzeros about triple from one to the next.
    s["k"] = std::max(3.0, std::round(s["k"] + std::log(scale) / std::log(3.0)));
  }
  return to_string(parsed);
}

PaperMatrix paper_matrix(std::string_view name, double published, Symmetric symmetric,
                         const ExperimentOptions& options) {
  // A completed half has up to twice what the table counts.
  const double counted = symmetric == Symmetric::completed ? 2 * published : published;
  const double most = options.scale >= 1 ? std::numeric_limits<double>::infinity()
                                         : std::max(100.0, options.scale * counted);
  if (auto real = from_folder(name, most, symmetric, options.matrices)) return std::move(*real);
  for (const NamedMatrix& m : named_matrices()) {
    if (m.name != name) continue;
    const bool as_it_is = options.scale == 1;
    const std::string spec =
        as_it_is ? fmt::format("like:{}", name) : scaled(m.spec, options.scale);
    std::string said;
    Generated made = MatrixCache(options.cache).generate(spec, said);
    return {std::string(name), as_it_is ? spec : "gen:" + spec, !m.exact || !as_it_is,
            as_the_paper(std::move(made.matrix), symmetric)};
  }
  throw InvalidArgument(fmt::format("no paper names a matrix '{}'", name));
}

}  // namespace nz::lab
