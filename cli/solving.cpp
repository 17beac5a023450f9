#include "cli/solving.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "cli/attempts.hpp"
#include "cli/counting.hpp"
#include "cli/lists.hpp"
#include "cli/parser.hpp"
#include "cli/stdout_data.hpp"
#include "cli/terminal.hpp"
#include "cli/vector_file.hpp"
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

// Whether x may go to a file: it is right, or was iterated and is not worth nothing.
bool worth_keeping(const solve::Result& r) {
  using enum solve::Stop;
  switch (r.reason) {
    case diverged:
    case not_a_number:
    case not_symmetric:
    case not_stochastic:
      return false;
    default:
      return r.ok() || r.iterations > 0;
  }
}

// After Ctrl-C: what there is, and how to go on with it.
void say_how_to_go_on(const IterationOptions& o, const solve::Result& r, bool written, bool kept) {
  const bool asked = !o.output.empty() || !o.checkpoint.empty();
  const std::string file = written && !is_stdout(o.output) ? o.output : kept ? o.checkpoint : "";
  complain("interrupted after {} at {:.3g}; {}",
           lab::plural(r.iterations, "iteration", "iterations"), r.residual,
           !file.empty() ? fmt::format("--x0 {} goes on from there", file)
           : written     ? "x went to stdout"
           : asked       ? "x is not kept"
                         : "x is not kept: that needs -o FILE or --checkpoint FILE");
}

// What came of it, for people.
std::string outcome(const Session& session, const Told& told, const solve::Result& r) {
  std::string text = fmt::format("{:<9} {}\n", "result", counted_from_one(r.message));
  if (!told.advice.empty()) text += fmt::format("{:<9} {}\n", "try", told.advice);
  if (r.iterations > 0 && session.where().kind != Device::Kind::emulator)
    text += fmt::format("{:<9} {}, {} an iteration\n", "time", lab::seconds_text(r.seconds),
                        lab::seconds_text(r.seconds / r.iterations));
  return text;
}

}  // namespace

Command& add_iteration_options(Command& c, IterationOptions& o, const char* tolerance,
                               const char* limit, const char* output) {
  c.option("--tolerance", "E", o.tolerance, tolerance)
      .number("--max-iterations", "N", o.max_iterations, 0, 100'000'000, limit)
      .number("--check-every", "N", o.check_every, 1, 1'000'000,
              "Look at the residual every N iterations (default 1 on the CPU, 25 on a GPU)")
      .option("--x0,--start", "FILE", o.x0, "The x to begin with (.mtx array or .npy)")
      .option("--history", "FILE", o.history,
              "Write the residual of every iteration to FILE (CSV; - is stdout)")
      .option("--plot", "FILE", o.plot, "Draw it to FILE (.svg, .pdf or .png)");
  o.drawn.add_to(c);
  return c.option("-o,--output", "FILE", o.output, output)
      .option("--checkpoint", "FILE", o.checkpoint,
              "Write x to FILE (.mtx or .npy) now and then; --x0 goes on from it")
      .option("--every", "TIME", o.every,
              "How often: 60s (default), 5m, 1h; at the end and at Ctrl-C anyhow");
}

std::chrono::duration<double> parse_duration(const std::string& text, std::string_view option) {
  double unit = 1;
  std::string_view number = text;
  if (!number.empty() && (number.back() == 's' || number.back() == 'm' || number.back() == 'h')) {
    unit = number.back() == 's' ? 1 : number.back() == 'm' ? 60 : 3600;
    number.remove_suffix(1);
  }
  double seconds = 0;
  try {
    seconds = unit * parse_real(number, option);
  } catch (const InvalidArgument&) {  // is told of the whole text
  }
  constexpr double most = 1e8;  // three years: what clocks count in has room for it
  if (!(seconds > 0 && seconds <= most))
    throw InvalidArgument(
        fmt::format("{}: '{}' is no time to wait; write 30s, 5m or 1h", option, text));
  return std::chrono::duration<double>(seconds);
}

bool writes_files(const IterationOptions& o) {
  return !(o.output.empty() && o.checkpoint.empty() && o.history.empty() && o.plot.empty());
}

bool puts_data_on_stdout(const IterationOptions& o) {
  return is_stdout(o.output) || is_stdout(o.history);
}

void check_options(const Session& session, const IterationOptions& o,
                   std::initializer_list<NamedFile> inputs) {
  if (!(o.tolerance >= 0))
    throw InvalidArgument(fmt::format("--tolerance: {} is below 0", o.tolerance));
  parse_duration(o.every, "--every");
  if (!o.plot.empty()) lab::check_plot_name(o.plot);
  (void)o.drawn.made();  // says what is wrong with it
  require_apart({{"-o", o.output},
                 {"--checkpoint", o.checkpoint},
                 {"--history", o.history},
                 {"--plot", o.plot},
                 {"--json", session.json}},
                {inputs.begin(), inputs.size()});
  const NamedFile x0[]{{"--x0", o.x0}};
  require_apart({{"--history", o.history}, {"--plot", o.plot}, {"--json", session.json}}, x0);
  std::vector<NamedFile> read(inputs);
  read.emplace_back("--x0", o.x0);
  require_one_stdin(read);
  require_vector_output(o.output);
  if (is_stdout(o.checkpoint))
    throw InvalidArgument("--checkpoint -: give a file, which is written again and again");
  require_vector_output(o.checkpoint);
  require_output(o.history);
  require_output(o.plot);
}

template <Value T>
Watched<T>::Watched(std::string title, const IterationOptions& o, Device device, Array<T>& x)
    : title_(std::move(title)),
      checkpoint_(o.checkpoint),
      near_(x),
      on_(is_terminal(STDERR_FILENO) && talk() == Talk::usual),
      next_line_(Clock::now()),
      every_(std::chrono::duration_cast<Clock::duration>(parse_duration(o.every, "--every"))) {
  require_vector_room(o.output, x.size(), sizeof(T));
  require_vector_room(o.checkpoint, x.size(), sizeof(T));
  next_keep_ = Clock::now() + every_;
  if (device != cpu_device)
    far_ = DeviceArray<T>(device, std::span<const T>(near_.data(), near_.size()));
}

template <Value T>
Watched<T>::~Watched() {
  if (drawn_) put(erase);
}

template <Value T>
std::span<T> Watched<T>::x() {
  return far_.size() > 0 ? far_.span() : std::span<T>(near_.data(), near_.size());
}

template <Value T>
void Watched<T>::keep() {
  if (far_.size() > 0) far_.download({near_.data(), near_.size()});
  // Hours of work do not end because a disk is full.
  try {
    write_vector<T>(checkpoint_, std::span<const T>(near_.data(), near_.size()));
    kept_ = true;
  } catch (const Error& e) {
    kept_ = false;
    if (drawn_) put(erase);
    complain("note: no checkpoint this time: {}", e.what());
  }
}

template <Value T>
solve::Callback Watched<T>::callback() {
  return [this](int iteration, double residual) {
    if (Interruptible::noted() != 0) return false;
    const auto now = Clock::now();
    if (!checkpoint_.empty() && now >= next_keep_ && iteration > 0 && std::isfinite(residual)) {
      keep();
      next_keep_ = Clock::now() + every_;
    }
    if (!on_ || now < next_line_) return true;
    next_line_ = now + 100ms;
    drawn_ = true;
    put(fmt::format("{}{} iteration {}, residual {:.3e}", erase, title_, iteration, residual));
    return true;
  };
}

template <Value T>
Iterated Watched<T>::finish(solve::Result r) {
  if (drawn_) put(erase);
  drawn_ = false;
  if (far_.size() > 0) far_.download({near_.data(), near_.size()});
  if (!checkpoint_.empty() && worth_keeping(r)) keep();
  return {std::move(r), kept_};
}

template <Value T>
int conclude(const Session& session, const IterationOptions& o, const Told& told,
             const Iterated& done, std::span<const T> x, nlohmann::ordered_json& record) {
  const solve::Result& r = done.result;
  Attempts files;
  bool written = false;
  if (!o.output.empty() && worth_keeping(r)) {
    written = files.attempt([&] {
      if (told.columns == 1) return put_vector<T>(o.output, x);
      Vectors<T> all{.values = Array<T>(x.size()),
                     .rows = static_cast<index_t>(x.size()) / told.columns,
                     .columns = told.columns};
      std::copy(x.begin(), x.end(), all.values.begin());
      write_vectors(o.output, all);
    });
    if (written)
      status("wrote {}: {}", place_text(o.output),
             lab::plural(static_cast<std::int64_t>(x.size()), "element", "elements"));
  } else if (!o.output.empty()) {
    complain("x is not written: {}", solve::name(r.reason));
  }
  if (!o.history.empty()) files.attempt([&] { put_text(o.history, lab::history_text(r.history)); });
  if (!o.plot.empty())
    files.attempt([&] {
      const FigureOptions::Made drawn = o.drawn.made();
      lab::write_plot(o.plot,
                      {.title = told.title,
                       .about = counted_from_one(r.message),
                       .tolerance = o.tolerance,
                       .history = r.history},
                      drawn.style, drawn.files);
    });
  record["reason"] = solve::name(r.reason);
  record["converged"] = r.ok();
  record["iterations"] = r.iterations;
  record["residual"] = r.residual;
  record["seconds"] = r.seconds;
  record["message"] = r.message;
  record["advice"] = told.advice;
  record["history"] = r.history;
  const bool stopped = r.reason == solve::Stop::stopped;
  if (stopped) say_how_to_go_on(o, r, written, done.kept);
  files.attempt([&] { session.write(record); });
  files.attempt([&] { session.print(told.lines + outcome(session, told, r)); });
  files.finish();
  if (stopped) return 128 + Interruptible::noted();
  return r.ok() ? ok : check_failed;
}

#define NZ_INSTANTIATE(T)                                                                      \
  template class Watched<T>;                                                                   \
  template int conclude(const Session&, const IterationOptions&, const Told&, const Iterated&, \
                        std::span<const T>, nlohmann::ordered_json&);
NZ_INSTANTIATE(float)
NZ_INSTANTIATE(double)

}  // namespace nz::cli
