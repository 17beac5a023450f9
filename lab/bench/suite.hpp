#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace nz::lab {

// A matrix to measure on, by the name that the record will call it.
struct SuiteMatrix {
  std::string name;
  std::string source;  // a file, gen:SPEC or like:NAME
  std::string why;
};

// A suite is a JSON file {"schema": "nonzero-suite/1", "name", "matrices": [{"name", "why",
// "source", "small"}]}. `scale` is the key that gives the source: "source", or "small" for machines
// with little memory and little cache. Throws BadInput, naming the file, for a missing key and for
// a name given twice; InvalidArgument for a scale that an entry does not have.
std::vector<SuiteMatrix> read_suite(const std::filesystem::path& path, const std::string& scale);

}  // namespace nz::lab
