#include "c/options.hpp"

#include <charconv>
#include <limits>
#include <string_view>

#include <nonzero/preconditioners.hpp>

#include "c/handles.hpp"

namespace nz::c {
namespace {

const nz_plan_options plan_initial{.size = sizeof(nz_plan_options),
                                   .device = nullptr,
                                   .kernel = nullptr,
                                   .parameters = nullptr,
                                   .cache_directory = nullptr,
                                   .memory_limit = 0,
                                   .op = NZ_NONE,
                                   .effort = NZ_BALANCED,
                                   .threads = 0,
                                   .deterministic = 0,
                                   .store_transpose = -1,
                                   .trusted = 0,
                                   .use_cache = 1,
                                   .reserved = 0,
                                   .vectors = 1,
                                   .store_values_as = NZ_VALUES_EXACT,
                                   .layout = NZ_ROW_MAJOR};

nz_solve_options solve_initial() {
  const solve::Options<double> o;
  return {.size = sizeof(nz_solve_options),
          .tolerance = o.tolerance,
          .max_iterations = o.max_iterations,
          .check_every = o.check_every,
          .restart = o.restart,
          .check_symmetry = o.check_symmetry,
          .preconditioner = nullptr,
          .callback = nullptr,
          .callback_data = nullptr,
          .history = nullptr,
          .history_room = 0,
          .stream = nullptr};
}

nz_eigen_options eigen_initial() {
  const solve::EigenOptions<double> o;
  return {.size = sizeof(nz_eigen_options),
          .tolerance = o.tolerance,
          .max_iterations = o.max_iterations,
          .largest = o.largest,
          .guard = o.guard,
          .from_x = o.from_x,
          .check_symmetry = o.check_symmetry,
          .reserved = 0,
          .preconditioner = nullptr,
          .callback = nullptr,
          .callback_data = nullptr,
          .residuals = nullptr,
          .history = nullptr,
          .history_room = 0,
          .stream = nullptr};
}

nz_walk_options walk_initial() {
  const solve::PageRankOptions<double> p;
  const solve::StationaryOptions s;
  return {.size = sizeof(nz_walk_options),
          .tolerance = p.tolerance,
          .damping = p.damping,
          .laziness = s.laziness,
          .personalisation = nullptr,
          .max_iterations = p.max_iterations,
          .check_every = p.check_every,
          .transposed = p.transposed,
          .from_x = p.from_x,
          .callback = nullptr,
          .callback_data = nullptr,
          .history = nullptr,
          .history_room = 0,
          .stream = nullptr};
}

nz_preconditioner_options preconditioner_initial() {
  const solve::FsaiOptions f;
  const solve::ChebyshevOptions c;
  return {.size = sizeof(nz_preconditioner_options),
          .device = nullptr,
          .plan = nullptr,
          .drop = f.drop,
          .lower = c.lower,
          .upper = c.upper,
          .block = 1,
          .power = f.power,
          .row_limit = f.row_limit,
          .degree = c.degree};
}

[[noreturn]] void throw_number(const char* what, std::int64_t number) {
  throw InvalidArgument(std::string("no ") + what + " has the number " + std::to_string(number));
}

Use use_of(nz_op op) {
  if (op == NZ_BOTH) return both_ops;
  return op_of(op);
}

Effort effort_of(nz_effort effort) {
  switch (effort) {
    case NZ_INSTANT:
      return Effort::instant;
    case NZ_BALANCED:
      return Effort::balanced;
    case NZ_THOROUGH:
      return Effort::thorough;
    default:
      throw_number("effort", effort);
  }
}

StoredValues stored_values_of(nz_values values) {
  switch (values) {
    case NZ_VALUES_EXACT:
      return StoredValues::exact;
    case NZ_VALUES_F32:
      return StoredValues::f32;
    case NZ_VALUES_F16:
      return StoredValues::f16;
    case NZ_VALUES_BF16:
      return StoredValues::bf16;
    default:
      throw_number("type of stored values", values);
  }
}

// "name=value,name=value".
Parameters parameters_of(std::string_view text) {
  Parameters all;
  for (std::size_t begin = 0, end = 0; !text.empty() && end != text.npos; begin = end + 1) {
    end = text.find(',', begin);
    const std::string_view one = text.substr(begin, end - begin);
    const auto equals = one.find('=');
    const std::string_view digits = equals == one.npos ? "" : one.substr(equals + 1);
    std::int64_t value = 0;
    const char* behind = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), behind, value);
    if (equals == 0 || error != std::errc() || rest != behind)
      throw InvalidArgument("parameters are name=value,name=value, not '" + std::string(one) + "'");
    if (!all.emplace(one.substr(0, equals), value).second)
      throw InvalidArgument("the parameter '" + std::string(one.substr(0, equals)) +
                            "' is given twice");
  }
  return all;
}

void check_history(const double* history, std::int64_t room) {
  if (room < 0) throw InvalidArgument("history_room is " + std::to_string(room) + ", below 0");
  array(history, static_cast<std::size_t>(room), "history");
}

}  // namespace

Op op_of(nz_op op) {
  if (op == NZ_NONE) return Op::none;
  if (op == NZ_TRANSPOSE) return Op::transpose;
  if (op == NZ_CONJUGATE_TRANSPOSE) return Op::conjugate_transpose;
  if (op == NZ_CONJUGATE) return Op::conjugate;
  if (op == NZ_BOTH) throw InvalidArgument("NZ_BOTH is for the options of a plan alone");
  throw_number("op", op);
}

Layout layout_of(nz_layout layout) {
  if (layout == NZ_ROW_MAJOR) return Layout::row_major;
  if (layout == NZ_COLUMN_MAJOR) return Layout::column_major;
  throw_number("layout", layout);
}

PlanOptions plan_options(const nz_plan_options* options) {
  const nz_plan_options o = completed(options, first_plan_options, plan_initial, "nz_plan_options");
  PlanOptions to;
  if (o.kernel) to.kernel = o.kernel;
  if (o.parameters) to.parameters = parameters_of(o.parameters);
  if (o.threads != 0) to.threads = o.threads;
  if (o.device) to.device = device_named(o.device);
  to.op = use_of(o.op);
  if (o.vectors < 1 || o.vectors > std::numeric_limits<int>::max())
    throw InvalidArgument("vectors is " + std::to_string(o.vectors));
  to.vectors = static_cast<int>(o.vectors);
  to.layout = layout_of(o.layout);
  to.effort = effort_of(o.effort);
  if (o.memory_limit < 0)
    throw InvalidArgument("memory_limit is " + std::to_string(o.memory_limit) + ", below 0");
  to.memory_limit = static_cast<std::size_t>(o.memory_limit);
  to.deterministic = o.deterministic != 0;
  if (o.store_transpose >= 0) to.store_transpose = o.store_transpose != 0;
  to.cache.use = o.use_cache != 0;
  if (o.cache_directory) to.cache.directory = o.cache_directory;
  to.input = o.trusted != 0 ? Input::trusted : Input::checked;
  to.store_values_as = stored_values_of(o.store_values_as);
  return to;
}

nz_solve_options solve_options(const nz_solve_options* options) {
  const nz_solve_options o =
      completed(options, first_solve_options, solve_initial(), "nz_solve_options");
  check_history(o.history, o.history_room);
  return o;
}

nz_eigen_options eigen_options(const nz_eigen_options* options) {
  const nz_eigen_options o =
      completed(options, first_eigen_options, eigen_initial(), "nz_eigen_options");
  check_history(o.history, o.history_room);
  return o;
}

nz_walk_options walk_options(const nz_walk_options* options) {
  const nz_walk_options o =
      completed(options, first_walk_options, walk_initial(), "nz_walk_options");
  check_history(o.history, o.history_room);
  return o;
}

nz_preconditioner_options preconditioner_options(const nz_preconditioner_options* options) {
  return completed(options, first_preconditioner_options, preconditioner_initial(),
                   "nz_preconditioner_options");
}

}  // namespace nz::c

using namespace nz::c;

nz_status nz_plan_options_init(nz_plan_options* options, size_t size) {
  return initialise(options, size, first_plan_options, plan_initial, "nz_plan_options");
}

nz_status nz_solve_options_init(nz_solve_options* options, size_t size) {
  return initialise(options, size, first_solve_options, solve_initial(), "nz_solve_options");
}

nz_status nz_eigen_options_init(nz_eigen_options* options, size_t size) {
  return initialise(options, size, first_eigen_options, eigen_initial(), "nz_eigen_options");
}

nz_status nz_walk_options_init(nz_walk_options* options, size_t size) {
  return initialise(options, size, first_walk_options, walk_initial(), "nz_walk_options");
}

nz_status nz_preconditioner_options_init(nz_preconditioner_options* options, size_t size) {
  return initialise(options, size, first_preconditioner_options, preconditioner_initial(),
                    "nz_preconditioner_options");
}

nz_status nz_solve_result_init(nz_solve_result* result, size_t size) {
  return initialise(result, size, first_solve_result, nz_solve_result{}, "nz_solve_result");
}
