#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/explain.hpp>

// What each kernel worth thinking about would take, predicted from the features of a matrix: bytes
// over bandwidth, plus what gathering, scattering and starting cost. `bytes` of candidates on CSR
// is what CSR takes; who knows that it is borrowed makes it 0.
namespace nz {

// Below this, one CPU thread has multiplied before others have woken up, and no format pays.
inline constexpr std::int64_t small_matrix = 20'000;

// The kernels that a model may suggest, by id, and so all that a plan may choose from.
std::span<const std::string_view> cpu_planned();
std::span<const std::string_view> gpu_planned();

// A kernel of such a list. The compiler refuses what is not there, so that the lists are whole.
template <const auto& planned>
struct OneOf {
  const char* id;
  consteval OneOf(const char* name) : id(name) {
    if (std::ranges::find(planned, std::string_view(name)) == std::end(planned))
      throw "not in the list of kernels that the model may suggest";
  }
};

std::vector<Candidate> cpu_candidates(const Features& f, int threads);
std::vector<Candidate> gpu_candidates(const Features& f, const DeviceInfo& device);

// Seconds to transpose CSR there.
double cpu_transpose_seconds(const Features& f, int threads);
double gpu_transpose_seconds(const Features& f);

}  // namespace nz
