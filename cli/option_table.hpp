#pragma once
#include <string>
#include <vector>

// What the parser knows, as plain data: help pages, completion and the manual page are made of the
// same table, so none of them can forget an option.
namespace nz::cli {

struct OptionText {
  std::vector<std::string> names;    // "-o", "--output"; the one name of an argument by position
  std::string value;                 // what stands for the value, "FILE"; "" where there is none
  std::string help;                  // lines apart by '\n'
  std::vector<std::string> choices;  // where these alone are taken
  bool positional = false;
  bool required = false;
  bool repeated = false;
};

struct CommandText {
  std::string name, summary, notes;
  std::vector<OptionText> options;
};

struct ProgramText {
  CommandText itself;
  std::vector<CommandText> commands;
};

// What a value may be, for those who complete it.
enum class Hint { nothing, file, folder, matrix, kernel, kernels, family, experiment, shell };
Hint hint_of(const OptionText& option);

// The manual page, in the language of man(7).
std::string manual_page(const ProgramText& program);

// A script that completes commands, options and values: of bash, zsh or fish.
std::string completion_script(const ProgramText& program, const std::string& shell);

}  // namespace nz::cli
