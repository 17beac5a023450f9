#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>
#include <nonzero/plan.hpp>

#include "cli/complex_matrix.hpp"
#include "cli/outputs.hpp"
#include "cli/run_complex.hpp"
#include "cli/terminal.hpp"
#include "cli/vector_file.hpp"
#include "lab/bench/vectors.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Array<T> make_x(const ComplexRun& o, index_t length) {
  const auto n = static_cast<std::size_t>(length);
  if (o.x == "ones") return Array<T>(n, T(1));
  if (!o.seed) return vector_of_length<T>(o.x, length, "x");
  using R = real_of<T>;
  Array<R> parts(2 * n);
  lab::fill_random<R>({parts.data(), parts.size()}, *o.seed);
  Array<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = {parts[2 * i], parts[2 * i + 1]};
  return x;
}

template <class T>
Array<T> make_y(const ComplexRun& o, index_t length) {
  if (o.beta == 0) return Array<T>(static_cast<std::size_t>(length), T(0));
  if (o.y.empty()) throw InvalidArgument(fmt::format("--beta {} needs --y FILE", o.beta));
  return vector_of_length<T>(o.y, length, "y");
}

template <class T>
std::string text(T z) {
  return fmt::format("({}, {})", z.real(), z.imag());
}

template <class T>
int run(const Session& session, const ComplexRun& o) {
  using R = real_of<T>;
  const ComplexSource source = load_complex(session, o.matrix);
  const index_t in = is_transposed(o.op) ? source.matrix.rows : source.matrix.cols,
                out = is_transposed(o.op) ? source.matrix.cols : source.matrix.rows;
  const Array<T> x = make_x<T>(o, in);
  Array<T> y = make_y<T>(o, out);
  const Plan<T> p = plan(csr_cast<T, std::int64_t>(source.matrix.view()), o.plan);
  const auto start = std::chrono::steady_clock::now();
  p.multiply(T(static_cast<R>(o.alpha)), x, T(static_cast<R>(o.beta)), y, o.op);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::span<const T> result(y.data(), y.size());
  if (!o.output.empty()) write_vector<T>(o.output, result);

  double norm = 0;
  for (const T& z : result)
    norm += static_cast<double>(z.real()) * z.real() + static_cast<double>(z.imag()) * z.imag();
  norm = std::sqrt(norm);
  const auto line = [&](const char* label, const std::string& what) {
    session.say("{:<9} {}\n", label, what);
  };
  const bool emulated = p.device().kind == Device::Kind::emulator;
  constexpr std::string_view of_op[] = {"A", "A^T", "A^H", "conj(A)"};
  const std::size_t which = static_cast<std::size_t>(
      std::find(std::begin(all_complex_ops), std::end(all_complex_ops), o.op) - all_complex_ops);
  line("matrix", fmt::format("{} ({})", source.name, shape_text(source)));
  line("kernel", p.kernel().id());
  if (!p.reason().empty()) line("", p.reason());
  for (const auto& [key, value] : p.parameters()) line("", fmt::format("{} = {}", key, value));
  line("product", fmt::format("y = {} {} x + {} y in {}", o.alpha, of_op[which], o.beta,
                              name(value_type_of<T>)));
  if (p.device() != cpu_device) line("device", p.device().name());
  if (!emulated) {
    line("prepare", lab::seconds_text(p.prepare_seconds()));
    line("multiply", lab::seconds_text(seconds));
  }
  line("|y|", fmt::format("{}", norm));
  constexpr std::size_t shown = 8;
  std::string head;
  Json heads = Json::array();
  for (const T& z : result.first(std::min(result.size(), shown))) {
    head += (head.empty() ? "" : "  ") + text(z);
    heads.push_back({z.real(), z.imag()});
  }
  line("y", head + (result.size() > shown ? "  ..." : ""));
  if (!o.output.empty()) status("wrote {}: {}", o.output, lab::plural(out, "element", "elements"));

  Json r = describe(source);
  r["kernel"] = p.kernel().id();
  r["reason"] = p.reason();
  r["parameters"] = p.parameters();
  r["op"] = name(o.op);
  r["type"] = name(value_type_of<T>);
  r["alpha"] = o.alpha;
  r["beta"] = o.beta;
  r["x"] = o.x;
  r["device"] = p.device().name();
  r["prepare_seconds"] = emulated ? Json(nullptr) : Json(p.prepare_seconds());
  r["multiply_seconds"] = emulated ? Json(nullptr) : Json(seconds);
  r["bytes"] = p.bytes();
  r["length"] = out;
  r["norm"] = norm;
  r["head"] = std::move(heads);
  r["output"] = o.output;
  session.write(r);
  return ok;
}

}  // namespace

int run_complex(const Session& session, const ComplexRun& o) {
  require_vector_output(o.output);
  return o.single ? run<std::complex<float>>(session, o) : run<std::complex<double>>(session, o);
}

}  // namespace nz::cli
