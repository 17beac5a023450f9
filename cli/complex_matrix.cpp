#include "cli/complex_matrix.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "cli/library_words.hpp"
#include "cli/progress.hpp"
#include "lab/bench/input.hpp"
#include "lab/bench/matrix_name.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {

bool is_complex_matrix(const std::string& what, const Session& session) {
  const std::string path = lab::named_path(what).path;
  if (lab::is_generated(path)) return false;
  const lab::Input input(path);
  if (input.kind == lab::Input::Kind::matrix) lab::check_source(path);
  return lab::is_complex_input(input, session.memory_limit);
}

ComplexSource load_complex(const Session& session, const std::string& what) {
  ComplexSource s;
  if (!is_complex_matrix(what, session)) {
    const lab::Source real = session.load(what);
    s.matrix = csr_cast<std::complex<double>, std::int64_t>(real.matrix.view());
    s.name = lab::label(real);
    s.seconds = real.seconds;
    return s;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto [name, path] = lab::named_path(what);
  const lab::Input input(path);
  try {
    ProgressBar bar("reading " + path);
    s.matrix = lab::read_complex_input(
        input,
        {.memory_limit = session.memory_limit,
         .progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); },
         .info = &s.file.emplace(),
         .allow_nan = session.allow_nan});
  } catch (const BadInput& e) {
    if (session.allow_nan) throw;
    throw BadInput(with_allow_nan(e.what()));
  }
  s.name = name.empty() ? lab::pipe_name(input.path) : name;
  s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return s;
}

std::string shape_text(const ComplexSource& s) {
  return fmt::format("{} x {}, {}, complex", lab::count_text(s.matrix.rows),
                     lab::count_text(s.matrix.cols),
                     lab::plural(s.matrix.nnz(), "nonzero", "nonzeros"));
}

nlohmann::ordered_json describe(const ComplexSource& s) {
  return {{"name", s.name},        {"rows", s.matrix.rows}, {"cols", s.matrix.cols},
          {"nnz", s.matrix.nnz()}, {"stand_in", false},     {"note", ""},
          {"index_base", 0},       {"complex", true}};
}

}  // namespace nz::cli
