#pragma once

namespace CLI {
class App;
}

namespace nz::cli {

class Session;

// Each adds one subcommand, in the file of its name; the session's action is set when it is chosen.
void add_info(CLI::App& app, Session& session);
void add_gen(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_spy(CLI::App& app, Session& session);
void add_list(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_demo(CLI::App& app, Session& session);

}  // namespace nz::cli
