#pragma once
#include <cstdint>
#include <string>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

namespace nz {

// What a plan remembers of its matrix to know it again.
struct Fingerprint {
  index_t rows = 0, cols = 0;
  std::int64_t nnz = 0;
  std::uint64_t offsets = 0, columns = 0;  // hashes; of samples where the matrix is large
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

// The same where the hashes may still be with the device that makes them.
struct LateFingerprint {
  Fingerprint known{};
  DeviceArray<std::uint64_t> hashes{};  // of offsets and columns; empty: they are known
};

// Of a matrix in host memory or in the device's. Small matrices are taken as a whole, of others so
// many places.
inline constexpr int few_places = 4, many_places = 64;
template <Value T, Offset O>
Fingerprint fingerprint(Device device, const CsrView<T, O>& a, int places);

// The same without waiting for a device: the hashes are, or will be, in its memory.
template <Value T, Offset O>
LateFingerprint late_fingerprint(Device device, const CsrView<T, O>& a, int places);
Fingerprint known(const LateFingerprint& f);

// What differs, for people; empty: nothing.
std::string difference(const Fingerprint& before, const Fingerprint& now);

}  // namespace nz
