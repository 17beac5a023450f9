#pragma once
#include <cstddef>
#include <cstdint>

// A hash of elements at some places of an array, on the host and on a device the same: the door for
// those who are compiled for no device, a function in each home.
namespace nz {

struct HashPlaces {
  std::int64_t n = 0;  // elements of the array
  // So many places of `each` elements, the first and the last at the ends; or all, as one place.
  std::int64_t places = 1, each = 0;

  constexpr std::int64_t taken() const { return places * each; }
  // Where the i-th of the elements that are taken is.
  constexpr std::int64_t at(std::int64_t i) const {
    const std::int64_t place = i / each;
    if (place == 0) return i;
    if (place == places - 1) return n - each + i % each;
    return (n - each) / (places - 1) * place + i % each;
  }
  // What an element adds to the hash, whatever the order.
  static constexpr std::uint64_t term(std::int64_t at, std::uint64_t value) {
    std::uint64_t h =
        (static_cast<std::uint64_t>(at) * 0xd6e8feb86659fd93u ^ value) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 29);
  }
};

// An array of `bytes` bytes an element, 4 or 8, with sign.
struct HashTask {
  const void* from = nullptr;
  std::size_t bytes = 4;
  HashPlaces places;
};

// Queues on the current device: hashes[0] and [1], in its memory, for the two arrays that are
// there.
#define NZ_DECLARE_HASH(home)                                                             \
  namespace home {                                                                        \
  void hash_places(const HashTask& first, const HashTask& second, std::uint64_t* hashes); \
  }
NZ_DECLARE_HASH(cuda)
NZ_DECLARE_HASH(emulated)
#undef NZ_DECLARE_HASH

}  // namespace nz
