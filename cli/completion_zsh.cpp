#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion.hpp"

namespace nz::cli {
namespace {

// Within '...[...]:...:': these characters are the format's own.
std::string safe(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (c == '\'')
      all += "'\\'";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      all += '\\';
    all += c;
  }
  return all;
}

std::string action(const OptionText& o) {
  if (!o.choices.empty()) return fmt::format("({})", fmt::join(o.choices, " "));
  switch (hint_of(o)) {
    case Hint::file:
      return "_files";
    case Hint::folder:
      return "_files -/";
    case Hint::matrix:
      return "_nonzero_matrix";
    case Hint::kernel:
      return "_nonzero_kernel";
    case Hint::kernels:
      return "_nonzero_kernel_list";
    case Hint::family:
      return "_nonzero_family";
    case Hint::experiment:
      return "_nonzero_experiment";
    case Hint::shell:
    case Hint::nothing:
      break;
  }
  return " ";
}

std::string about(const CommandText& c) {
  std::string all = fmt::format("    {})\n      _arguments -s", c.name);
  for (const OptionText& o : c.options) {
    const std::string help = safe(first_line(o.help));
    if (o.positional) {
      all += fmt::format(" \\\n        '{}:{}:{}'",
                         o.repeated   ? "*"
                         : o.required ? ""
                                      : ":",
                         safe(o.names.front()), action(o));
      continue;
    }
    for (const std::string& name : o.names) {
      const std::string value =
          o.value.empty() ? "" : fmt::format(":{}:{}", safe(o.value), action(o));
      // A long option takes its value behind = as well.
      const char* equals = o.value.empty() || !name.starts_with("--") ? "" : "=";
      all += fmt::format(" \\\n        '*{}{}[{}]{}'", name, equals, help, value);
    }
  }
  return all + " ;;\n";
}

}  // namespace

std::string zsh_completion(const ProgramText& program, const CompletionLists& lists) {
  std::string script =
      "#compdef nonzero\n# Completion of nonzero in zsh, printed by 'nonzero completion zsh'.\n\n";
  const auto list = [&](const char* name, const std::vector<std::string>& words) {
    script += fmt::format("_nonzero_{}=({})\n", name, fmt::join(words, " "));
  };
  list("kernels", lists.kernels);
  list("matrices", lists.matrices);
  list("families", lists.families);
  list("experiments", lists.experiments);
  script += R"(
_nonzero_kernel() { compadd "$@" -a _nonzero_kernels }
_nonzero_kernel_list() { compset -P '*,'; compadd -S '' -a _nonzero_kernels }
_nonzero_family() { compadd "$@" -a _nonzero_families }
_nonzero_experiment() { compadd "$@" -a _nonzero_experiments }
_nonzero_matrix() { compadd "$@" -S '' -a _nonzero_matrices; _files }

_nonzero() {
  local -a commands
  commands=(
)";
  for (const CommandText& c : program.commands)
    script += fmt::format("    '{}:{}'\n", c.name, safe(c.summary));
  script += R"(    'help:Show the page of a command'
    'version:Show version, commit and what is built in'
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
    help) _describe -t commands command commands ;;
)";
  for (const CommandText& c : program.commands) script += about(c);
  return script + R"(  esac
}

if [[ $funcstack[1] == _nonzero ]]; then
  _nonzero "$@"
else
  compdef _nonzero nonzero
fi
)";
}

}  // namespace nz::cli
