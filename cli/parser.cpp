#include "cli/parser.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nonzero/error.hpp>

#include "base/nearest.hpp"
#include "cli/folding.hpp"
#include "cli/lists.hpp"
#include "cli/outputs.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/input.hpp"
#include "lab/bench/source.hpp"

namespace nz::cli {
namespace {

// `info --json a.mtx b.mtx` must not overwrite a.mtx, nor `info --json a.txt b.txt` a graph.
std::string refuse_matrix_name(const std::string& name) {
  constexpr const char* endings[] = {".mtx", ".gz",  ".zst", ".nzb", ".npy", ".png",
                                     ".npz", ".mat", ".tar", ".rb",  ".rua", ".rsa"};
  const auto ends = [&](const char* ending) { return name.ends_with(ending); };
  if (!lab::is_generated(name) && lab::Input(name).kind == lab::Input::Kind::matrix &&
      std::none_of(std::begin(endings), std::end(endings), ends))
    return "";
  return fmt::format("'{}' is no name for JSON; write --json - or --json FILE.json", name);
}

// The one of `known` that was mistyped, or begun; empty where it could be any.
std::string meant_by(std::string_view typed, const std::vector<std::string>& known) {
  for (const std::string& name : known)
    if (typed.size() >= 3 && name.starts_with(typed)) return name;
  const std::string all = nearest(typed, known);
  const std::string first = all.substr(0, all.find(','));
  // Letters that only one of them has: two for a slip, none where two are swapped.
  std::string a(typed), b(first), apart;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(apart));
  return apart.size() <= 2 ? first : "";
}

// CLI11 would only say that a subcommand is required.
void refuse_unknown_command(const CLI::App& app, std::string_view name) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (name.starts_with('-') || std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string meant = meant_by(name, known);
  throw InvalidArgument(fmt::format("no subcommand '{}'; {}there are {}", name,
                                    meant.empty() ? "" : fmt::format("did you mean {}? ", meant),
                                    fmt::join(known, ", ")));
}

// Whether the word is of options that there are: --long, --long=value or several letters as -abc.
bool has_options(const CLI::App& app, const std::string& word) {
  const auto has = [&](const std::string& name) {
    return app.get_option_no_throw(name) != nullptr;
  };
  if (word.starts_with("--")) return has(word.substr(0, word.find('=')));
  return std::all_of(word.begin() + 1, word.end(),
                     [&](char letter) { return has(std::string("-") + letter); });
}

// Before the subcommand; CLI11 would rather say that there is none.
void refuse_unknown_option(const CLI::App& app, const std::string& word) {
  if (word.size() < 2 || !word.starts_with('-') || has_options(app, word)) return;
  throw InvalidArgument(fmt::format("no option {}; 'nonzero --help' shows what there is", word));
}

// What was wrong; of what nobody expected, the first option, or else the first word, and the option
// that may have been meant.
std::string told(const CLI::App& app, const CLI::ParseError& e) {
  const bool lacks = dynamic_cast<const CLI::RequiredError*>(&e);  // or has what it cannot take
  if (!lacks && !dynamic_cast<const CLI::ExtrasError*>(&e)) {
    // "--output: 1 required TEXT missing": what CLI11 calls a value.
    const std::string what = e.what();
    const auto at = what.find(": 1 required ");
    return dynamic_cast<const CLI::ArgumentMismatch*>(&e) && at != what.npos
               ? fmt::format("{} needs a value", what.substr(0, at))
               : what;
  }
  std::vector<std::string> known;
  for (const CLI::Option* o : app.get_options())
    for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
  const std::vector<std::string> left = app.remaining();
  for (const std::string& word : left) {
    if (!word.starts_with('-')) continue;
    const std::string option = word.substr(0, word.find('='));
    const std::string meant = word.starts_with("--") ? meant_by(option, known) : "";
    const bool may_be_file = word.size() > 2 && !word.starts_with("--");
    return fmt::format("no option {}{}", option,
                       !meant.empty() ? fmt::format("; did you mean {}?", meant)
                       : may_be_file  ? fmt::format("; a file of that name is ./{}", word)
                                      : "");
  }
  if (lacks) return e.what();
  return left.empty() ? e.what()
                      : fmt::format("{} is more than {} takes", left.front(), app.get_name());
}

std::string help_of(const CLI::App& app) { return app.help(app.get_parent() ? "nonzero" : ""); }

// --help and --version come as exceptions too: they are answers, not errors.
int answer(const Session& session, const CLI::App& app, const CLI::ParseError& e) {
  const auto chosen = app.get_subcommands();
  const CLI::App& at = chosen.empty() ? app : *chosen.front();
  if (dynamic_cast<const CLI::CallForHelp*>(&e)) {
    // Also into a pipe: help is read, and its examples are as they are.
    constexpr std::size_t usual_width = 80;
    session.print(session.width() > 0 ? help_of(at) : folded(help_of(at), usual_width));
    return ok;
  }
  if (e.get_exit_code() == 0) {
    write_stdout(std::string(e.what()) + '\n');
    return ok;
  }
  complain("nonzero: error: {}", told(at, e));
  if (chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&e))
    complain("\n{}", help_of(app));
  else
    complain("Try 'nonzero {}{}--help'.", chosen.empty() ? "" : at.get_name(),
             chosen.empty() ? "" : " ");
  return usage;
}

// "TEXT:{cg,gmres}" is how CLI11 tells what an option is checked against.
std::vector<std::string> choices_of(const CLI::Option& o) {
  const std::string type = o.get_type_name();
  const auto begin = type.find(":{"), end = type.find('}');
  if (begin == type.npos || end == type.npos) return {};
  return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

void add_talk(CLI::App& app, Session& session) {
  app.add_flag("-q,--quiet", session.quiet, "Nothing on stderr but errors");
  app.add_flag("-v,--verbose", session.verbose, "Each step on stderr");
}

CommandText table_of(const CLI::App& app) {
  CommandText all{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* o : app.get_options()) {
    OptionText text{.help = o->get_description(), .choices = choices_of(*o)};
    text.positional = !o->nonpositional();
    text.required = o->get_required();
    text.repeated = o->get_items_expected_max() > 1;
    for (const std::string& name : o->get_snames()) text.names.push_back('-' + name);
    for (const std::string& name : o->get_lnames()) text.names.push_back("--" + name);
    if (text.positional)
      text.names.push_back(o->get_name());
    else
      text.value = o->get_option_text();
    all.options.push_back(std::move(text));
  }
  return all;
}

}  // namespace

Command& Command::needs(const char* name, std::string& value, const char* help) {
  app_->add_option(name, value, help)->required()->option_text(" ");
  return *this;
}

Command& Command::needs(const char* name, std::vector<std::string>& values, const char* help) {
  app_->add_option(name, values, help)->required()->option_text(" ");
  return *this;
}

Command& Command::takes(const char* name, std::string& value, const char* help) {
  app_->add_option(name, value, help)->option_text(" ");
  return *this;
}

Command& Command::takes(const char* name, std::vector<std::string>& values, const char* help) {
  app_->add_option(name, values, help)->option_text(" ");
  return *this;
}

Command& Command::one_of(const char* name, std::string& value,
                         std::initializer_list<const char*> allowed, const char* help) {
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  app_->add_option(name, value, help)->required()->option_text(" ")->check(CLI::IsMember(names));
  return *this;
}

Command& Command::option(const char* flags, const char* shown, std::string& value,
                         const char* help) {
  app_->add_option(flags, value, help)->option_text(shown);
  return *this;
}

Command& Command::option(const char* flags, const char* shown, double& value, const char* help) {
  const auto read = [flags, &value](const std::string& s) { value = parse_real(s, flags); };
  app_->add_option_function<std::string>(flags, read, help)->option_text(shown);
  return *this;
}

Command& Command::scalar(const char* flags, const char* shown, double& value, const char* help) {
  const auto read = [flags, &value](const std::string& s) { value = parse_real(s, flags, false); };
  app_->add_option_function<std::string>(flags, read, help)->option_text(shown);
  return *this;
}

Command& Command::option(const char* flags, const char* shown, std::vector<std::string>& values,
                         const char* help) {
  app_->add_option(flags, values, help)->option_text(shown)->allow_extra_args(false);
  return *this;
}

Command& Command::number(const char* flags, const char* shown, int& value, int min, int max,
                         const char* help) {
  app_->add_option(flags, value, help)->option_text(shown)->check(CLI::Range(min, max));
  return *this;
}

Command& Command::choice(const char* flags, const char* shown, std::string& value,
                         std::initializer_list<const char*> allowed, const char* help) {
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  app_->add_option(flags, value, help)->option_text(shown)->check(CLI::IsMember(names));
  return *this;
}

Command& Command::flag(const char* flags, bool& value, const char* help) {
  app_->add_flag(flags, value, help);
  return *this;
}

Command& Command::json(bool checked_first) {
  checks_json_ = checked_first;
  app_->add_option("--json", session_->json,
                   "Write the results as JSON to FILE, or to stdout with -")
      ->expected(0, 1)
      ->default_str("-")
      ->option_text("[FILE|-]")
      ->check(refuse_matrix_name, "");
  return *this;
}

Command& Command::memory_limit() {
  const auto read = [session = session_](const std::string& text) {
    session->memory_limit = parse_bytes(text, "--memory-limit");
  };
  app_->add_option_function<std::string>(
          "--memory-limit", read,
          "The most memory that a matrix of a file may take, such as 4G, of powers of 1024\n"
          "(default: 64 MiB and 256 times the size of the file)")
      ->option_text("BYTES");
  app_->add_flag("--allow-nan", session_->allow_nan,
                 "Take nan and inf for values where a file of text has them");
  return *this;
}

Command& Command::threads() {
  return number("--threads", "N", session_->threads, 1, 4096,
                "Threads to use (default: all cores)");
}

Command& Command::device() {
  return option("--device", "DEVICE", session_->device,
                "Where kernels run: cpu, cuda:0, ..., or emu, which runs GPU kernels on the\n"
                "host to find their mistakes ('nonzero devices' shows them)");
}

Command& Command::notes(const char* text) {
  app_->footer(text);
  return *this;
}

void Command::runs(std::function<int()> action) {
  app_->callback([session = session_, action = std::move(action), checks = checks_json_] {
    session->action = [session, action, checks] {
      if (checks) require_output(session->json);
      return action();
    };
  });
}

Parser::Parser(Session& session, const char* summary, const char* notes,
               std::function<std::string()> version)
    : app_(std::make_unique<CLI::App>(summary, "nonzero")), session_(session) {
  app_->footer(notes);
  app_->set_version_flag("-V,--version", std::move(version));
  add_talk(*app_, session_);
  app_->require_subcommand(1);
  app_->get_formatter()->column_width(26);
}

Parser::~Parser() = default;

Command Parser::add(const char* name, const char* summary) {
  CLI::App* command = app_->add_subcommand(name, summary);
  add_talk(*command, session_);
  return {command, &session_};
}

std::optional<int> Parser::parse(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const bool help = !words.empty() && words[0] == "help";
  if (help)
    words = words.size() > 1 ? std::vector{words[1], std::string("--help")}
                             : std::vector{std::string("--help")};
  if (!words.empty() && words[0] == "version") words[0] = "--version";
  if (!words.empty()) {
    refuse_unknown_command(*app_, words[0]);
    refuse_unknown_option(*app_, words[0]);
  }
  std::reverse(words.begin(), words.end());  // as CLI11 has it
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    return answer(session_, *app_, e);
  }
  if (session_.quiet && session_.verbose)
    throw InvalidArgument("--quiet and --verbose: take one of them");
  set_talk(session_.quiet ? Talk::quiet : session_.verbose ? Talk::verbose : Talk::usual);
  return std::nullopt;
}

ProgramText Parser::table() const {
  ProgramText all{table_of(*app_), {}};
  for (const CLI::App* command : app_->get_subcommands({}))
    all.commands.push_back(table_of(*command));
  return all;
}

}  // namespace nz::cli
