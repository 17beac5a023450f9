#pragma once
#include <limits>
#include <string>
#include <vector>

#include "gpu/allocations.hpp"
#include "device/csr.hpp"

// What the tests of conversions on a device share.
namespace nz::test {

// Returns call(...) from the device's home, on that device.
#ifdef NZ_HAVE_CUDA
#define NZ_RETURN_ON_CUDA(device, call) \
  if ((device).kind == Device::Kind::cuda) return cuda::call;
#else
#define NZ_RETURN_ON_CUDA(device, call)
#endif
#ifdef NZ_HAVE_EMULATOR
#define NZ_RETURN_EMULATED(device, call) \
  if ((device).kind == Device::Kind::emulator) return emulated::call;
#else
#define NZ_RETURN_EMULATED(device, call)
#endif
#define NZ_RETURN_FROM_HOME(device, call) \
  const simt::DeviceScope scope(device);  \
  NZ_RETURN_ON_CUDA(device, call)         \
  NZ_RETURN_EMULATED(device, call)        \
  throw NoResource("no device")

// Those that this build has.
inline std::vector<Device> built_for() {
  std::vector<Device> all;
#ifdef NZ_HAVE_EMULATOR
  all.push_back(emulator_device);
#endif
#ifdef NZ_HAVE_CUDA
  all.push_back({Device::Kind::cuda, 0});
#endif
  return all;
}
inline std::string made_on_name(const ::testing::TestParamInfo<Device>& p) {
  return p.param.kind == Device::Kind::cuda ? "made_on_cuda" : "made_on_emu";
}

// What an error says; "nothing" without one.
template <class Make>
std::string said(Make&& make) {
  try {
    make();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing";
}

// `here` and `there` make the same thing on the host and on the device: both must refuse, with the
// same words, and nothing may be kept.
template <class Here, class There>
void expect_same_refusal(Here&& here, There&& there) {
  const std::string words = said(here);
  EXPECT_NE(words, "nothing");
  const std::size_t before = simt::live_allocations();
  EXPECT_EQ(said(there), words);
  EXPECT_EQ(simt::live_allocations(), before);
}

// Keys of its entries take all their bits: many blocks of 2^15, and places at their ends.
inline Csr<double, std::int64_t> at_the_limit_of_an_index() {
  const index_t n = std::numeric_limits<index_t>::max();
  return csr_from_triplets<double, std::int64_t>(
      40'000, n, std::vector<index_t>{0, 32767, 32767, 39'999},
      std::vector<index_t>{32767, n - 1, 32767, n - 2}, std::vector<double>{1, 2, 3, 4});
}

}  // namespace nz::test
