#pragma once
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_table.hpp"

namespace CLI {
class App;
}

// The few things that subcommands ask of the command-line parser, so that one file alone pays for
// compiling it.
namespace nz::cli {

class Session;

// A subcommand under construction. The values it is given must live as long as its action: keep
// them in what the action captures.
class Command {
 public:
  Command(CLI::App* app, Session* session) : app_(app), session_(session) {}

  // Arguments by position.
  Command& needs(const char* name, std::string& value, const char* help);
  Command& needs(const char* name, std::vector<std::string>& values, const char* help);
  Command& takes(const char* name, std::string& value, const char* help);
  Command& takes(const char* name, std::vector<std::string>& values, const char* help);

  // The same where these alone are taken.
  Command& one_of(const char* name, std::string& value, std::initializer_list<const char*> allowed,
                  const char* help);

  // Arguments by flag; `shown` stands for the value on the help page.
  Command& option(const char* flags, const char* shown, std::string& value, const char* help);
  Command& option(const char* flags, const char* shown, double& value, const char* help);
  // The same where inf and nan make sense.
  Command& scalar(const char* flags, const char* shown, double& value, const char* help);
  Command& option(const char* flags, const char* shown, std::vector<std::string>& values,
                  const char* help);
  Command& number(const char* flags, const char* shown, int& value, int min, int max,
                  const char* help);
  Command& choice(const char* flags, const char* shown, std::string& value,
                  std::initializer_list<const char*> allowed, const char* help);
  Command& flag(const char* flags, bool& value, const char* help);

  // The options of the session: --json where there are results, --memory-limit and --allow-nan
  // where matrices are read, --threads and --device where there is work. The file of --json is
  // looked at before the work, unless `checked_first` is false.
  Command& json(bool checked_first = true);
  Command& memory_limit();
  Command& threads();
  Command& device();

  // Below the options on the help page: remarks and examples.
  Command& notes(const char* text);

  // What it does; returns the exit code.
  void runs(std::function<int()> action);

 private:
  CLI::App* app_;
  Session* session_;
  bool checks_json_ = false;
};

class Parser {
 public:
  Parser(Session& session, const char* summary, const char* notes,
         std::function<std::string()> version);
  ~Parser();
  Command add(const char* name, const char* summary);

  // Sets the session's action and returns nothing; `help`, `help COMMAND` and `version` are --help
  // and --version; or, when there is none (--help, --version, a
  // wrong command line), has said what there was to say and returns the exit code.
  std::optional<int> parse(int argc, char** argv);

  // All of it as data.
  ProgramText table() const;

 private:
  std::unique_ptr<CLI::App> app_;
  Session& session_;
};

}  // namespace nz::cli
