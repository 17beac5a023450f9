#include "cli/lists.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "cli/kernels.hpp"
#include "lab/bench/glob.hpp"
#include "lab/bench/plan_rows.hpp"
#include "lab/bench/several.hpp"

namespace nz::cli {
namespace {

// The elements of `all` that the list names, in the order of the list, each once.
template <class T>
std::vector<T> parse_named(const std::string& text, std::string_view option,
                           std::initializer_list<T> all) {
  std::vector<T> found;
  for (const std::string& part : split_list(text, option)) {
    const auto at = std::find_if(all.begin(), all.end(), [&](T e) { return name(e) == part; });
    if (at == all.end()) {
      std::string names;
      for (const T e : all) names += (names.empty() ? "" : ", ") + std::string(name(e));
      throw InvalidArgument(fmt::format("{}: '{}' is not one of {}", option, part, names));
    }
    if (std::find(found.begin(), found.end(), *at) == found.end()) found.push_back(*at);
  }
  return found;
}

// Whole numbers from 1 on, each once.
std::vector<int> parse_counts(const std::string& text, std::string_view option) {
  constexpr int most = 4096;
  std::vector<int> counts;
  for (const std::int64_t n : parse_numbers(text, option)) {
    if (n < 1 || n > most)
      throw InvalidArgument(fmt::format("{}: {} is not in the range 1 to {}", option, n, most));
    if (std::find(counts.begin(), counts.end(), n) == counts.end())
      counts.push_back(static_cast<int>(n));
  }
  return counts;
}

}  // namespace

std::vector<std::string> split_list(const std::string& text, std::string_view option) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (parts.back().empty())
      throw InvalidArgument(fmt::format("{}: '{}' has an empty part", option, text));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::int64_t> parse_numbers(const std::string& text, std::string_view option) {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : split_list(text, option)) {
    const char* end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data(), end, numbers.emplace_back());
    if (error != std::errc() || at != end)
      throw InvalidArgument(fmt::format("{}: '{}' is not a whole number", option, part));
  }
  return numbers;
}

double parse_real(std::string_view text, std::string_view option, bool finite) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::result_out_of_range)
    throw InvalidArgument(
        fmt::format("{}: '{}' is beyond the numbers of double precision", option, text));
  if (error != std::errc() || at != end)
    throw InvalidArgument(fmt::format("{}: '{}' is not a number", option, text));
  if (finite && !std::isfinite(value))
    throw InvalidArgument(fmt::format("{}: '{}' is not a finite number", option, text));
  return value;
}

std::uint64_t parse_bytes(std::string_view text, std::string_view option) {
  double n = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, n);
  std::string unit(rest, end);
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  // "KiB" and "kb" are "k"; "b" alone is a byte, and "ib" is nothing.
  if (unit.size() == 3 && unit.ends_with("ib"))
    unit.erase(1);
  else if (unit.ends_with('b'))
    unit.pop_back();
  constexpr std::string_view letters = "kmgtpe";
  const auto letter = unit.size() == 1 ? letters.find(unit[0]) : letters.npos;
  const bool known = unit.empty() || letter != letters.npos;
  const double bytes = std::ldexp(n, unit.empty() ? 0 : 10 * static_cast<int>(letter + 1));
  if (!known || error != std::errc() || !(bytes >= 1 && bytes < 1.8e19))
    throw InvalidArgument(
        fmt::format("{}: '{}' is not a size; write 500000, 800k, 20M or 1.5G", option, text));
  return static_cast<std::uint64_t>(bytes);
}

std::vector<int> parse_threads(const std::string& text) { return parse_counts(text, "--threads"); }

std::vector<int> parse_vectors(const std::string& text) { return parse_counts(text, "--vectors"); }

std::vector<Layout> parse_layouts(const std::string& text) {
  std::vector<Layout> layouts;
  for (const std::string& part : split_list(text, "--layout")) {
    if (part != "rows" && part != "columns")
      throw InvalidArgument(fmt::format("--layout: '{}' is not one of rows, columns", part));
    const Layout l = lab::layout_named(part);
    if (std::find(layouts.begin(), layouts.end(), l) == layouts.end()) layouts.push_back(l);
  }
  return layouts;
}

std::vector<Op> parse_ops(const std::string& text) {
  return parse_named(text, "--ops", {Op::none, Op::transpose});
}

std::vector<ValueType> parse_types(const std::string& text) {
  return parse_named(text, "--types", {ValueType::f32, ValueType::f64});
}

std::vector<const Kernel*> parse_kernels(const std::string& wanted, const std::string& without,
                                         Device device) {
  std::vector<const Kernel*> chosen;
  for (const std::string& pattern :
       wanted.empty() ? std::vector<std::string>{"*"} : split_list(wanted, "--kernels")) {
    auto found = select_kernels(pattern);
    // Who says nothing gets the peers, but no plans: those are other kernels once more.
    if (wanted.empty()) std::erase_if(found, [](const Kernel* k) { return lab::is_plan(*k); });
    if (found.empty() && pattern.find_first_of("*?") == pattern.npos) find_kernel(pattern);
    if (found.empty())
      throw InvalidArgument(
          fmt::format("no kernel matches '{}'; 'nonzero list' shows them all", pattern));
    const auto here = only_on(device, found, pattern);
    chosen.insert(chosen.end(), here.begin(), here.end());
  }
  const auto refused =
      without.empty() ? std::vector<std::string>{} : split_list(without, "--without");
  std::vector<const Kernel*> all;
  for (const Kernel& k : kernels())
    if (std::find(chosen.begin(), chosen.end(), &k) != chosen.end() &&
        !lab::names_any(k.id(), refused))
      all.push_back(&k);
  if (all.empty()) throw InvalidArgument(fmt::format("--without {} leaves no kernel", without));
  return all;
}

std::map<std::string, std::vector<std::int64_t>> parse_parameters(
    const std::vector<std::string>& options) {
  std::map<std::string, std::vector<std::int64_t>> all;
  for (const std::string& text : options) {
    const auto equals = text.find('=');
    if (equals == text.npos)
      throw InvalidArgument(fmt::format("--param {}: write it as name=value", text));
    const std::string name = text.substr(0, equals);
    all[name] = parse_numbers(text.substr(equals + 1), "--param " + name);
  }
  return all;
}

}  // namespace nz::cli
