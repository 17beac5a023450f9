#include "cli/solving.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "lab/report/text.hpp"
#include "lab/solve/convergence.hpp"

namespace nz::cli {
namespace {

using namespace std::chrono_literals;
constexpr std::string_view erase = "\r\033[K";

void put(std::string_view text) {
  // A line that cannot be drawn is no reason to stop.
  [[maybe_unused]] const auto n = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

ResidualLine::ResidualLine(std::string title)
    : title_(std::move(title)), on_(is_terminal(STDERR_FILENO)), next_(Clock::now()) {}

ResidualLine::~ResidualLine() {
  if (drawn_) put(erase);
}

solve::Callback ResidualLine::callback() {
  if (!on_) return {};
  return [this](int iteration, double residual) {
    if (Clock::now() < next_) return true;
    next_ = Clock::now() + 100ms;
    drawn_ = true;
    put(fmt::format("{}{} iteration {}, residual {:.3e}", erase, title_, iteration, residual));
    return true;
  };
}

Command& add_iteration_options(Command& c, IterationOptions& o, const char* tolerance,
                               const char* output) {
  return c.option("--tolerance", "E", o.tolerance, tolerance)
      .number("--max-iterations", "N", o.max_iterations, 0, 100'000'000,
              "Give up after N iterations")
      .number("--check-every", "N", o.check_every, 1, 1'000'000,
              "Look at the residual every N iterations (default 1 on the CPU, 25 on a GPU)")
      .option("--history", "FILE", o.history, "Write the residual of every iteration to FILE (CSV)")
      .option("--plot", "FILE", o.plot, "Draw it to FILE (.svg or .png)")
      .option("-o,--output", "FILE", o.output, output);
}

void check_outputs(const IterationOptions& o) {
  if (!o.plot.empty()) lab::check_plot_name(o.plot);
}

template <Value T>
int conclude(const Session& session, const IterationOptions& o, const std::string& title,
             const solve::Result& r, std::span<const T> x, nlohmann::ordered_json& record) {
  session.say("{:<9} {}\n", "result", r.message);
  if (r.iterations > 0 && session.where().kind != Device::Kind::emulator)
    session.say("{:<9} {}, {} an iteration\n", "time", lab::seconds_text(r.seconds),
                lab::seconds_text(r.seconds / r.iterations));
  if (!o.output.empty() && r.reason != solve::Stop::not_symmetric &&
      r.reason != solve::Stop::not_stochastic) {
    write_vector<T>(o.output, x);
    status("wrote {}: {}", o.output,
           lab::plural(static_cast<std::int64_t>(x.size()), "element", "elements"));
  }
  if (!o.history.empty()) lab::write_history(o.history, r.history);
  if (!o.plot.empty())
    lab::write_plot(
        o.plot,
        {.title = title, .about = r.message, .tolerance = o.tolerance, .history = r.history});
  record["reason"] = solve::name(r.reason);
  record["converged"] = r.ok();
  record["iterations"] = r.iterations;
  record["residual"] = r.residual;
  record["seconds"] = r.seconds;
  record["message"] = r.message;
  record["history"] = r.history;
  session.write(record);
  return r.ok() ? ok : check_failed;
}

#define NZ_INSTANTIATE(T)                                                            \
  template int conclude(const Session&, const IterationOptions&, const std::string&, \
                        const solve::Result&, std::span<const T>, nlohmann::ordered_json& record);
NZ_INSTANTIATE(float)
NZ_INSTANTIATE(double)

}  // namespace nz::cli
