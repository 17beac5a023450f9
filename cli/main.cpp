#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include <unistd.h>

#include <nonzero/io.hpp>
#include <nonzero/threads.hpp>
#include <nonzero/version.hpp>

#include "base/isa.hpp"
#include "cli/commands.hpp"
#include "cli/counting.hpp"
#include "cli/failure.hpp"
#include "cli/interrupts.hpp"
#include "cli/library_words.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/version_text.hpp"
#include "lab/bench/plan_rows.hpp"
#include "lab/peers/peers.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

constexpr const char* where_to_start =
    R"(Matrices are files (.mtx, .mtx.gz, .mtx.zst, .nzb; SciPy's .npz, MATLAB's .mat,
.rb, .tar.gz; graphs as edge lists, edges:FILE or .txt, and as METIS has them,
metis:FILE or .graph), - for stdin, or are generated where they are named:
gen:FAMILY:key=value,... or like:NAME (see 'nonzero gen --list').

Examples:
  nonzero demo
  nonzero info like:ecology1
  nonzero gen grid nx=300 ny=300 -o grid.mtx
  nonzero check grid.mtx

)";

int run(int argc, char** argv) {
  Session session;
  if (argc > 0) session.program = argv[0];
  lab::add_peers();
  lab::add_plans();
  std::string notes(where_to_start);
  notes += exit_codes;
  Parser parser(session, "Sparse matrix-vector products: y = alpha op(A) x + beta y.",
                notes.c_str(), version_text);
  add_demo(parser, session);
  add_info(parser, session);
  add_spy(parser, session);
  add_list(parser, session);
  add_plan(parser, session);
  add_run(parser, session);
  add_solve(parser, session);
  add_pagerank(parser, session);
  add_stationary(parser, session);
  add_check(parser, session);
  add_bench(parser, session);
  add_bench_solve(parser, session);
  add_sweep(parser, session);
  add_compare(parser, session);
  add_report(parser, session);
  add_devices(parser, session);
  add_doctor(parser, session);
  add_tune(parser, session);
  add_gen(parser, session);
  add_convert(parser, session);
  add_reproduce(parser, session);
  add_completion(parser, session);
  add_man(parser, session);
  if (const auto code = parser.parse(argc, argv)) return *code;
  if (session.threads > 0) set_threads(session.threads);
  detail("nonzero {}: {}, {} instructions{}", version(),
         lab::plural(threads(), "thread", "threads"), name(isa()),
         session.device.empty() ? "" : ", " + session.device);
  const auto start = std::chrono::steady_clock::now();
  const int code = session.action();
  detail("took {}",
         lab::seconds_text(
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
  return code;
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const BrokenPipe&) {
    return ok;
  } catch (...) {
    const Failure f = failure_of(std::current_exception());
    complain("nonzero: error: {}", in_options(counted_from_one(f.message)));
    return f.code;
  }
}

// An exception that nobody can catch, because a destructor threw it, is told like any other:
// documents of the JSON library allocate when they end.
void tell_what_nobody_catches() {
  std::set_terminate([] {
    remove_unfinished_files();
    const std::exception_ptr error = std::current_exception();
    if (!error) std::abort();
    Exit code = no_resource;
    try {
      const Failure f = failure_of(error);
      code = f.code;
      complain("nonzero: error: {}", f.message);
    } catch (...) {  // not even the message has room
      constexpr std::string_view said = "nonzero: error: not enough memory\n";
      (void)!::write(STDERR_FILENO, said.data(), said.size());
    }
    std::_Exit(code);
  });
}

}  // namespace
}  // namespace nz::cli

int main(int argc, char** argv) {
  // A reader that goes away is seen by write(), which can then end quietly.
  std::signal(SIGPIPE, SIG_IGN);
  nz::cli::tidy_when_interrupted();
  nz::cli::tell_what_nobody_catches();
  return nz::cli::run_and_report(argc, argv);
}
