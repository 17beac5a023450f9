#include "cli/run_complex.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <nonzero/io.hpp>

#include "cli/complex_matrix.hpp"
#include "cli/vector_file.hpp"
#include "lab/bench/vectors.hpp"

namespace nz::cli {
namespace {

template <class T>
Array<T> make_x(const RunAsked& o, index_t length) {
  const auto n = static_cast<std::size_t>(length);
  if (o.x == "ones") return Array<T>(n, T(1));
  const auto seed = seed_of(o.x);
  if (!seed) return vector_of_length<T>(o.x, length, "x");
  using R = real_of<T>;
  Array<R> parts(2 * n);
  lab::fill_random<R>({parts.data(), parts.size()}, *seed);
  Array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = {parts[2 * i], parts[2 * i + 1]};
  return x;
}

template <class T>
Array<T> make_y(const RunAsked& o, index_t length) {
  if (o.beta == 0) return Array<T>(static_cast<std::size_t>(length), T(0));
  require_y(o);
  return vector_of_length<T>(o.y, length, "y");
}

template <class T>
int run(const Session& session, RunAsked o, const PlanOptions& options) {
  using R = real_of<T>;
  o.type = name(value_type_of<T>);
  const ComplexSource source = load_complex(session, o.matrix);
  const index_t in = is_transposed(o.op) ? source.matrix.rows : source.matrix.cols,
                out = is_transposed(o.op) ? source.matrix.cols : source.matrix.rows;
  const Array<T> x = make_x<T>(o, in);
  Array<T> y = make_y<T>(o, out);
  const Plan<T> p = plan(csr_cast<T, std::int64_t>(source.matrix.view()), options);
  const double seconds =
      timed([&] { p.multiply(T(static_cast<R>(o.alpha)), x, T(static_cast<R>(o.beta)), y, o.op); });
  const std::span<const T> result(y.data(), y.size());

  RunReport done(p, seconds);
  for (const T& z : result)
    done.norm +=
        static_cast<double>(z.real()) * z.real() + static_cast<double>(z.imag()) * z.imag();
  done.norm = std::sqrt(done.norm);
  constexpr std::string_view of_op[] = {"A", "A^T", "A^H", "conj(A)"};
  const std::size_t which = static_cast<std::size_t>(
      std::find(std::begin(all_complex_ops), std::end(all_complex_ops), o.op) - all_complex_ops);
  done.op_text = of_op[which];
  done.about = describe(source);
  done.matrix = fmt::format("{} ({})", source.name, shape_text(source));
  done.length = out;
  for (const T& z : result.first(std::min(result.size(), shown_elements))) {
    done.head += fmt::format("{}({}, {})", done.head.empty() ? "" : "  ", z.real(), z.imag());
    done.heads.push_back({z.real(), z.imag()});
  }
  if (result.size() > shown_elements) done.head += "  ...";
  tell(session, o, done, [&] { put_vector(o.output, result); });
  return ok;
}

}  // namespace

int run_complex(const Session& session, RunAsked asked, bool single, const PlanOptions& options) {
  (void)seed_of(asked.x);  // what is wrong with it is said before a file is read
  require_files(session, asked);
  return single ? run<std::complex<float>>(session, std::move(asked), options)
                : run<std::complex<double>>(session, std::move(asked), options);
}

}  // namespace nz::cli
