#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/stored_values.hpp>
#include <nonzero/io.hpp>

#include "lab/bench/cache.hpp"

namespace nz::lab {

// A matrix as someone named it: a file, or a generator's specification.
struct Source {
  Csr<double, std::int64_t> matrix;
  std::string name;
  std::string note;              // what a generator says of its matrix
  bool stand_in = false;         // imitates the matrix of that name
  std::optional<FileInfo> file;  // what the file said of itself
  double seconds = 0;            // to read or to generate
  std::string cached;            // what the cache did, if there is one: "from the cache"
};

// The name, with "(stand-in)" behind it where it is one.
std::string label(const Source& s);

// "gen:SPEC" and "like:NAME" are generated, everything else is a file (lab/bench/input.hpp).
bool is_generated(std::string_view what);

// What a record says of it: of a file the name, since its folder is nobody's business.
std::string recorded_source(const std::string& what);

// Throws BadInput for a file, InvalidArgument for a specification. A path that does not exist but
// reads like a specification gets a hint. A generated matrix is taken from the cache, or put there.
// `memory_limit` and `allow_nan` are those of ReadOptions.
Source load(const std::string& what, const Progress& progress = {},
            const MatrixCache& cache = MatrixCache(""), std::uint64_t memory_limit = 0,
            bool allow_nan = false);

// Throws what load() would for a file that is not there or a wrong specification, before any work.
void check_source(const std::string& what);

// The type of the plans whose values can be stored so.
ValueType vectors_with(StoredValues as);
// Rounds the values as a plan of that type would, so that a kernel that stores fewer bytes then has
// them exactly, and the truth of its products is that of the rounded matrix. Throws Refused with
// the first that would become infinite.
ValueRounding round_values(Source& s, StoredValues as);

// The matrix with 32-bit offsets where they suffice, as a plan would hold it.
using Narrowed = std::variant<Csr<double, std::int32_t>, Csr<double, std::int64_t>>;
Narrowed narrow(Csr<double, std::int64_t>&& a);

}  // namespace nz::lab
