#pragma once
#include <string>
#include <vector>

#include "lab/bench/record.hpp"

namespace nz::lab {

struct NamedRecord {
  std::string name;
  const Record* record = nullptr;
};

// A line for titles, then one a case, as RFC 4180 has it but for plain line ends. Numbers are those
// of the record, what was not measured is empty; samples stay in the record.
std::string csv(const std::vector<NamedRecord>& records);

}  // namespace nz::lab
