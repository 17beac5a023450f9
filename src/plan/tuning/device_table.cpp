#include "plan/tuning/device_table.hpp"

#include <algorithm>
#include <istream>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nz {
namespace {

using Json = nlohmann::json;

constexpr std::string_view schema = "nonzero-device/1";

void require(bool right) {
  if (!right) throw BadInput("not a table of a device");
}

// Strings stand in the record itself, numbers in its two lists; nothing else is anywhere.
class Reader final : public Json::json_sax_t {
 public:
  DeviceTable table() && {
    require(schema_ && device_ && measured_ && constants_);
    return {std::move(*device_), std::move(*measured_), std::move(*constants_)};
  }

  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_integer(number_integer_t v) override { return number(static_cast<double>(v)); }
  bool number_unsigned(number_unsigned_t v) override { return number(static_cast<double>(v)); }
  bool number_float(number_float_t v, const string_t&) override { return number(v); }
  bool string(string_t& v) override {
    if (depth_ != 1 || (name_ == "schema" && v != schema)) return false;
    return (name_ == "schema" && set(schema_, std::move(v))) ||
           (name_ == "device" && set(device_, std::move(v)));
  }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& v) override {
    name_ = std::move(v);
    return true;
  }
  bool start_object(std::size_t) override {
    if (++depth_ == 1) return true;
    list_ = name_ == "measured" ? &measured_ : name_ == "constants" ? &constants_ : nullptr;
    return depth_ == 2 && list_ && set(*list_, NamedNumbers{});
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override { return false; }
  bool end_array() override { return false; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  template <class V>
  static bool set(std::optional<V>& to, V v) {
    if (to) return false;
    to = std::move(v);
    return true;
  }
  bool number(double v) {
    if (depth_ != 2) return false;
    (*list_)->emplace_back(std::move(name_), v);
    return true;
  }

  int depth_ = 0;
  std::string name_;
  std::optional<std::string> schema_, device_;
  std::optional<NamedNumbers> measured_, constants_;
  std::optional<NamedNumbers>* list_ = nullptr;
};

std::string text_of(const NamedNumbers& numbers) {
  std::string text;
  for (const auto& [name, value] : numbers)
    text += fmt::format("{}\n    {}: {}", text.empty() ? "" : ",", Json(name).dump(), value);
  return "{" + text + "\n  }";
}

}  // namespace

std::string text_of(const DeviceTable& table) {
  return fmt::format(
      "{{\n  \"schema\": \"{}\",\n  \"device\": {},\n  \"measured\": {},\n  \"constants\": "
      "{}\n}}\n",
      schema, Json(table.device).dump(), text_of(table.measured), text_of(table.constants));
}

DeviceTable read_device_table(std::istream& in) {
  Reader reader;
  require(Json::sax_parse(in, &reader));
  return std::move(reader).table();
}

}  // namespace nz
