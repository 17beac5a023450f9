#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion.hpp"

namespace nz::cli {
namespace {

std::string kind_of(const OptionText& o) {
  if (!o.choices.empty()) return fmt::format("words {}", fmt::join(o.choices, " "));
  switch (hint_of(o)) {
    case Hint::file:
      return "file";
    case Hint::folder:
      return "folder";
    case Hint::matrix:
      return "matrix";
    case Hint::kernel:
      return "kernel";
    case Hint::kernels:
      return "kernels";
    case Hint::family:
      return "family";
    case Hint::experiment:
      return "experiment";
    case Hint::shell:
    case Hint::nothing:
      break;
  }
  return "nothing";
}

// Options of a command, what their values are, and what stands by position, one word each; the last
// stays for all that follow.
std::string about(const CommandText& c) {
  std::string options, values, positions;
  for (const OptionText& o : c.options) {
    if (o.positional) {
      positions += fmt::format("\n      _nonzero_positions+=('{}')", kind_of(o));
      continue;
    }
    for (const std::string& name : o.names) options += ' ' + name;
    if (!o.value.empty())
      values +=
          fmt::format("\n        {}) _nonzero_kind='{}' ;;", fmt::join(o.names, "|"), kind_of(o));
  }
  return fmt::format("    {}) _nonzero_options='{}'{}\n      case $2 in{}\n      esac ;;\n", c.name,
                     options.empty() ? "" : options.substr(1), positions, values);
}

// The parts between which the tables stand. Bash takes a line apart at = and : too; what was typed
// is therefore read from the line itself, and what stands before the last of them is taken off the
// answers again.
constexpr std::string_view script_begin =
    R"(# Completion of nonzero in bash, printed by 'nonzero completion bash'.

# The options of command $1, what its arguments are, and what the value of its option $2 is.
_nonzero_about() {
  _nonzero_options= _nonzero_kind= _nonzero_positions=()
  case $1 in
)";

constexpr std::string_view script_end = R"(  esac
}

# Answers of kind $1 to the beginning $2.
_nonzero_answer() {
  local begin=$2 before= word
  case $1 in
    words*) COMPREPLY=($(compgen -W "${1#words }" -- "$begin")) ;;
    kernel) COMPREPLY=($(compgen -W "$_nonzero_kernels" -- "$begin")) ;;
    kernels)
      [[ $begin == *,* ]] && before=${begin%,*},
      for word in $(compgen -W "$_nonzero_kernels" -- "${begin##*,}"); do
        COMPREPLY+=("$before$word")
      done ;;
    family) COMPREPLY=($(compgen -W "$_nonzero_families" -- "$begin")) ;;
    experiment) COMPREPLY=($(compgen -W "$_nonzero_experiments" -- "$begin")) ;;
    matrix)
      mapfile -t COMPREPLY < <(compgen -f -- "$begin"; compgen -W "$_nonzero_matrices" -- "$begin")
      compopt -o filenames 2>/dev/null ;;
    file)
      mapfile -t COMPREPLY < <(compgen -f -- "$begin")
      compopt -o filenames 2>/dev/null ;;
    folder)
      mapfile -t COMPREPLY < <(compgen -d -- "$begin")
      compopt -o filenames 2>/dev/null ;;
  esac
}

_nonzero() {
  local line=${COMP_LINE:0:COMP_POINT} words current command word kind='' at=0 i
  local _nonzero_options _nonzero_kind _nonzero_positions
  COMPREPLY=()
  read -ra words <<< "$line"
  current=${line##*[[:space:]]}
  [[ -n $current ]] && unset 'words[-1]'
  current=${current#[\'\"]}
  command=${words[1]-}
  if ((${#words[@]} <= 1)); then
    COMPREPLY=($(compgen -W "$_nonzero_commands help version --help --version" -- "$current"))
    return
  fi
  if [[ $command == help ]]; then
    COMPREPLY=($(compgen -W "$_nonzero_commands" -- "$current"))
    return
  fi
  # How many arguments by position there are already, and whether an option waits for its value.
  for ((i = 2; i < ${#words[@]}; ++i)); do
    word=${words[i]}
    if [[ -n $kind ]]; then
      kind=
    elif [[ $word == -?* ]]; then
      if [[ $word != *=* ]]; then _nonzero_about "$command" "$word"; kind=$_nonzero_kind; fi
    else
      at=$((at + 1))
    fi
  done
  if [[ -z $kind && $current == --*=* ]]; then
    _nonzero_about "$command" "${current%%=*}"
    _nonzero_answer "$_nonzero_kind" "${current#*=}"
  elif [[ -n $kind ]]; then
    _nonzero_answer "$kind" "$current"
  elif [[ $current == -* ]]; then
    _nonzero_about "$command" ''
    COMPREPLY=($(compgen -W "$_nonzero_options" -- "$current"))
  else
    _nonzero_about "$command" ''
    i=${#_nonzero_positions[@]}
    ((i == 0)) && return
    ((at >= i)) && at=$((i - 1))
    _nonzero_answer "${_nonzero_positions[at]}" "$current"
  fi
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    word=${current%:*}:
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$word"}; done
  fi
}

complete -F _nonzero nonzero
)";

}  // namespace

std::string bash_completion(const ProgramText& program, const CompletionLists& lists) {
  std::string script(script_begin), names;
  for (const CommandText& c : program.commands) {
    script += about(c);
    names += (names.empty() ? "" : " ") + c.name;
  }
  const auto list = [](const char* name, const std::vector<std::string>& words) {
    return fmt::format("_nonzero_{}='{}'\n", name, fmt::join(words, "\n"));
  };
  const auto tables = script.find("\n# The options of");
  script.insert(tables, '\n' + fmt::format("_nonzero_commands='{}'\n", names) +
                            list("kernels", lists.kernels) + list("matrices", lists.matrices) +
                            list("families", lists.families) +
                            list("experiments", lists.experiments));
  return script += script_end;
}

}  // namespace nz::cli
