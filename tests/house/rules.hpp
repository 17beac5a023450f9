#pragma once
#include <string>

// What a line of our sources may not have. Each returns the first offence of a text, or "".
namespace nz::house {

// The text without comments and without what stands between quotes; lines stay where they are.
std::string code_only(const std::string& text);

// For the library: writing to the terminal, ending the process.
std::string prints_or_exits(const std::string& text);

// For all but base/parallel.hpp and the kernels: starting threads.
std::string starts_threads(const std::string& text);

// For public headers: includes of anything but the standard library and public headers.
std::string includes_what_users_lack(const std::string& text);

}  // namespace nz::house
