#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <nonzero/array.hpp>
#include <nonzero/formats/csr.hpp>

namespace nz {

// Told how many of the file's bytes are done; called from one thread at a time.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew_symmetric };

std::string_view name(Field f);
std::string_view name(Symmetry s);

// What a file said of itself.
struct FileInfo {
  std::string format;            // "Matrix Market coordinate", "Matrix Market array", "nzb"
  Field field = Field::real;     // pattern: every value is read as 1
  Symmetry symmetry = Symmetry::general;  // other than general: expanded on load
  std::int64_t stored_entries = 0;        // before expansion and before duplicates are summed
  std::uint64_t file_bytes = 0;
};

// Reads .mtx, .mtx.gz, .mtx.zst and .nzb, told apart by content, into sorted CSR. Symmetric files
// are expanded; duplicates are summed. Throws BadInput with file and line.
template <Value T, Offset O>
Csr<T, O> read_matrix(const std::filesystem::path& path, const Progress& progress = {},
                      FileInfo* info = nullptr);

// Writes the format that the name's ending asks for; numbers in the shortest form that reads back
// to the same bits. `comment` becomes % lines in Matrix Market. The file appears whole or not at
// all.
template <Value T, Offset O>
void write_matrix(const std::filesystem::path& path, const CsrView<T, O>& a,
                  std::string_view comment = {}, const Progress& progress = {});

// Vectors: Matrix Market array (n x 1 or 1 x n) or .npy (little-endian, one-dimensional or n x 1).
template <Value T>
Array<T> read_vector(const std::filesystem::path& path);
template <Value T>
void write_vector(const std::filesystem::path& path, std::span<const T> v);

}  // namespace nz
