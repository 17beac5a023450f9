#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Names of files that a command will write, looked at before the work: nobody waits for minutes to
// hear that the result has no place to go.
namespace nz::cli {

// Throws for a name that cannot be written; what is there stays as it is. "" is none, "-" is
// stdout.
void require_output(const std::string& path);
// The same for a vector, whose name says the format.
void require_vector_output(const std::string& path);
// Throws when the disk has no room for a vector of so many elements, each of so many bytes; "" is
// none.
void require_vector_room(const std::string& path, std::size_t elements, std::size_t bytes);

// An option, or the name of an argument, with the file that it was given; "" is none.
using NamedFile = std::pair<const char*, std::string>;

// The file that a matrix, as a person names it, is read from: "" where it is generated.
std::string file_of_matrix(const std::string& matrix);

// Those of several matrices, for require_apart().
std::vector<NamedFile> files_of_matrices(const std::vector<std::string>& matrices);

// Throws InvalidArgument when two outputs name the same file, both stdout, or an output one that is
// read.
void require_apart(std::initializer_list<NamedFile> outputs,
                   std::span<const NamedFile> inputs = {});

// Throws InvalidArgument when two that are read are stdin.
void require_one_stdin(std::span<const NamedFile> inputs);

}  // namespace nz::cli
