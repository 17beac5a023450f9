#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion.hpp"

namespace nz::cli {
namespace {

std::string in_quotes(const std::string& text) {
  std::string all = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') all += '\\';
    all += c;
  }
  return all + '\'';
}

// What may stand there, and whether files may.
std::string values(const OptionText& o) {
  if (!o.choices.empty())
    return fmt::format(" -f -a {}", in_quotes(fmt::format("{}", fmt::join(o.choices, " "))));
  switch (hint_of(o)) {
    case Hint::file:
      return " -F";
    case Hint::folder:
      return " -f -a '(__fish_complete_directories)'";
    case Hint::matrix:
      return " -F -a '(__nonzero_matrices)'";
    case Hint::kernel:
      return " -f -a '(__nonzero_kernels)'";
    case Hint::kernels:
      return " -f -a '(__fish_complete_list , __nonzero_kernels)'";
    case Hint::family:
      return " -f -a '(__nonzero_families)'";
    case Hint::experiment:
      return " -f -a '(__nonzero_experiments)'";
    case Hint::shell:
    case Hint::nothing:
      break;
  }
  return " -f";
}

}  // namespace

std::string fish_completion(const ProgramText& program, const CompletionLists& lists) {
  std::string script = "# Completion of nonzero in fish, printed by 'nonzero completion fish'.\n\n";
  const auto list = [&](const char* name, const std::vector<std::string>& words) {
    script += fmt::format("function __nonzero_{}\n    printf '%s\\n' {}\nend\n", name,
                          fmt::join(words, " "));
  };
  list("kernels", lists.kernels);
  list("matrices", lists.matrices);
  list("families", lists.families);
  list("experiments", lists.experiments);
  script += "\ncomplete -c nonzero -f\n";
  const std::string none_yet = "complete -c nonzero -n __fish_use_subcommand";
  std::string names;
  for (const CommandText& c : program.commands) {
    script += fmt::format("{} -a {} -d {}\n", none_yet, c.name, in_quotes(c.summary));
    names += (names.empty() ? "" : " ") + c.name;
  }
  script += none_yet + " -a help -d 'Show the page of a command'\n" + none_yet +
            " -a version -d 'Show version, commit and what is built in'\n" +
            "complete -c nonzero -n '__fish_seen_subcommand_from help' -a " + in_quotes(names) +
            '\n';
  for (const CommandText& c : program.commands) {
    const std::string begin =
        fmt::format("complete -c nonzero -n '__fish_seen_subcommand_from {}'", c.name);
    for (const OptionText& o : c.options) {
      if (o.positional) {
        script += begin + values(o) + '\n';
        continue;
      }
      script += begin;
      for (const std::string& name : o.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!o.value.empty()) script += " -r" + values(o);
      script += fmt::format(" -d {}\n", in_quotes(first_line(o.help)));
    }
  }
  return script;
}

}  // namespace nz::cli
