#pragma once
#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/array.hpp>
#include <nonzero/device.hpp>
#include <nonzero/solve.hpp>

#include "cli/figure_options.hpp"
#include "cli/interrupts.hpp"
#include "cli/outputs.hpp"
#include "cli/session.hpp"

// What solve, pagerank and stationary share.
namespace nz::cli {

class Command;

struct IterationOptions {
  double tolerance = 0;
  int max_iterations = -1;  // below 0: nobody said
  int check_every = 0;
  std::string x0, history, plot, output, checkpoint;
  std::string every = "60s";
  FigureOptions drawn{};
};
// --tolerance, --max-iterations, --check-every, --x0, --history, --plot and how it is drawn, -o,
// --checkpoint, --every.
// `limit` says what holds where nobody says how many iterations.
Command& add_iteration_options(Command& c, IterationOptions& o, const char* tolerance,
                               const char* limit, const char* output);

// Whether any option names a file that is written at the end.
bool writes_files(const IterationOptions& o);

// Whether x or the history goes to stdout.
bool puts_data_on_stdout(const IterationOptions& o);

// Throws for settings that mean nothing, names that cannot be written, and outputs that name one of
// the inputs, before any work. Of what is read only --x0 may be written again, by -o and
// --checkpoint.
void check_options(const Session& session, const IterationOptions& o,
                   std::initializer_list<NamedFile> inputs);

// "60s", "5m", "1.5h" or a number of seconds.
std::chrono::duration<double> parse_duration(const std::string& text, std::string_view option);

// What an iteration ended with.
struct Iterated {
  solve::Result result;
  bool kept = false;  // the checkpoint was written, the last time that was tried
};

// An iteration while it runs: a line on stderr with the residual at hand, on a terminal only and
// gone without a trace; checkpoints; and a signal to end, or the first of them, only stops the
// iteration.
template <Value T>
class Watched {
 public:
  // x is begun with and gets the result. Throws when the disk has no room for it.
  Watched(std::string title, const IterationOptions& o, Device device, Array<T>& x);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  // For the solver: x where the plan's device has it, and what to call.
  std::span<T> x();
  solve::Callback callback();
  // The solver is done: the line is gone, x is in host memory, the checkpoint is up to date, unless
  // nothing was iterated or x is worth nothing: an older one stays then.
  Iterated finish(solve::Result r);

 private:
  using Clock = std::chrono::steady_clock;
  void keep();

  bool kept_ = false;
  const Interruptible interruptible_;
  std::string title_, checkpoint_;
  Array<T>& near_;
  DeviceArray<T> far_;  // empty on the CPU
  bool on_, drawn_ = false;
  Clock::time_point next_line_, next_keep_;
  Clock::duration every_;
};

// What a command has to tell of an iteration.
struct Told {
  std::string title;    // of the plot
  std::string lines;    // before the result
  std::string advice;   // what to try where it failed, or empty
  index_t columns = 1;  // of x, one behind the other
};

// Writes what was asked for, adds to the record, then says what came of it: a reader who leaves
// early costs nobody a file, nor does a file that cannot be written cost another. Returns the exit
// code, or throws the first failure in the end.
template <Value T>
int conclude(const Session& session, const IterationOptions& o, const Told& told,
             const Iterated& done, std::span<const T> x, nlohmann::ordered_json& record);

}  // namespace nz::cli
