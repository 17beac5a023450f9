#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// This program under another one: profilers that count what it does.
namespace nz::lab {

// In the search path, or in one of these folders; empty where it is not.
std::filesystem::path find_program(std::string_view name,
                                   const std::vector<std::filesystem::path>& also = {});

// Where this program is; empty when the system does not tell.
std::filesystem::path this_program();

// As one word of a shell.
std::string for_shell(std::string_view text);

// What a command prints, errors too; nothing when it cannot be started.
std::optional<std::string> output_of(const std::string& command);

}  // namespace nz::lab
