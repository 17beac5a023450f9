#pragma once
#include <cstdint>

#include <nonzero/formats/csr.hpp>
#include <nonzero/io.hpp>

#include "io/source.hpp"

// Files of graphs, plain or compressed by gzip or zstd. An edge becomes an entry in the row where
// it begins and the column where it ends; edges that stand there several times are summed. Both
// throw BadInput, with file and line, for what is broken, and bound memory as read_matrix() does.
namespace nz {

// A line an edge, "from to", "from to weight" or "from to weight time", and lines of comments that
// begin with # or %, as SNAP has them. The first line may have these names of the columns instead.
// Nodes count from 0 where any line has a node 0, and from 1 otherwise; `from_zero` tells.
Csr<double, std::int64_t> read_edge_list(const Source& file, const ReadOptions& options,
                                         bool& from_zero);

// METIS: "nodes edges [format [weights]]", then a line of neighbours for each node, counted from 1.
// Weights of edges are values, those of nodes are read over.
Csr<double, std::int64_t> read_metis(const Source& file, const ReadOptions& options);

}  // namespace nz
