#pragma once
#include <span>
#include <vector>

#include <nonzero/dense.hpp>
#include <nonzero/device.hpp>
#include <nonzero/kernel.hpp>

// How products on a GPU are timed for a plan: a few microseconds each, by the device's clock.
namespace nz {

// Whether a balanced plan asks the clock there: on CUDA devices.
bool takes_turns(Device device);
// For tests: on the emulator too, whose clock is the host's.
void take_turns_on_emulator(bool on);

// A product, and which of its own does what is asked for.
template <Value T>
struct Rival {
  const Product<T>* product;
  Op op;
};

// Seconds of y = op(A) x of each, once it has warmed up, with next to nothing of what it reads in
// the cache: one product of each, of so many vectors in that layout. All are of one device.
template <Value T>
std::vector<double> time_in_turns(std::span<const Rival<T>> all, index_t in, index_t out,
                                  int vectors = 1, Layout layout = Layout::row_major);

// What that takes: for each whose product takes so long, and beside them.
double seconds_of_turn(double product);
inline constexpr double seconds_beside_turns = 30e-6;

}  // namespace nz
