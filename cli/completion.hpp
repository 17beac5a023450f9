#pragma once
#include <string>
#include <vector>

#include "cli/option_table.hpp"

// The scripts of the shells, one a file.
namespace nz::cli {

// What values are completed to: those of this program, written out, so that pressing a key starts
// nothing.
struct CompletionLists {
  std::vector<std::string> kernels, matrices, families, experiments;
};

std::string bash_completion(const ProgramText& program, const CompletionLists& lists);
std::string zsh_completion(const ProgramText& program, const CompletionLists& lists);
std::string fish_completion(const ProgramText& program, const CompletionLists& lists);

// The first line of an option's help.
std::string first_line(const std::string& text);

}  // namespace nz::cli
