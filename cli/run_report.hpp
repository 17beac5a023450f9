#pragma once
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>

#include "cli/session.hpp"

// What `run` does and tells with real and with complex numbers alike.
namespace nz::cli {

// What was asked for.
struct RunAsked {
  std::string matrix, x, y, output;
  std::string type;
  double alpha = 1, beta = 0;
  Op op = Op::none;
};

template <class N>
N whole_number(std::string_view text, std::string_view what) {
  N n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InvalidArgument(fmt::format("{}: '{}' is not a whole number", what, text));
  return n;
}

// x is "ones", "random", "random:SEED" or a file. Throws InvalidArgument for a seed that is none.
bool is_file(const std::string& x);
std::optional<std::uint64_t> seed_of(const std::string& x);
// Throws where what is written would replace what is read, or could not be written. y may go where
// x or the y before came from.
void require_files(const Session& session, const RunAsked& asked);
// Throws InvalidArgument where beta multiplies a y that nobody has given.
void require_y(const RunAsked& asked);

// So many elements of y are shown.
inline constexpr std::size_t shown_elements = 8;

// A product that is done.
struct RunReport {
  using Json = nlohmann::ordered_json;
  using Lines = std::vector<std::pair<const char*, std::string>>;

  // What the plan is, once it has multiplied: some take memory only then.
  template <Value T>
  RunReport(const Plan<T>& p, double seconds_of_product)
      : kernel(p.kernel().id()),
        reason(p.reason()),
        parameters(p.parameters()),
        device(p.device()),
        prepare_seconds(p.prepare_seconds()),
        bytes(p.bytes()),
        seconds(seconds_of_product) {}

  std::string kernel, reason;
  Parameters parameters;
  Device device;
  double prepare_seconds;
  std::size_t bytes;
  double seconds;

  Json about = Json::object();  // the matrix
  std::string matrix;           // its name and shape
  std::string op_text;          // "A^T"
  index_t length = 0;           // of y
  double norm = 0;
  std::string head;  // the first elements of y, for people and for programs
  Json heads = Json::array();
  // What only one of both has: lines and keys behind the kernel's, and behind the product's.
  Lines of_kernel{}, of_product{};
  Json kernel_keys = Json::object(), product_keys = Json::object();
  std::string of_emulator{}, of_time{}, of_output{};  // words behind those lines
};
// Writes y where that was asked for, says what came of it, and adds to the record: a reader who
// leaves early, or a file that cannot be written, costs no other. Throws the first failure in the
// end.
void tell(const Session& session, const RunAsked& asked, const RunReport& done,
          const std::function<void()>& write_y);

// Seconds of a product.
template <class F>
double timed(F&& product) {
  const auto start = std::chrono::steady_clock::now();
  product();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace nz::cli
