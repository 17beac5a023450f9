#pragma once
#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/explain.hpp>

#include "plan/tuning/cpu_tuning.hpp"
#include "plan/tuning/gpu_tuning.hpp"

// What each kernel worth thinking about would take, predicted from the features of a matrix: bytes
// over bandwidth, plus what gathering, scattering and starting cost. `bytes` of candidates on CSR
// is what CSR takes; who knows that it is borrowed makes it 0.
namespace nz {

// The models of GPUs count in picoseconds.
inline constexpr double pico = 1e-12;

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

std::vector<Candidate> cpu_candidates(const Features& f, int threads, const CpuTuning& tuning);
std::vector<Candidate> gpu_candidates(const Features& f, const DeviceInfo& device,
                                      const GpuTuning& tuning);

// Whether fetching x entry by entry takes a CPU kernel that goes row by row a good part of its
// time. Kernels that say so in their entry (brings_x_near) are spared most of that.
bool x_is_far(const Features& f, const CpuTuning& tuning);

// Seconds of a product of several vectors, two at least, by a kernel that reads the matrix once for
// all of them, or one by one. On a CPU from those of one vector, `one`.
double cpu_several_seconds(const Kernel& kernel, double one, const Features& f, int vectors,
                           Layout layout, bool at_once, int threads, const CpuTuning& tuning);
double gpu_several_seconds(const Candidate& c, const Features& f, int vectors, Layout layout,
                           bool at_once, const GpuTuning& tuning);
// What a candidate for one vector has to be told for that.
Parameters gpu_several_parameters(const Candidate& c, const Features& f, int vectors, Layout layout,
                                  const GpuTuning& tuning);

// Seconds to transpose CSR there.
double cpu_transpose_seconds(const Features& f, int threads, const CpuTuning& tuning);
double gpu_transpose_seconds(const Features& f, const GpuTuning& tuning);

}  // namespace nz
