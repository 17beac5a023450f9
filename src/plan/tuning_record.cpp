#include "plan/tuning_record.hpp"

#include <cstdint>
#include <istream>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

namespace nz {
namespace {

using Json = nlohmann::json;

constexpr std::string_view schema = "nonzero-tuning/1";

void require(bool right) {
  if (!right) throw BadInput("not a record of a plan");
}

// Puts a record together from what the parser meets. Names that are not known are passed over;
// known ones must come once, and be what they should.
class Reader final : public Json::json_sax_t {
 public:
  TuningRecord record() && {
    require(schema_ && key_ && taken_);
    return {std::move(*key_), std::move(*taken_)};
  }

  bool null() override { return other(); }
  bool boolean(bool v) override {
    if (here() != Place::candidate || name_ != "transposed") return other();
    return set(transposed_, v);
  }
  bool number_integer(number_integer_t v) override { return number(v, static_cast<double>(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    require(here() != Place::parameters || v <= INT64_MAX);
    return number(static_cast<std::int64_t>(v), static_cast<double>(v));
  }
  bool number_float(number_float_t v, const string_t&) override {
    require(here() != Place::parameters);  // a fraction would be turned into something else
    return number(0, v);
  }
  bool string(string_t& v) override {
    if (here() == Place::record && name_ == "schema") {
      require(v == schema);
      return set(schema_, true);
    }
    if (here() == Place::record && name_ == "key") return set(key_, std::move(v));
    if (here() == Place::candidate && name_ == "kernel") return set(kernel_, std::move(v));
    return other();
  }
  bool binary(binary_t&) override { return other(); }

  bool start_object(std::size_t) override {
    if (here() == Place::nowhere) return enter(Place::record);
    if (here() == Place::list) {
      kernel_ = {}, parameters_ = {}, transposed_ = {}, seconds_ = {};
      return enter(Place::candidate);
    }
    if (here() == Place::candidate && name_ == "parameters") {
      set(parameters_, Parameters{});
      return enter(Place::parameters);
    }
    return other() && enter(Place::unknown);
  }
  bool key(string_t& v) override {
    name_ = std::move(v);
    return true;
  }
  bool end_object() override {
    if (here() == Place::candidate) add();
    return leave();
  }
  bool start_array(std::size_t) override {
    if (here() != Place::record || name_ != "taken") return other() && enter(Place::unknown);
    set(taken_, std::vector<Candidate>{});
    return enter(Place::list);
  }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  enum class Place : char { nowhere, record, list, candidate, parameters, unknown };

  Place here() const { return places_.empty() ? Place::nowhere : places_.back(); }
  bool enter(Place p) {
    places_.push_back(p);
    return true;
  }
  bool leave() {
    places_.pop_back();
    return true;
  }
  template <class V>
  static bool set(std::optional<V>& to, V v) {
    require(!to);
    to = std::move(v);
    return true;
  }
  // A value that nothing is made of: only under a name that is not known.
  bool other() const {
    constexpr std::string_view of_record[] = {"schema", "key", "taken"},
                               of_candidate[] = {"kernel", "parameters", "transposed", "seconds"};
    const auto known = [&](const auto& names) {
      return std::find(std::begin(names), std::end(names), name_) != std::end(names);
    };
    require(here() != Place::nowhere && here() != Place::list && here() != Place::parameters);
    require(here() != Place::record || !known(of_record));
    require(here() != Place::candidate || !known(of_candidate));
    return true;
  }
  bool number(std::int64_t whole, double v) {
    if (here() == Place::parameters) {
      require(parameters_->emplace(name_, whole).second);
      return true;
    }
    if (here() != Place::candidate || name_ != "seconds") return other();
    require(v >= 0);
    return set(seconds_, v);
  }
  void add() {
    require(kernel_ && parameters_ && transposed_ && seconds_);
    Candidate c{.kernel = &find_kernel(*kernel_),
                .parameters = std::move(*parameters_),
                .transposed = *transposed_,
                .measured_seconds = *seconds_};
    c.kernel->resolve(c.parameters);  // throws where the kernel has changed
    taken_->push_back(std::move(c));
  }

  std::vector<Place> places_;
  std::string name_;
  std::optional<bool> schema_;
  std::optional<std::string> key_;
  std::optional<std::vector<Candidate>> taken_;
  std::optional<std::string> kernel_;
  std::optional<Parameters> parameters_;
  std::optional<bool> transposed_;
  std::optional<double> seconds_;
};

std::string json_string(std::string_view text) { return Json(text).dump(); }

}  // namespace

std::string text_of(const TuningRecord& record) {
  std::string text = fmt::format("{{\n  \"schema\": {},\n  \"key\": {},\n  \"taken\": [",
                                 json_string(schema), json_string(record.key));
  const char* next = "\n";
  for (const Candidate& c : record.taken) {
    text += fmt::format("{}    {{\"kernel\": {}, \"transposed\": {}, \"seconds\": {}, ", next,
                        json_string(c.kernel->id()), c.transposed, c.measured_seconds);
    text += "\"parameters\": {";
    const char* comma = "";
    for (const auto& [name, value] : c.parameters) {
      text += fmt::format("{}{}: {}", comma, json_string(name), value);
      comma = ", ";
    }
    text += "}}";
    next = ",\n";
  }
  return text + "\n  ]\n}\n";
}

TuningRecord read_tuning_record(std::istream& in) {
  Reader reader;
  require(Json::sax_parse(in, &reader));
  return std::move(reader).record();
}

}  // namespace nz
