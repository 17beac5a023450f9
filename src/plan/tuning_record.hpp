#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include <nonzero/explain.hpp>

// What a file of the tuning cache says, as JSON. It is read piece by piece and written as text:
// whole documents of the JSON library allocate when they end, which ends the process where memory
// is short.
namespace nz {

struct TuningRecord {
  std::string key;               // all that the choice depends on, in words
  std::vector<Candidate> taken;  // kernel, parameters, transposed, measured_seconds
};

std::string text_of(const TuningRecord& record);

// Throws an exception of any kind for what text_of() does not write, for kernels that there are not
// and parameters that they do not have.
TuningRecord read_tuning_record(std::istream& in);

}  // namespace nz
