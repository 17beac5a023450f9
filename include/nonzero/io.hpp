#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>

namespace NZ_API nz {

// Told how many of the file's bytes are done, some 25 times a second and once at the end; called
// from one thread at a time. May throw, to give up.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

enum class Field { real, integer, pattern, complex };
enum class Symmetry { general, symmetric, skew_symmetric, hermitian };

std::string_view name(Field f);
std::string_view name(Symmetry s);

// What a file said of itself.
struct FileInfo {
  std::string format;         // "Matrix Market coordinate", "nzb", "SciPy csr", "MATLAB 5"
  Field field = Field::real;  // pattern: every value is read as 1
  Symmetry symmetry = Symmetry::general;  // other than general: expanded on load
  std::int64_t stored_entries = 0;        // before expansion and before duplicates are summed
  std::uint64_t file_bytes = 0;
};

struct ReadOptions {
  // The most bytes that a matrix or vector may take, with what it takes on the way and two vectors
  // of each side to multiply by; a few MiB a thread come on top. 0: 64 MiB + 256 times the bytes of
  // the file as it lies on the disk. This is enough for any usual file, and bounds what a small one
  // that claims a billion rows, or unpacks to gigabytes, can do.
  std::uint64_t memory_limit = 0;
  Progress progress{};
  FileInfo* info = nullptr;  // filled in
  bool allow_nan = false;    // nan, inf and infinity are values where they stand in text
};

// Reads .mtx and .nzb, and what other programs write (docs/files.md): SciPy's .npz, MATLAB's .mat
// (FILE.mat:NAME for one of several variables), Rutherford-Boeing and Harwell-Boeing, and .tar
// files with one matrix; graphs as edges:FILE or metis:FILE; each also compressed by gzip or zstd.
// They are told apart by content, and become sorted CSR, .mtx and .nzb with all threads(). The same
// file gives the same matrix for every number of threads.
//   Matrix Market: coordinate and array; real, integer, pattern, complex; general, symmetric,
//   skew-symmetric, hermitian,
// which are expanded. Complex files are for complex T, real ones for all. Values become the nearest
// T. Duplicates are summed in the order of the file; explicit zeros of a coordinate file stay,
// zeros of an array are not stored. Entries above the diagonal of a symmetric file are taken for
// those below it.
//   Throws BadInput, with file and line, for what is broken, and for what is not supported: complex
// values where T is real, or in files of other kinds than Matrix Market, NaN and infinity as text
// unless asked for, numbers that T cannot hold,
// lines above 4 MiB that are no comments, matrices that take more memory than a file of that size
// is granted, compressed files that grow to more than 64 MiB + 256 times their size (and more than
// the memory limit). Throws Refused when O cannot count the entries; NoResource when a matrix takes
// more than the memory limit, and when memory runs out. A file that is cut short meanwhile by
// someone else is BadInput, too.
template <Value T, Offset O>
NZ_API Csr<T, O> read_matrix(const std::filesystem::path& path, const ReadOptions& options = {});
template <Value T, Offset O>
Csr<T, O> read_matrix(const std::filesystem::path& path, const Progress& progress,
                      FileInfo* info = nullptr) {
  return read_matrix<T, O>(path, ReadOptions{.progress = progress, .info = info});
}

// Whether a file that read_matrix() or read_vector() takes has complex values: so says its header.
// Looks no farther; false for what it does not know, which those will tell of.
NZ_API bool is_complex_file(const std::filesystem::path& path, const ReadOptions& options = {});

// Writes the format that the name's ending asks for: .mtx, .mtx.gz, .mtx.zst or .nzb. Matrix Market
// is `coordinate real general`, or `coordinate complex general`; .nzb has no complex values, and
// refuses them with InvalidArgument. Numbers are in the shortest form that reads back to the same
// bits; `comment` becomes % lines. The file appears whole or not at all, flushed to the disk, and
// has the same bytes for every number of threads. Throws InvalidArgument for another ending and for
// NaN and infinity, which Matrix Market cannot say (.nzb can); Error when the system refuses.
template <Value T, Offset O>
NZ_API void write_matrix(const std::filesystem::path& path, const CsrView<T, O>& a,
                         std::string_view comment = {}, const Progress& progress = {});

// Vectors: Matrix Market array (n x 1 or 1 x n; compressed or not) or .npy (versions 1 to 3,
// little-endian f4, f8, i4 or i8, for complex T also c8 and c16, of shape (n,), (n, 1) or (1, n)),
// told apart by content when reading, by the name's ending when writing. Errors are those of the
// functions above.
template <Value T>
NZ_API Array<T> read_vector(const std::filesystem::path& path, const ReadOptions& options = {});
template <Value T>
NZ_API void write_vector(const std::filesystem::path& path, std::span<const T> v);

// Removes what writes under way in any thread have put beside their files so far; they and all
// later ones fail. Nothing else does when a signal ends a program. May be called from a signal
// handler; the library installs none.
void remove_unfinished_files() noexcept;

}  // namespace nz
