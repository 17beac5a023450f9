#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nonzero/kernel.hpp>

#include "kernels/gpu/parts/output.hpp"
#include "kernels/index_bits.hpp"
#include "simt/simt.hpp"

// Papers print y = A x and nothing else, and their programs count in 32 bits. So do their kernels
// where alpha is 1, beta 0 and 32 bits are enough; with scalars and in 64 bits they are compiled
// as well.
namespace nz::NZ_HOME {

// What a kernel without scalars writes.
template <class T>
struct BareOutput {
  T* y;
  NZ_DEVICE void put(std::int64_t i, T sum) const { y[i] = sum; }
};

// The alpha of a kernel without scalars that adds to y.
struct One {
  template <class T>
  friend NZ_DEVICE T operator*(One, T v) {
    return v;
  }
};

// The number of a thread in the grid, and how many there are, counted as K.
template <class K>
NZ_DEVICE K index_as(Thread& t) {
  return static_cast<K>(t.global_index());
}
template <class K>
NZ_DEVICE K size_as(Thread& t) {
  return static_cast<K>(t.global_size());
}

// f<bits>() with the width that is asked for.
template <class F>
void with_index_bits(std::int64_t bits, F&& f) {
  if (bits > 32)
    f.template operator()<64>();
  else
    f.template operator()<32>();
}

// The form that the parameters ask for, a kernel each.
class Form {
 public:
  // `most` is no less than anything that is counted, what lies a step beyond the end included, but
  // for the steps within a block.
  Form(const Parameters& p, std::int64_t most)
      : bare_(p.at("bare") != 0), bits_(counts_in_32_bits(most) ? p.at("index_bits") : 64) {}

  // f<K>(out) for a kernel that counts as K and writes to `out`.
  template <class T, class F>
  void write(T alpha, T beta, T* y, F&& f) const {
    with_count([&]<class K>() {
      if (bare_ && alpha == T(1) && beta == T(0))
        f.template operator()<K>(BareOutput<T>{y});
      else
        f.template operator()<K>(Output<T>{alpha, beta, y});
    });
  }
  // f<K>(factor) for one that adds sums times `factor` to y.
  template <class T, class F>
  void add(T alpha, F&& f) const {
    with_count([&]<class K>() {
      if (bare_ && alpha == T(1))
        f.template operator()<K>(One{});
      else
        f.template operator()<K>(alpha);
    });
  }

 private:
  template <class F>
  void with_count(F&& f) const {
    with_index_bits(bits_, [&]<int bits>() {
      if constexpr (bits == 32)
        f.template operator()<std::int32_t>();
      else
        f.template operator()<std::int64_t>();
    });
  }

  bool bare_;
  std::int64_t bits_;
};

// The parameters of a kernel that writes y, and of one that adds to it.
inline std::vector<Parameter> with_form(
    std::vector<Parameter> others,
    std::string_view bare = "1: where alpha is 1 and beta 0, a kernel without scalars") {
  others.push_back({"bare", bare, 1, 0, 1});
  others.push_back(index_bits_parameter(
      "of the numbers that count entries, rows and threads: 32 where they do, or 64", 32));
  return others;
}
inline std::vector<Parameter> with_adding_form(std::vector<Parameter> others) {
  return with_form(std::move(others), "1: where alpha is 1, a kernel without it");
}

}  // namespace nz::NZ_HOME
