#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "lab/bench/launch_sampling.hpp"

namespace nz::lab {

// One product of a complex matrix: by a plan, by one of our kernels or by another library.
struct ComplexWay {
  std::string kernel;  // "plan/balanced/n", the id of a kernel, "peer/..."
  std::string plan;    // what a plan took, and why
  std::string status = "ok", reason;
  double make_seconds = 0, worst_error = 0;
  std::size_t bytes = 0;  // that a product moves at least; 0: not known
  LaunchTiming timing;    // on a CPU hot alone; on the emulator no samples
};

struct ComplexTimes {
  Op op = Op::none;
  std::string type;  // "c64", "c128"
  std::vector<ComplexWay> ways;
};

// The structure of a matrix with random complex values, multiplied by a plan, by every kernel of
// ours that takes complex numbers, and on a CUDA device by cuSPARSE. Each way is verified before it
// is timed. Of f32 complex<float> is made, of f64 complex<double>.
ComplexTimes complex_times(Device device, const CsrView<double, std::int64_t>& a, Op op,
                           ValueType real, const Budget& budget);

nlohmann::ordered_json to_json(const ComplexTimes& times);

}  // namespace nz::lab
