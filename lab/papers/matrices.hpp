#pragma once
#include <string>
#include <string_view>

#include <nonzero/generate.hpp>

namespace nz::lab {

struct ExperimentOptions;

// How a paper takes a symmetric matrix, of which a file stores one half.
enum class Symmetric {
  whole,     // both halves
  half,      // only what the file stores
  completed  // both halves, where its table counts one
};

// A matrix that a paper names: from the folder of --matrices, or what imitates it.
struct PaperMatrix {
  std::string name;
  std::string source;     // the file, or the specification
  bool stand_in = false;  // only imitated
  GeneratedMatrix matrix;

  // For tables: a star marks a stand-in.
  std::string label() const { return name + (stand_in ? " *" : ""); }
};
inline constexpr const char* star_note =
    "* a stand-in with the published size and number of nonzeros; its rows and places are assumed.";

// A file of that name counts if it has no more nonzeros than options.scale allows of those
// published. Otherwise it is made, at that scale.
PaperMatrix paper_matrix(std::string_view name, double published, Symmetric symmetric,
                         const ExperimentOptions& options);

// The specification of a matrix like this one with about `scale` times its nonzeros and rows: no
// row longer than it can be, and not much denser. Families that stand for no paper's matrix come
// back as they are.
std::string scaled(std::string_view spec, double scale);

// The entries on and below the diagonal, and these with what mirrors them.
GeneratedMatrix lower_half(const CsrView<double, std::int64_t>& a);
GeneratedMatrix completed(const CsrView<double, std::int64_t>& half);

// What the file of a matrix stores, whose table counts just that: of a symmetric matrix the lower
// half. An .nzb is not `declared` symmetric: then its half is taken where the matrix is, and where
// that is nearer to the published number of nonzeros.
GeneratedMatrix as_stored(GeneratedMatrix&& whole, bool declared, std::int64_t published);

}  // namespace nz::lab
