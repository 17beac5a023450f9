#pragma once
#include <complex>
#include <cstdint>
#include <string>

#include <nonzero/formats/csr.hpp>
#include <nonzero/io.hpp>

#include "lab/bench/pipe.hpp"

namespace nz::lab {

// A matrix as a person names its file: NAME, edges:NAME or metis:NAME, where NAME may be - for
// stdin, or a pipe. Without a prefix, .txt, .tsv, .csv, .el, .edges and .edgelist are edge lists,
// .graph and .metis METIS graphs, compressed (.gz, .zst) or not, unless they begin as a Matrix
// Market or .nzb file does; all else is what read_matrix() takes, FILE.mat:VARIABLE too.
struct Input {
  std::string path;      // "-": stdin
  std::string variable;  // of a MAT-file; empty: the only one
  enum class Kind { matrix, edges, metis } kind = Kind::matrix;
  bool said = false;  // by a prefix

  explicit Input(const std::string& name);
  bool is_stdin() const { return lab::is_stdin(path); }
  bool is_pipe() const { return lab::is_pipe(path); }
};

struct InputMatrix {
  Csr<double, std::int64_t> matrix;
  std::string note;  // what an edge list counts from
};
// Throws BadInput for what is broken, NoResource for what takes more than the memory limit.
InputMatrix read_input(const Input& input, const ReadOptions& options);

// Whether it has complex values: so says its header. What comes by a pipe stays there for the one
// who reads it.
bool is_complex_input(const Input& input, std::uint64_t memory_limit);
// What read_input() does, of a matrix that is neither edges nor metis.
Csr<std::complex<double>, std::int64_t> read_complex_input(const Input& input,
                                                           const ReadOptions& options);

}  // namespace nz::lab
