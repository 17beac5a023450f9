#pragma once
#include <filesystem>

#include <nonzero/export.hpp>
#include <nonzero/formats/wide.hpp>
#include <nonzero/io.hpp>

namespace NZ_API nz {

// Reads a Matrix Market file, coordinate, plain or compressed, with any number of rows and columns:
// those beyond what read_matrix() takes, and smaller ones. Entries stay in the order of the file,
// duplicates too; symmetric ones are expanded. Memory goes with the entries. Errors are those of
// read_matrix().
template <RealValue T>
NZ_API WideCoo<T> read_wide(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace nz
