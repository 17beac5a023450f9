#pragma once
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "lab/bench/source.hpp"

namespace nz::cli {

// Throws InvalidArgument when no matrix can be written under that name, and Error when none can be
// written there, before hours of work. "-" is stdout.
void require_matrix_name(const std::string& path);

// Writes the matrix, to a file with a progress bar, says so on stderr, and returns what a record
// says of the file: file, file_bytes, write_seconds.
nlohmann::ordered_json save_matrix(const std::string& path, const lab::Source& source);

}  // namespace nz::cli
