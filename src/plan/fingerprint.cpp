#include "plan/fingerprint.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "kernels/gpu/device_csr.hpp"

namespace nz {
namespace {

// At each place; and what is small enough to be taken as a whole.
constexpr std::int64_t a_place = 1024, whole = 16 * a_place;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 32);
}

// A hash of samples of n elements, which a device may have.
template <class E>
std::uint64_t sampled(const E* from, std::int64_t n, int places, bool far, Device device) {
  std::uint64_t hash = mixed(0, static_cast<std::uint64_t>(n));
  std::vector<E> fetched;
  const auto take = [&](std::int64_t begin, std::int64_t end) {
    const E* near = from + begin;
    const auto count = static_cast<std::size_t>(end - begin);
    if (far && count > 0) {
      fetched.resize(count);
      detail::device_copy(device, fetched.data(), near, count * sizeof(E), {});
      near = fetched.data();
    }
    for (std::size_t k = 0; k < count; ++k) hash = mixed(hash, static_cast<std::uint64_t>(near[k]));
  };
  if (n <= whole) {
    take(0, n);
  } else {
    // The first and the last place reach the ends.
    for (std::int64_t p = 0; p < places; ++p) {
      const std::int64_t begin = (n - a_place) / (places - 1) * p;
      take(p == places - 1 ? n - a_place : begin, p == places - 1 ? n : begin + a_place);
    }
  }
  return hash;
}

}  // namespace

template <Value T, Offset O>
Fingerprint fingerprint(Device device, const CsrView<T, O>& a, int places) {
  const bool far = device != cpu_device && lies_on(device, a);
  return {.rows = a.rows,
          .cols = a.cols,
          .nnz = a.nnz,
          .offsets = sampled(a.offsets, std::int64_t{a.rows} + 1, places, far, device),
          .columns = sampled(a.columns, a.nnz, places, far, device)};
}

std::string difference(const Fingerprint& before, const Fingerprint& now) {
  if (before.rows != now.rows || before.cols != now.cols)
    return fmt::format("it was {} x {}, now {} x {}", before.rows, before.cols, now.rows, now.cols);
  if (before.nnz != now.nnz) return fmt::format("it had {} nonzeros, now {}", before.nnz, now.nnz);
  if (before.offsets != now.offsets) return "rows have other lengths";
  if (before.columns != now.columns) return "nonzeros are in other columns";
  return {};
}

#define NZ_INSTANTIATE(T, O) template Fingerprint fingerprint(Device, const CsrView<T, O>&, int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
