// Whatever the bytes are: a vector, or an exception of ours; as doubles and as floats the same
// length. The header, which is what can be wrong, is also tried with as many bytes of data as it
// asks for.
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include <nonzero/error.hpp>

#include "io/npy.hpp"
#include "io/read_bytes.hpp"

namespace {

template <class T>
std::optional<nz::Array<T>> read(const std::string& bytes) {
  try {
    return nz::read_vector_source<T>(nz::MemorySource("fuzz", bytes));
  } catch (const nz::Error&) {
    return std::nullopt;
  }
}

void both(const std::string& bytes) {
  const auto wide = read<double>(bytes);
  const auto narrow = read<float>(bytes);
  // What floats can hold, doubles can.
  if (narrow && (!wide || wide->size() != narrow->size())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  both(bytes);
  // With the magic in front, and the length of the header made to fit.
  if (size < 12) return 0;
  std::memcpy(bytes.data(), "\x93NUMPY", 6);
  both(bytes);
  const auto end = bytes.find('}');
  if (end == std::string::npos || end < 12) return 0;
  const bool old = bytes[6] == 1;
  const std::size_t length = end + 1 - (old ? 10 : 12);
  for (int k = 0; k < (old ? 2 : 4); ++k)
    bytes[8 + static_cast<std::size_t>(k)] = static_cast<char>(length >> 8 * k & 0xff);
  both(bytes);
  for (const std::size_t n : {0, 4, 8, 24, 32})
    both(bytes.substr(0, end + 1) + std::string(n, 'x'));
  return 0;
}
