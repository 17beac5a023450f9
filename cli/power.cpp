#include "cli/power.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "cli/vector_file.hpp"

namespace nz::cli {

void require_square(const lab::Source& source, const char* what) {
  const auto& a = source.matrix;
  if (a.rows != a.cols || a.rows == 0)
    throw InvalidArgument(
        fmt::format("{}: the matrix of {} is square and has rows, this one is {} x {}",
                    lab::label(source), what, a.rows, a.cols));
}

Array<double> first_distribution(const IterationOptions& o, index_t length) {
  if (o.x0.empty()) return Array<double>(static_cast<std::size_t>(length), 0.0);
  Array<double> x = vector_of_length<double>(o.x0, length, "x0");
  double sum = 0;
  for (const double v : x) sum += v >= 0 ? v : NAN;
  if (!(sum > 0) || !std::isfinite(sum))
    throw BadInput(fmt::format("{}: --x0 needs numbers of at least 0, not all of them 0", o.x0));
  for (double& v : x) v /= sum;
  return x;
}

void set_power_options(solve::PowerOptions& options, const IterationOptions& o, int limit) {
  options.tolerance = o.tolerance;
  options.max_iterations = o.max_iterations < 0 ? limit : o.max_iterations;
  options.check_every = o.check_every;
  options.transposed = true;
  options.from_x = !o.x0.empty();
}

}  // namespace nz::cli
