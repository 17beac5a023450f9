#pragma once
#include <string>
#include <vector>

namespace nz::cli {

// What --version says: the version, and on a line each the commit, the compiler, CUDA, the
// instruction set and the peers. No newline at the end.
std::string version_text();

// The parts that doctor tells, too.
std::string commit_text();
std::string cuda_text();
std::vector<std::string> peer_libraries();  // "eigen"

}  // namespace nz::cli
