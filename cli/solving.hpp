#pragma once
#include <chrono>
#include <string>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/array.hpp>
#include <nonzero/solve.hpp>

#include "cli/session.hpp"

// What solve, pagerank and stationary share.
namespace nz::cli {

class Command;

// A line on stderr with the residual of the iteration at hand: on a terminal only, and gone without
// a trace when the object is.
class ResidualLine {
 public:
  explicit ResidualLine(std::string title);
  ~ResidualLine();
  ResidualLine(const ResidualLine&) = delete;
  ResidualLine& operator=(const ResidualLine&) = delete;
  solve::Callback callback();

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  bool on_, drawn_ = false;
  Clock::time_point next_;
};

struct IterationOptions {
  double tolerance = 0;
  int max_iterations = 1000;
  int check_every = 0;
  std::string history, plot, output;
};
// --tolerance, --max-iterations, --check-every, --history, --plot, -o.
Command& add_iteration_options(Command& c, IterationOptions& o, const char* tolerance,
                               const char* output);

// Throws for names that cannot be written, before any work.
void check_outputs(const IterationOptions& o);

// Says what came of it, writes what was asked for, adds to the record. Returns the exit code.
template <Value T>
int conclude(const Session& session, const IterationOptions& o, const std::string& title,
             const solve::Result& r, std::span<const T> x, nlohmann::ordered_json& record);

}  // namespace nz::cli
