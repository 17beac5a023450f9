#pragma once
#include <optional>
#include <string>
#include <vector>

namespace nz::lab {

// A matrix to measure on, by the name that the record will call it.
struct SuiteMatrix {
  std::string name;
  std::string source;  // a file, gen:SPEC or like:NAME
  std::string why;
};

// How a suite is meant to be measured, where nobody says otherwise: as the bench's options.
struct SuiteOptions {
  std::optional<std::string> kernels, without, ops, types;
  std::optional<double> time_limit;
};

struct Suite {
  std::string file;  // "gpu.json": the same for a suite of ours and for its file
  std::string about;
  std::vector<SuiteMatrix> matrices;
  SuiteOptions options;
};

// A suite is a JSON file {"schema": "nonzero-suite/1", "name", "about", "options": {"kernels",
// "without", "ops", "types", "time_limit"}, "matrices": [{"name", "why", "source", "small"}]}.
// `what` is the name of one of ours, which the program carries, or a path; a file called as one of
// ours needs a folder or an ending. A folder is the suite of its .mtx, .mtx.gz, .mtx.zst and .nzb
// files, and "real" that of the folder NZ_MATRICES, the smallest files first; those below 50 kB are
// its small scale. `scale` is the key that gives the source: "large" for "source",
// or "small" for machines with little memory and little cache. Throws BadInput, naming the file,
// for a missing key and for a name given twice; InvalidArgument for a scale that an entry does not
// have.
Suite read_suite(const std::string& what, const std::string& scale);

// Names of ours: "cpu", "gpu", ...
std::vector<std::string> suite_names();

}  // namespace nz::lab
