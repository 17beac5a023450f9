#pragma once
#include <initializer_list>
#include <string>
#include <utility>

// Names of files that a command will write, looked at before the work: nobody waits for minutes to
// hear that the result has no place to go.
namespace nz::cli {

// Throws for a name that cannot be written; what is there stays as it is. "" is none.
void require_output(const std::string& path);
// The same for a vector, whose name says the format.
void require_vector_output(const std::string& path);

// Throws InvalidArgument when two of these options, each with what it was given, name the same
// file.
void require_apart(
    std::initializer_list<std::pair<const char*, const std::string*>> options_and_paths);

}  // namespace nz::cli
