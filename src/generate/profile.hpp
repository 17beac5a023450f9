#pragma once
#include <functional>

#include <nonzero/generate.hpp>

#include "generate/hash.hpp"
#include "generate/lengths.hpp"

namespace nz {

// Where the entries of a profile may stand.
enum class Form : int {
  general = 0,
  lower = 1,     // on and below the diagonal: the half that is stored of a symmetric matrix
  symmetric = 2  // both halves
};

struct Profile {
  index_t rows, cols;
  std::int64_t nnz, min, max;
  index_t band, block;
  Shape shape;
  Form form;
  bool diagonal;
  Hash hash;
};

// The length of each row: ranked lengths dealt to shuffled groups of `block` rows.
Array<index_t> shuffled_lengths(index_t rows, const RankedLengths& lengths, index_t block,
                                const Hash& hash);

// The same, but the last row is the longest, and no row i gets more than room(i): what does not fit
// goes to other rows, up to `max` in each. Throws InvalidArgument when it fits nowhere.
Array<index_t> fitted_lengths(index_t rows, const RankedLengths& lengths, index_t block,
                              const Hash& hash, std::int64_t max,
                              const std::function<std::int64_t(index_t)>& room);

GeneratedMatrix make_symmetric_profile(const Profile& p);

}  // namespace nz
