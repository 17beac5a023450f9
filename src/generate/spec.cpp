#include "generate/spec.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/nearest.hpp"

namespace nz {
namespace {

const Setting& find_setting(const Family& family, std::string_view name) {
  std::vector<std::string> names;
  for (const Setting& s : family.settings) {
    if (s.name == name) return s;
    names.emplace_back(s.name);
  }
  throw InvalidArgument(
      fmt::format("{} has no setting '{}'; nearest: {}", family.name, name, nearest(name, names)));
}

double parse_number(const Family& family, const Setting& setting, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    throw InvalidArgument(
        fmt::format("{}: {} = '{}' is not a number", family.name, setting.name, text));
  // Negated, so that NaN is refused too.
  if (!(value >= setting.min && value <= setting.max))
    throw InvalidArgument(fmt::format("{}: {} = {} is outside {} to {}", family.name, setting.name,
                                      value, setting.min, setting.max));
  return value;
}

}  // namespace

const Family& find_family(std::string_view name) {
  std::vector<std::string> names;
  for (const Family& f : families()) {
    if (f.name == name) return f;
    names.emplace_back(f.name);
  }
  throw InvalidArgument(
      fmt::format("no family '{}' of matrices; nearest: {}", name, nearest(name, names)));
}

Spec parse_spec(std::string_view text) {
  const std::size_t colon = text.find(':');
  Spec spec{&find_family(text.substr(0, colon)), {}};
  if (colon != std::string_view::npos) {
    std::string_view rest = text.substr(colon + 1);
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view item = rest.substr(0, comma);
      const std::size_t equals = item.find('=');
      if (equals == std::string_view::npos)
        throw InvalidArgument(
            fmt::format("{}: '{}' is not of the form setting=value", spec.family->name, item));
      const Setting& setting = find_setting(*spec.family, item.substr(0, equals));
      const double value = parse_number(*spec.family, setting, item.substr(equals + 1));
      if (!spec.settings.emplace(setting.name, value).second)
        throw InvalidArgument(
            fmt::format("{}: {} is given twice", spec.family->name, setting.name));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  for (const Setting& s : spec.family->settings) spec.settings.emplace(s.name, s.initial);
  return spec;
}

std::string to_string(const Spec& spec) {
  std::string text(spec.family->name);
  char separator = ':';
  for (const Setting& s : spec.family->settings) {
    text += fmt::format("{}{}={}", separator, s.name, spec.settings.find(s.name)->second);
    separator = ',';
  }
  return text;
}

}  // namespace nz
