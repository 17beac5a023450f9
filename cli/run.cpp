#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "cli/commands.hpp"
#include "cli/complex_matrix.hpp"
#include "cli/kernels.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/run_complex.hpp"
#include "cli/run_report.hpp"
#include "cli/session.hpp"
#include "cli/stdout_data.hpp"
#include "cli/terminal.hpp"
#include "cli/vector_file.hpp"
#include "lab/bench/several.hpp"
#include "lab/bench/vectors.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options : RunAsked {
  std::string kernel;
  std::vector<std::string> parameters;
  bool transpose = false;
  std::string store_values_as = "exact";
  bool conjugate = false;

  Options() { x = "ones", type = "f64"; }
  Op wanted_op() const { return make_op(transpose, conjugate); }
  bool is_complex_type() const { return type == "c64" || type == "c128"; }
};

PlanOptions plan_options(const Options& o, const std::string& device) {
  PlanOptions p{
      .kernel = o.kernel, .op = o.op, .store_values_as = stored_values_named(o.store_values_as)};
  check_stored_values(p.store_values_as, o.type == "f32" ? ValueType::f32 : ValueType::f64);
  // A wrong name, or a device that is not there, is found before a large file is read.
  if (!device.empty()) p.device = device_named(device);
  if (!o.kernel.empty()) {
    const Kernel& kernel = find_kernel(o.kernel);
    only_on(device_for(kernel, device), {&kernel}, o.kernel);
  }
  if (!o.parameters.empty() && o.kernel.empty())
    throw InvalidArgument("--param needs --kernel: a parameter belongs to one kernel");
  for (const std::string& text : o.parameters) {
    const auto equals = text.find('=');
    if (equals == text.npos)
      throw InvalidArgument(fmt::format("--param {}: write it as name=value", text));
    const std::string key = text.substr(0, equals);
    p.parameters[key] =
        whole_number<std::int64_t>(std::string_view(text).substr(equals + 1), "--param " + key);
  }
  return p;
}

template <Value T>
Vectors<T> make_x(const std::string& what, index_t length) {
  if (what == "ones")
    return {.values = Array<T>(static_cast<std::size_t>(length), T(1)), .rows = length};
  const auto seed = seed_of(what);
  if (!seed) return vectors_of_length<T>(what, length, "x");
  Array<T> x(static_cast<std::size_t>(length));
  lab::fill_random<T>({x.data(), x.size()}, *seed);
  return {.values = std::move(x), .rows = length};
}

// As many vectors as x has; they lie as those of x do, or as the file has them.
template <Value T>
Vectors<T> make_y(const Options& o, index_t length, const Vectors<T>& x) {
  if (o.beta == 0) {
    if (!o.y.empty()) status("note: {} is not read, because beta is 0", o.y);
    const auto n = static_cast<std::size_t>(length) * static_cast<std::size_t>(x.columns);
    return {Array<T>(n, T(0)), length, x.columns, x.layout};
  }
  require_y(o);
  Vectors<T> y = vectors_of_length<T>(o.y, length, "y");
  if (y.columns != x.columns)
    throw BadInput(fmt::format("{}: has {}, x has {}", o.y,
                               lab::plural(y.columns, "vector", "vectors"),
                               lab::count_text(x.columns)));
  return y;
}

template <Value T>
std::string preview(std::span<const T> y) {
  const auto head = y.first(std::min(y.size(), shown_elements));
  return fmt::format("{}{}", fmt::join(head, "  "), y.size() > shown_elements ? "  ..." : "");
}

// inf and nan are what they are in every type, but a finite factor must stay one.
template <Value T>
T factor(double value, std::string_view option) {
  if (std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<T>::max()))
    throw InvalidArgument(fmt::format("{}: {} is beyond the numbers of --type f32", option, value));
  return static_cast<T>(value);
}

template <Value T>
int run(const Session& session, const Options& o) {
  const T alpha = factor<T>(o.alpha, "--alpha"), beta = factor<T>(o.beta, "--beta");
  PlanOptions options = plan_options(o, session.device);
  require_files(session, o);
  lab::Source source = session.load(o.matrix);
  Json about = describe(source);
  const std::string shape = shape_text(source.matrix.view());
  index_t in = source.matrix.cols, out = source.matrix.rows;
  if (o.transpose) std::swap(in, out);
  const Vectors<T> x = make_x<T>(o.x, in);
  Vectors<T> y = make_y<T>(o, out, x);
  require_place_for_several(o.output, y.columns);
  options.vectors = std::max<index_t>(x.columns, 1);
  options.layout = x.layout;

  const Plan<T> p = [&] {
    if constexpr (std::same_as<T, double>)
      return plan(std::move(source.matrix), options);
    else
      return plan(csr_cast<T, std::int64_t>(source.matrix.view()), options);
  }();
  const double seconds = timed([&] { p.multiply(alpha, x.view(), beta, y.view(), o.op); });
  const std::span<const T> result(y.values.data(), y.values.size());

  RunReport done(p, seconds);
  done.about = std::move(about);
  done.matrix = fmt::format("{} ({})", lab::label(source), shape);
  const Facts facts = p.product().facts();
  done.kernel_keys["facts"] = facts;
  if (const std::string blocks = lab::blocks_text(facts); !blocks.empty())
    done.of_kernel.emplace_back("", blocks);
  const std::string rounding = p.explain().rounding.text();
  if (!rounding.empty()) {
    done.of_kernel.emplace_back("values", rounding);
    done.kernel_keys["rounding"] = record(p.explain().rounding);
  }
  done.op_text = o.transpose ? "A^T" : "A";
  if (y.columns > 1) {
    done.of_product.emplace_back("vectors", fmt::format("{}, X by {}, Y by {}", y.columns,
                                                        lab::name(x.layout), lab::name(y.layout)));
    done.product_keys["vectors"] = y.columns;
    done.of_output = fmt::format(" of {} vectors", y.columns);
  }
  done.of_emulator = ", which is for truth and not for speed";
  done.of_time = ", with x and y copied there and back";
  done.length = out;
  done.norm = lab::norm(result);
  done.head = preview(result);
  for (const T v : result.first(std::min(result.size(), shown_elements))) done.heads.push_back(v);
  tell(session, o, done, [&] { write_vectors(o.output, y); });
  return ok;
}

}  // namespace

void add_run(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("run", "Multiply: y = alpha A x + beta y, from files to a file")
      .needs("MATRIX", o->matrix, "A file, gen:SPEC or like:NAME")
      .option("--x", "X", o->x,
              "The vector x: a file (.mtx array or .npy), - for stdin, ones (default) or\n"
              "random:SEED. A .npy file of two dimensions has several vectors, one a column")
      .option("--y", "FILE", o->y, "The vector y to add, when beta is not 0")
      .scalar("--alpha", "A", o->alpha, "The factor of A x (default 1)")
      .scalar("--beta", "B", o->beta, "The factor of y (default 0)")
      .flag("--transpose", o->transpose, "Multiply by the transpose of A")
      .flag("--conjugate", o->conjugate, "Of a complex A, multiply by its conjugate")
      .choice("--type", "T", o->type, {"f32", "f64", "c64", "c128"},
              "Compute in f32 or f64 (default), complex numbers in c64 or\n"
              "c128, which is also what f32 and f64 mean for a complex A")
      .choice("--store-values-as", "TYPE", o->store_values_as, {"exact", "f32", "f16", "bf16"},
              "Round the values: to f32 where --type is f64, to f16 or bf16 where it is f32")
      .option("--kernel", "ID", o->kernel, "A kernel of 'nonzero list' (default: the plan chooses)")
      .option("--param", "NAME=VALUE", o->parameters, "A parameter of the kernel; may be repeated")
      .option("-o,--output", "FILE", o->output,
              "Write y to FILE (.mtx or .npy; several as .npy, in\n"
              "the order that X has), or to stdout (-), as .mtx")
      .device()
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero run cant.mtx --x ones -o y.mtx\n"
          "  nonzero run cant.mtx --x x.npy --y y.npy --beta 1 --transpose -o z.npy\n"
          "  nonzero run gen:grid --kernel cpu/csr/serial --x random:7 --type f32\n"
          "  nonzero run gen:grid:nx=20,ny=20 --device emu")
      .runs([&session, o] {
        o->op = o->wanted_op();
        session.stdout_has_data = is_stdout(o->output);
        const PlanOptions options = plan_options(*o, session.device);  // says what is wrong first
        // With complex numbers where the file has them, or where they are asked for.
        if (o->is_complex_type() || is_complex_matrix(o->matrix, session))
          return run_complex(session, *o, o->type == "c64" || o->type == "f32", options);
        return o->type == "f32" ? run<float>(session, *o) : run<double>(session, *o);
      });
}

}  // namespace nz::cli
