#include "lab/bench/source.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>

#include "lab/bench/input.hpp"

namespace nz::lab {
namespace {

constexpr std::string_view gen_prefix = "gen:", like_prefix = "like:";

std::string_view spec_of(std::string_view what) {
  return what.substr(what.starts_with(gen_prefix) ? gen_prefix.size() : 0);
}

// "grid:nx=10" and "cant" are typed by people who forgot the prefix.
std::string hint(const std::string& what) {
  const auto family = std::string_view(what).substr(0, what.find(':'));
  const auto known = [](std::string_view name, const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](const auto& e) { return e.name == name; });
  };
  if (known(family, families()) && !Input(what).said)
    return fmt::format(" (to generate it: gen:{})", what);
  if (known(what, named_matrices())) return fmt::format(" (to generate it: like:{})", what);
  return "";
}

void require_file(const std::string& what) {
  std::error_code error;
  const Input input(what);
  if (!input.is_stdin() && !std::filesystem::exists(input.path, error))
    throw BadInput(
        fmt::format("{}: {}{}", what, error ? error.message() : "no such file", hint(what)));
}

}  // namespace

std::string label(const Source& s) {
  const bool said = s.name.find("stand-in") != s.name.npos;
  return s.stand_in && !said ? s.name + " (stand-in)" : s.name;
}

bool is_generated(std::string_view what) {
  return what.starts_with(gen_prefix) || what.starts_with(like_prefix);
}

std::string recorded_source(const std::string& what) {
  return is_generated(what) ? what : std::filesystem::path(what).filename().string();
}

Source load(const std::string& what, const Progress& progress, const MatrixCache& cache,
            std::uint64_t memory_limit, bool allow_nan) {
  Source s;
  const auto start = std::chrono::steady_clock::now();
  if (is_generated(what)) {
    Generated g = cache.generate(spec_of(what), s.cached);
    s.matrix = std::move(g.matrix);
    s.name = std::move(g.name);
    s.note = std::move(g.note);
    s.stand_in = g.stand_in;
  } else {
    require_file(what);
    const Input input(what);
    InputMatrix m = read_input(input, {.memory_limit = memory_limit,
                                       .progress = progress,
                                       .info = &s.file.emplace(),
                                       .allow_nan = allow_nan});
    s.matrix = std::move(m.matrix);
    s.note = std::move(m.note);
    s.name = input.is_stdin() ? "stdin" : input.path;
    if (!input.variable.empty()) s.name += ':' + input.variable;
  }
  s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return s;
}

void check_source(const std::string& what) {
  if (is_generated(what))
    check_spec(spec_of(what));
  else
    require_file(what);
}

ValueType vectors_with(StoredValues as) {
  return as == StoredValues::exact || as == StoredValues::f32 ? ValueType::f64 : ValueType::f32;
}

ValueRounding round_values(Source& s, StoredValues as) {
  if (vectors_with(as) == ValueType::f64) return nz::round_values(s.matrix, as);
  nz::round_values(s.matrix, StoredValues::f32);  // as a plan of float gets them
  auto in_f32 = csr_cast<float, std::int64_t>(s.matrix.view());
  const ValueRounding r = nz::round_values(in_f32, as);
  std::copy(in_f32.values.begin(), in_f32.values.end(), s.matrix.values.begin());
  return r;
}

Narrowed narrow(Csr<double, std::int64_t>&& a) {
  if (a.nnz() <= std::numeric_limits<std::int32_t>::max())
    return csr_with_offsets<std::int32_t>(std::move(a));
  return std::move(a);
}

}  // namespace nz::lab
