#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace nz::lab {

inline bool is_stdin(const std::string& path) { return path == "-"; }

// Stdin, a fifo, or what a shell makes of <(command): read once, from its begin to its end.
bool is_pipe(const std::string& path);

// What messages call it.
inline std::string pipe_name(const std::string& path) { return is_stdin(path) ? "stdin" : path; }

// All that comes: a reader by position needs it as a whole. Throws BadInput where nothing does,
// NoResource beyond the limit; without one (0), beyond a third of the memory that is free, since
// growing holds it twice.
std::vector<char> all_of_pipe(const std::string& path, std::uint64_t limit);

// The same for one who looks before another reads: it stays for the next all_of_pipe().
const std::vector<char>& look_at_pipe(const std::string& path, std::uint64_t limit);

}  // namespace nz::lab
