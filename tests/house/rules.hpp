#pragma once
#include <string>
#include <vector>

// What a line of our sources may not have. Each returns the first offence of a text, or "".
namespace nz::house {

// The text without comments and without what stands between quotes; lines stay where they are.
std::string code_only(const std::string& text);

// For the library: writing to the terminal, ending the process.
std::string prints_or_exits(const std::string& text);

// For all but base/parallel.hpp and the kernels: starting threads.
std::string starts_threads(const std::string& text);

// For public headers: includes of anything but the standard library and public headers, and, for an
// adaptor, the library that it is for.
std::string includes_what_users_lack(const std::string& text, const std::string& library = "");

// The names that a public header has at namespace scope, in their order and each once: types,
// functions, constants, concepts and aliases. By lines, as clang-format leaves them; those of
// namespace detail, what is added to Eigen's, and declarations of what comes later are left out.
std::vector<std::string> public_names(const std::string& text);

}  // namespace nz::house
