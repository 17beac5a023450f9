#pragma once
#include <cstddef>

#include "kernels/gpu/bsr/shape.hpp"

// How bsr/stream.hpp takes blocks of a shape: how many at a time, by which lanes, in which room.
namespace nz::NZ_HOME {

// `transposed`: lines are columns of the grid, blocks are gathered by number.
template <class T, class Shape, bool transposed>
struct Staging : Shape {
  static constexpr int piece = 16 / int(sizeof(T));  // values that are copied at once
  static constexpr int ahead = 2;                    // stages
  static constexpr int slots = ahead + 1;
  // Where the shape is known, x goes through registers, a stage ahead.
  static constexpr int x_slots = Shape::fixed ? 1 : slots;
  // Transposed, they are needed to the end.
  static constexpr int list_slots = 2 * ahead + (transposed ? 1 : 0);

  NZ_HOST_DEVICE constexpr int size() const { return Shape::rows * Shape::cols; }
  NZ_HOST_DEVICE constexpr int outputs() const { return transposed ? Shape::cols : Shape::rows; }
  NZ_HOST_DEVICE constexpr int inputs() const { return transposed ? Shape::rows : Shape::cols; }
  // Blocks begin anywhere: the whole pieces around one, gathered by itself.
  NZ_HOST_DEVICE constexpr int pieces() const {
    return size() % piece == 0 ? size() / piece : (size() + 2 * piece - 2) / piece;
  }
  NZ_HOST_DEVICE constexpr int room() const { return transposed ? pieces() * piece : size(); }
  // Lanes take whole blocks where those are small and odd, so that few meet in a bank, otherwise an
  // output of a block each.
  NZ_HOST_DEVICE constexpr bool whole_blocks() const {
    return Shape::fixed && size() <= 25 && (size() % 2 == 1 || size() == piece);
  }
  // q / inputs() and q / pieces(): a multiplication where the compiler does not know the divisor.
  NZ_HOST_DEVICE constexpr int block_of_input(int q) const {
    if constexpr (Shape::fixed)
      return q / inputs();
    else
      return int((static_cast<unsigned long long>(q) * Shape::over_inputs) >> 31);
  }
  NZ_HOST_DEVICE constexpr int block_of_piece(int q) const {
    if constexpr (Shape::fixed)
      return q / pieces();
    else
      return int((static_cast<unsigned long long>(q) * Shape::over_pieces) >> 31);
  }
  static constexpr int most_stage = 128;
  // Blocks a stage.
  NZ_HOST_DEVICE constexpr int stage() const {
    if constexpr (Shape::fixed)
      return best_stage();
    else
      return Shape::stage_blocks;
  }
  NZ_HOST_DEVICE constexpr int best_stage() const {
    const int bytes = size() * int(sizeof(T)), most = bytes <= 36 ? 2400 : 4700;
    int n = whole_blocks() ? 32 : 1;
    while (n < most_stage && 2 * n * bytes <= most) n *= 2;
    return n;
  }
  // Whether a stage has whole words of `ends`.
  NZ_HOST_DEVICE constexpr bool whole_words() const { return stage() % 32 == 0; }
  // Shares begin where the values lie at a multiple of 16 bytes.
  NZ_HOST_DEVICE constexpr int grain() const {
    return whole_words() ? 32 : block_grain(size(), piece);
  }
  NZ_HOST_DEVICE constexpr int values() const {
    return (stage() * room() + piece - 1) / piece * piece;
  }
  // What one warp takes of shared memory, in bytes and 16 for each array.
  constexpr std::size_t shared_bytes() const {
    const auto n = static_cast<std::size_t>(stage());
    return sizeof(T) * (slots * static_cast<std::size_t>(values()) +
                        x_slots * n * static_cast<std::size_t>(inputs()) +
                        (n + 1) * static_cast<std::size_t>(outputs())) +
           sizeof(int) * n * (list_slots * (transposed ? 2u : 1u) + 1);
  }
};

}  // namespace nz::NZ_HOME
