#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>

namespace NZ_API nz {

using GeneratedMatrix = Csr<double, std::int64_t>;

// A number that shapes a generated matrix.
struct Setting {
  std::string_view name;
  std::string_view summary;
  double initial = 0;
  double min = 0;
  double max = 0;
};
using Settings = std::map<std::string, double, std::less<>>;

// How large a matrix will be, from its settings alone.
struct MatrixSize {
  index_t rows = 0;
  index_t cols = 0;
  double nonzeros = 0;   // expected where chance decides, otherwise exact
  bool at_most = false;  // entries may meet, and then there are fewer
  double bytes = 0;      // held while it is made
};

// A family of synthetic matrices. The same settings give the same matrix on every machine and for
// every number of threads.
struct Family {
  std::string_view name;     // "grid"
  std::string_view summary;  // one line
  std::string_view source;   // "chirila2025 §5.1", or "own"
  std::string_view example;  // "grid:points=5,nx=100,ny=100"
  std::vector<Setting> settings;
  GeneratedMatrix (*make)(const Settings& all) = nullptr;
  MatrixSize (*size)(const Settings& all) = nullptr;  // throws as make does for what it cannot take
};

std::span<const Family> families();

// A matrix that a paper names: made exactly where its definition is known, otherwise a stand-in
// with the published size, nonzeros and row lengths.
struct NamedMatrix {
  std::string_view name;    // "mycielskian16"
  std::string_view papers;  // "dinoia2025 table II"
  bool exact = false;
  std::string_view spec;  // the family specification it is made by
  std::string_view note;  // what is exact, what is imitated
};

std::span<const NamedMatrix> named_matrices();

struct Generated {
  GeneratedMatrix matrix;
  std::string name;       // the full specification, defaults included; or the named matrix
  bool stand_in = false;  // imitates a matrix of that name
  std::string note;
};

struct GenerateOptions {
  // Bytes that making the matrix may hold at once; 0: what the machine has free.
  std::uint64_t memory_limit = 0;
};

// "FAMILY", "FAMILY:key=value,key=value" or "like:NAME". Throws InvalidArgument for an unknown
// family, name or setting (with the nearest) or a value out of range; NoResource, before the first
// row is made, when the matrix would take more memory than there is, with both numbers.
Generated generate(std::string_view spec, const GenerateOptions& options = {});

// How large generate() would make it. Throws InvalidArgument as generate() does.
MatrixSize estimate(std::string_view spec);

// Throws as generate() does for a wrong specification; makes nothing. What only the family can see,
// such as settings that contradict each other, shows when the matrix is made.
void check_spec(std::string_view spec);

}  // namespace nz
