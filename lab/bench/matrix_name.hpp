#pragma once
#include <string>

#include "lab/bench/suite.hpp"

namespace nz::lab {

// What a matrix is called in tables, records and figures, as a person names it: the file's name
// without folder and endings, "cant" for matrices/cant.mtx.gz; a specification as it is; "stdin".
std::string matrix_name(const std::string& what);

// What NAME=FILE says; the name is empty where there is none. A file whose own name has an = in it
// is one.
struct NamedPath {
  std::string name, path;
};
NamedPath named_path(const std::string& word);

// NAME=FILE or NAME=gen:SPEC chooses the name; without NAME=, it is matrix_name(). A file whose
// own name has an = in it is one.
SuiteMatrix named_matrix(const std::string& word);

}  // namespace nz::lab
