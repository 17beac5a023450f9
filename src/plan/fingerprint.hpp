#pragma once
#include <string>

#include <nonzero/plan.hpp>

namespace nz {

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
