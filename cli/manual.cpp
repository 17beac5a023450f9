#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/option_table.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"

namespace nz::cli {

// What shells and man read is not folded to the width of a terminal.
void add_completion(Parser& parser, Session&) {
  auto shell = std::make_shared<std::string>();
  parser.add("completion", "Print a script that completes commands, options and kernels")
      .one_of("SHELL", *shell, {"bash", "zsh", "fish"}, "bash, zsh or fish")
      .notes(
          "An installed program brings these scripts along. Without, for one session:\n"
          "  bash: source <(nonzero completion bash)\n"
          "  zsh:  source <(nonzero completion zsh), after compinit\n"
          "  fish: nonzero completion fish | source\n\n"
          "Examples:\n"
          "  nonzero completion bash\n"
          "  nonzero completion fish")
      .runs([&parser, shell] {
        write_stdout(completion_script(parser.table(), *shell));
        return ok;
      });
}

void add_man(Parser& parser, Session&) {
  parser.add("man", "Print the manual page, in the language of man(7)")
      .notes(
          "An installed program brings it along as nonzero(1). Without: nonzero man | man -l -\n\n"
          "Examples:\n"
          "  nonzero man")
      .runs([&parser] {
        write_stdout(manual_page(parser.table()));
        return ok;
      });
}

}  // namespace nz::cli
