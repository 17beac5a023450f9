#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"

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

void build(CLI::App& app, Session& session) {
  app.name("nonzero");
  app.description("Sparse matrix-vector products: y = alpha op(A) x + beta y.");
  app.footer(where_to_start);
  app.set_version_flag("--version", "nonzero " NZ_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(26);
  add_demo(app, session);
  add_info(app, session);
  add_spy(app, session);
  add_list(app, session);
  add_run(app, session);
  add_check(app, session);
  add_gen(app, session);
  add_convert(app, session);
}

int fail(Exit code, const std::string& what) {
  status("nonzero: error: {}", what);
  return code;
}

std::string help_of(const CLI::App& app) { return app.help(app.get_parent() ? "nonzero" : ""); }

// --help and --version come as exceptions too: they are answers, not errors.
int parse_failure(const CLI::App& app, const CLI::ParseError& e) {
  const CLI::App* at = &app;
  std::string name = "nonzero";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    name += ' ' + at->get_name();
  }
  if (dynamic_cast<const CLI::CallForHelp*>(&e)) {
    write_stdout(help_of(*at));
    return ok;
  }
  if (e.get_exit_code() == 0) {
    write_stdout(std::string(e.what()) + '\n');
    return ok;
  }
  const int code = fail(usage, e.what());
  if (at == &app && dynamic_cast<const CLI::RequiredError*>(&e))
    status("\n{}", help_of(app));
  else
    status("Try '{} --help'.", name);
  return code;
}

// CLI11 would only say that a subcommand is required.
void refuse_unknown_command(const CLI::App& app, std::string_view name) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (!name.starts_with('-') && std::find(known.begin(), known.end(), name) == known.end())
    throw InvalidArgument(
        fmt::format("no subcommand '{}'; there are {}", name, fmt::join(known, ", ")));
}

int run(int argc, char** argv) {
  CLI::App app;
  Session session;
  build(app, session);
  if (argc > 0) session.program = argv[0];
  if (argc > 1) refuse_unknown_command(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return parse_failure(app, e);
  }
  if (session.threads > 0) set_threads(session.threads);
  return session.action();
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
  return nz::cli::run_and_report(argc, argv);
}
