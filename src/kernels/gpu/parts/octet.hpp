#pragma once
#include <cstdint>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// Eight elements as they lie in a unit of n octets: in words of 8 or 16 bytes, the first words of
// all octets, then the second ones, so that neighbours load neighbours.
template <class V>
struct Octet {
  static constexpr int in_word = sizeof(V) == 1 ? 8 : 16 / int(sizeof(V));
  static constexpr int words = 8 / in_word;
  using Word = Pack<V, in_word>;
  Word word[words];

  // Octet g of n; `from` is the unit's first word.
  NZ_DEVICE void load(Thread& t, const Word* from, int n, int g) {
    NZ_UNROLL
    for (int w = 0; w < words; ++w) word[w] = t.load_streaming(from + std::int64_t{w} * n + g);
  }
  NZ_DEVICE void store(Word* to, int n, int g) const {
    NZ_UNROLL
    for (int w = 0; w < words; ++w) to[std::int64_t{w} * n + g] = word[w];
  }
  NZ_DEVICE V at(int j) const { return word[j / in_word].at[j % in_word]; }
  NZ_DEVICE void set(int j, V v) { word[j / in_word].at[j % in_word] = v; }
  // Where entry k of a unit of n octets lies, in elements.
  static NZ_DEVICE std::int64_t place(int n, int k) {
    const int j = k / n, g = k % n;
    return (std::int64_t{j / in_word} * n + g) * in_word + j % in_word;
  }
};

}  // namespace nz::NZ_HOME
