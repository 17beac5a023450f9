#pragma once
#include <map>

#include <nonzero/array.hpp>
#include <nonzero/device.hpp>

#include "lab/bench/device_stage.hpp"
#include "lab/bench/several_judge.hpp"
#include "lab/bench/trial.hpp"

namespace nz::lab {

// Several vectors on the stage. They can be large, so that only those of the last number and layout
// are kept, here and on the device, of both ops where that does not take much.
template <Value T, Offset O>
class SeveralStage {
 public:
  explicit SeveralStage(const CsrView<T, O>& a) : a_(a), judge_(a) {}

  // Checks the product of the trial's op and vectors, then times it. `far`: where the trial is not
  // on the CPU.
  void perform(Trial& t, const Product<T>& product, const Attempt& attempt, DeviceStage<T, O>* far);
  // Times it again, on the CPU.
  Timing time_again(const Trial& t, const Product<T>& product, const Attempt& attempt);
  // One product to warm up and, on a GPU and the CPU, one more, which is timed.
  void profile(Trial& t, const Product<T>& product, const Attempt& attempt);

 private:
  struct Part {
    DenseView<T> x, y;  // of this memory
    Array<T> x_memory, y_memory;
    DeviceArray<T> far_x, far_y;  // where they were asked for
    DenseView<const T> x_on(Device device) const;
    DenseView<T> y_on(Device device);
  };
  // With y full of NaN.
  Part& set_up(const Trial& t);
  static void multiply(const Trial& t, const Product<T>& product, Part& p);
  static Timing time_here(const Trial& t, const Product<T>& product, const Attempt& attempt,
                          Part& p);

  CsrView<T, O> a_;
  SeveralJudge<T, O> judge_;
  VectorSet set_{};
  std::map<Op, Part> parts_;
};

}  // namespace nz::lab
