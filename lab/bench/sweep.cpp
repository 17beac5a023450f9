#include "lab/bench/sweep.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz::lab {
namespace {

std::int64_t number(const std::string& name, std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidArgument(fmt::format("--param {}: '{}' is not a whole number", name, text));
  return n;
}

}  // namespace

std::vector<std::int64_t> usual_values(const Parameter& p, std::size_t most) {
  std::set<std::int64_t> all{p.initial};
  const auto span = static_cast<std::uint64_t>(p.max) - static_cast<std::uint64_t>(p.min);
  if (span < most) {
    for (std::int64_t v = p.min; v <= p.max; ++v) all.insert(v);
    return {all.begin(), all.end()};
  }
  std::vector<std::int64_t> powers;
  if (p.min <= 0) powers.push_back(p.min);
  for (std::int64_t v = 1; v <= p.max; v *= 2) {
    if (v >= p.min) powers.push_back(v);
    if (v > p.max / 2) break;
  }
  // Evenly from the smallest to the largest, beside the initial value.
  const std::size_t room = std::min(powers.size(), most - 1);
  for (std::size_t i = 0; i < room; ++i)
    all.insert(powers[room == 1 ? 0 : i * (powers.size() - 1) / (room - 1)]);
  return {all.begin(), all.end()};
}

std::vector<std::int64_t> parse_values(const std::string& name, const std::string& text) {
  if (const auto dots = text.find(".."); dots != text.npos) {
    const std::int64_t from = number(name, std::string_view(text).substr(0, dots)),
                       to = number(name, std::string_view(text).substr(dots + 2));
    if (from < 1 || from > to)
      throw InvalidArgument(
          fmt::format("--param {}: {}: a range doubles from 1 or more upwards", name, text));
    std::vector<std::int64_t> values;
    for (std::int64_t v = from; v <= to; v *= 2) {
      values.push_back(v);
      if (v > to / 2) break;
    }
    if (values.back() != to) values.push_back(to);
    return values;
  }
  std::set<std::int64_t> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    values.insert(number(name, std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return {values.begin(), values.end()};
}

std::vector<Swept> swept_parameters(
    const Kernel& kernel, const std::map<std::string, std::vector<std::int64_t>>& wanted) {
  if (kernel.parameters.empty())
    throw InvalidArgument(fmt::format("{} has no parameters to sweep", kernel.id()));
  for (const auto& [name, values] : wanted)
    for (const std::int64_t v : values) kernel.resolve({{name, v}});
  std::vector<Swept> all;
  for (const Parameter& p : kernel.parameters) {
    const auto named = wanted.find(std::string(p.name));
    if (named != wanted.end())
      all.push_back({named->first, named->second});
    else if (wanted.empty() && all.size() < 2)
      all.push_back({std::string(p.name), usual_values(p)});
  }
  return all;
}

}  // namespace nz::lab
