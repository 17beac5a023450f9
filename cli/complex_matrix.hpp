#pragma once
#include <complex>
#include <optional>
#include <string>

#include <nonzero/formats/csr.hpp>
#include <nonzero/io.hpp>

#include "cli/session.hpp"

namespace nz::cli {

// Whether it names a file of complex values.
bool is_complex_matrix(const std::string& what, const Session& session);

// A matrix as complex numbers: that of a file of such, or any other without imaginary parts.
struct ComplexSource {
  Csr<std::complex<double>, std::int64_t> matrix;
  std::string name;
  std::optional<FileInfo> file;  // what a complex file said of itself
  double seconds = 0;            // to read
};
ComplexSource load_complex(const Session& session, const std::string& what);

// "10 x 20, 31 nonzeros, complex".
std::string shape_text(const ComplexSource& s);
// The keys that every record of a matrix has.
nlohmann::ordered_json describe(const ComplexSource& s);

// What subcommands do with them.
int info_complex(const Session& session, const std::string& what, nlohmann::ordered_json& all);
int check_complex(const Session& session, const std::string& matrix, const std::string& kernels);

}  // namespace nz::cli
