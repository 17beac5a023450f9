#include <csignal>
#include <exception>
#include <new>
#include <string>

#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/plan_rows.hpp"
#include "lab/peers/peers.hpp"

namespace nz::cli {
namespace {

constexpr const char* where_to_start =
    R"(Matrices are files (.mtx, .mtx.gz, .mtx.zst, .nzb) or are generated where they are named:
gen:FAMILY:key=value,... or like:NAME (see 'nonzero gen --list').

Examples:
  nonzero demo
  nonzero info like:ecology1
  nonzero gen grid nx=300 ny=300 -o grid.mtx
  nonzero check grid.mtx

Exit codes: 0 ok, 1 a check failed, 2 usage, 3 bad input, 4 no device or memory.)";

int run(int argc, char** argv) {
  Session session;
  if (argc > 0) session.program = argv[0];
  lab::add_peers();
  lab::add_plans();
  Parser parser(session, "Sparse matrix-vector products: y = alpha op(A) x + beta y.",
                where_to_start, "nonzero " NZ_VERSION);
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
  add_gen(parser, session);
  add_convert(parser, session);
  add_reproduce(parser, session);
  if (const auto code = parser.parse(argc, argv)) return *code;
  if (session.threads > 0) set_threads(session.threads);
  return session.action();
}

int fail(Exit code, const std::string& what) {
  status("nonzero: error: {}", what);
  return code;
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const BrokenPipe&) {
    return ok;
  } catch (const InvalidArgument& e) {
    return fail(usage, e.what());
  } catch (const NoResource& e) {
    return fail(no_resource, e.what());
  } catch (const std::bad_alloc&) {
    return fail(no_resource, "not enough memory");
  } catch (const std::exception& e) {
    return fail(bad_input, e.what());
  }
}

}  // namespace
}  // namespace nz::cli

int main(int argc, char** argv) {
  // A reader that goes away is seen by write(), which can then end quietly.
  std::signal(SIGPIPE, SIG_IGN);
  nz::cli::tidy_when_interrupted();
  return nz::cli::run_and_report(argc, argv);
}
