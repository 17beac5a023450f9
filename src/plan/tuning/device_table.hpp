#pragma once
#include <algorithm>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "plan/tuning/constant.hpp"

// A table of constants as a file: JSON that `nonzero tune` writes and plans read.
namespace nz {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

struct DeviceTable {
  std::string device;       // whose it is, in words
  NamedNumbers measured{};  // what the constants come from, for people
  NamedNumbers constants{};
};

std::string text_of(const DeviceTable& table);

// Throws an exception of any kind for what text_of() does not write. It is read piece by piece:
// whole documents of the JSON library allocate when they end, which ends the process where memory
// is short.
DeviceTable read_device_table(std::istream& in);

template <class Tuning>
NamedNumbers numbers_of(const Tuning& tuning) {
  NamedNumbers all;
  for (const Constant<Tuning>& c : constants(tuning)) all.emplace_back(c.name, tuning.*c.value);
  return all;
}

// Throws BadInput unless every constant is there once, nothing else is, and each is a number that a
// model can work with.
template <class Tuning>
Tuning tuning_of(const NamedNumbers& numbers) {
  constexpr double least = 1e-30, most = 1e30;
  Tuning tuning{};
  const auto all = constants(tuning);
  if (numbers.size() != all.size()) throw BadInput("not the constants of this version");
  for (const Constant<Tuning>& c : all) {
    const auto at = std::ranges::find(numbers, c.name, &NamedNumbers::value_type::first);
    if (at == numbers.end()) throw BadInput(fmt::format("{} is missing", c.name));
    if (!(at->second >= least && at->second <= most))
      throw BadInput(fmt::format("{} is out of range", c.name));
    tuning.*c.value = at->second;
  }
  return tuning;
}

}  // namespace nz
