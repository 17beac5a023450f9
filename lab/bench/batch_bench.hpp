#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "lab/bench/measure.hpp"

namespace nz::lab {

// One way to multiply as many matrices as a batch has, timed from the first call until all of y is
// there.
struct BatchWay {
  std::string name;
  double make_seconds = 0;  // of all plans, or of the batch
  std::string wrong;        // empty: every matrix was right
  Timing timing;            // of all matrices; on the emulator, which is for truth, no samples
};

struct BatchTimes {
  Op op = Op::none;
  ValueType type = ValueType::f64;
  std::string kernel;           // of the plans
  std::size_t batch_bytes = 0;  // that a product of the batch of one structure moves at least
  std::vector<BatchWay> ways;   // "batch" and "batch-different", then single products
  const BatchWay* way(const std::string& name) const;
  // What the fastest of the single products takes over what that way takes.
  double gain(const std::string& name) const;
};

// So many matrices with the structure of one and random values: as a batch of one structure, as one
// of different structures, and one by one: with a plan each, by multiply() and by what is bound to
// them, and with one plan that gets new values for every matrix. All on the device, their arrays
// in its memory; each way is verified before it is timed.
BatchTimes batch_times(Device device, const CsrView<double, std::int64_t>& a, int matrices, Op op,
                       ValueType type, const Budget& budget);

nlohmann::ordered_json to_json(const BatchTimes& times);

}  // namespace nz::lab
