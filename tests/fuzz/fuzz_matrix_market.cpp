// Whatever the bytes are: a matrix that is sound, or an exception of ours; the same for every
// number of pieces. Also fed to the reader of vectors.
#include <cstdlib>
#include <optional>
#include <string>

#include <nonzero/error.hpp>

#include "io/read_bytes.hpp"

namespace {

struct Outcome {
  std::optional<nz::Csr<double, std::int32_t>> matrix;
  std::string error;
};

Outcome read(const nz::NamedText& file, std::size_t piece) {
  Outcome o;
  try {
    o.matrix = nz::read_matrix_bytes<double, std::int32_t>(file, {}, nullptr, piece);
  } catch (const nz::Error& error) {
    o.error = error.what();
  }
  if (o.matrix) o.matrix->validate();  // an exception that nobody catches is a finding
  return o;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const nz::NamedText file{"fuzz", {reinterpret_cast<const char*>(data), size}};
  const Outcome whole = read(file, nz::usual_piece), cut = read(file, 16);
  if (whole.error != cut.error || whole.matrix.has_value() != cut.matrix.has_value()) std::abort();
  // Sums may be infinite or NaN, so only the structure is compared.
  if (whole.matrix && (whole.matrix->offsets != cut.matrix->offsets ||
                       whole.matrix->columns != cut.matrix->columns))
    std::abort();
  try {
    (void)nz::read_vector_source<float>(nz::MemorySource(file.name, file.bytes), {}, 64);
  } catch (const nz::Error&) {
  }
  return 0;
}
