#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/kernel.hpp>

// What a plan would think of a matrix: predictions to lay beside what was measured.
namespace nz::lab {

// One way to multiply, predicted.
struct Prediction {
  std::string kernel;
  Parameters parameters{};
  double seconds = 0;  // of one product
  double setup_seconds = 0;
  double bytes = 0;       // of the prepared matrix
  std::string why{};      // what the prediction comes from
  std::string why_not{};  // what keeps it from being first; empty: it is
};

// All of them for one product of one matrix, in the order in which a plan would take them.
struct Forecast {
  std::string matrix, device, type, op;
  int threads = 1;
  std::string kernel{}, why{};  // what the plan took, and why; empty: nobody asked it
  std::vector<Prediction> predictions{};

  bool about(const Forecast& other) const {
    return matrix == other.matrix && device == other.device && type == other.type &&
           op == other.op && threads == other.threads;
  }
};

// For the number of threads that is set; none where the models have nothing to say.
template <Value T, Offset O>
std::vector<Prediction> predictions(const CsrView<T, O>& a, Op op, Device device);

nlohmann::ordered_json to_json(const Forecast& f);
// Throws BadInput, or Json::exception, for a missing key or a wrong type.
Forecast forecast_from_json(const nlohmann::ordered_json& j);

}  // namespace nz::lab
