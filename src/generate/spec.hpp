#pragma once
#include <string>
#include <string_view>

#include <nonzero/generate.hpp>

// "FAMILY" or "FAMILY:key=value,key=value".
namespace nz {

// Throws InvalidArgument, with the nearest names.
const Family& find_family(std::string_view name);

struct Spec {
  const Family* family = nullptr;
  Settings settings;  // all of the family's, defaults filled in
};

// Throws InvalidArgument for an unknown family or setting (with the nearest), a setting given
// twice, a value that is no number or out of range.
Spec parse_spec(std::string_view text);

// The specification with every setting written out, in the family's order.
std::string to_string(const Spec& spec);

}  // namespace nz
