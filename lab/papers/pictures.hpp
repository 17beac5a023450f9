#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nonzero/formats/csr.hpp>

#include "lab/papers/comparison.hpp"

// Figures of the papers that show where the nonzeros of their matrices are, as text.
namespace nz::lab {

class Recall;

using Pictures = std::map<std::string, std::string>;  // by the name of the matrix

std::string picture_of(const CsrView<double, std::int64_t>& a);

// From the table of a record that begins so; "" where the record has none.
std::string recalled_picture(const Recall& from, std::string_view table, const std::string& name);

// A table without figures: the pictures are its notes. Names of matrices with their labels.
using Labels = std::vector<std::pair<std::string, std::string>>;
Comparison picture_table(std::string title, std::string corner, const Labels& matrices,
                         const Pictures& pictures);

}  // namespace nz::lab
