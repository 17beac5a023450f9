#pragma once
#include <span>
#include <string>
#include <string_view>

#include <nonzero/formats/csr.hpp>

// "-" as the name of what is written: stdout, for the next program of a pipe. Matrices and vectors
// are Matrix Market there.
namespace nz::cli {

inline bool is_stdout(std::string_view path) { return path == "-"; }

// For people: where it went.
inline std::string place_text(const std::string& path) {
  return is_stdout(path) ? "to stdout" : path;
}

// A whole text, to a file or to stdout as "-". All these throw BrokenPipe when the reader has gone,
// and what writing to a file throws.
void put_text(const std::string& path, std::string_view text);
template <Value T>
void write_stdout_vector(std::span<const T> v);
void write_stdout_matrix(const CsrView<double, std::int64_t>& a, std::string_view comment);

}  // namespace nz::cli
