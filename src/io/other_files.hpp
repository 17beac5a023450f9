#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <nonzero/formats/csr.hpp>
#include <nonzero/io.hpp>

#include "io/budget.hpp"
#include "io/progress.hpp"
#include "io/source.hpp"
#include "io/stream.hpp"

// Files of other programs that read_matrix() takes, told apart by content, and by the name's ending
// where the content does not say it. All throw BadInput for what is broken or not supported, and
// bound memory by the budget.
namespace nz {

enum class FileKind { matrix_market, nzb, npz, rutherford_boeing, mat, hdf5, tar };

// By the first bytes of the file, unpacked where it is compressed: head_bytes of them, or all.
constexpr std::size_t head_bytes = 1024;
FileKind kind_of(std::span<const char> head, std::string_view name);

// SciPy's save_npz: csr, csc, coo, bsr, dia.
template <Value T, Offset O>
Csr<T, O> read_npz(const Source& file, Budget& budget, Meter& meter, FileInfo& info);

// Rutherford-Boeing and Harwell-Boeing.
template <Value T, Offset O>
Csr<T, O> read_rutherford_boeing(const std::string& name, ByteStream& text, const Budget& budget,
                                 bool allow_nan, Meter& meter, FileInfo& info);
// Whether a text begins as they do, as far as that can be told.
bool begins_as_rutherford_boeing(std::string_view head);

// MATLAB's level 5 (versions 6 and 7): the sparse variable of that name, or the only one.
template <Value T, Offset O>
Csr<T, O> read_mat(const Source& file, std::string_view variable, Budget& budget, Meter& meter,
                   FileInfo& info);
// MATLAB's version 7.3, which is HDF5, by libmatio; without it, BadInput that says so.
template <Value T, Offset O>
Csr<T, O> read_mat_hdf5(const Source& file, std::string_view variable, const Budget& budget,
                        FileInfo& info);

// "FILE.mat:NAME" as file and variable, where there is no file of the whole name.
struct PathOfVariable {
  std::filesystem::path path;
  std::string variable;
};
PathOfVariable split_variable(const std::filesystem::path& path);

// The matrix of a tar file: the only NAME/NAME.mtx or NAME/NAME.rb, or the only member with such an
// ending.
Member matrix_in_tar(const Source& file, const Budget& budget, Packing packing);
bool is_tar(std::span<const char> head);

}  // namespace nz
