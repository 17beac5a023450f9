#pragma once
#include <map>
#include <string>
#include <vector>

#include "lab/report/runs.hpp"

namespace nz::lab {

struct Chapter;

// What the parts of a page are called in addresses, so that a link to one stays right while the
// page is made again: "case-fem-gpu-csr-balanced-f64-N", with the record first where there are
// several.
struct Anchors {
  std::vector<std::vector<std::string>> cases;               // one a result, chapter by chapter
  std::vector<std::map<std::string, std::string>> matrices;  // by name, chapter by chapter
};
Anchors anchors_of(const std::vector<Chapter>& chapters);

}  // namespace nz::lab
