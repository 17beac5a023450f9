#include "explanation.hpp"

#include <nanobind/stl/string.h>
#include <nonzero/kernel.hpp>

namespace nz::python {
namespace {

namespace nb = nanobind;

nb::dict to_dict(const Features& f) {
  nb::dict d;
  d["rows"] = f.rows;
  d["cols"] = f.cols;
  d["nnz"] = f.nnz;
  d["row_length"] = f.row_length;
  d["longest_row"] = f.longest_row;
  d["compact_bytes"] = f.compact_bytes;
  d["packed_bytes"] = f.packed_bytes;
  d["sell_slots"] = f.sell_slots;
  d["narrow_value_bytes"] = f.narrow_value_bytes;
  d["lines"] = f.lines;
  d["overlap"] = f.overlap;
  d["block_rows"] = f.block_rows;
  d["block_cols"] = f.block_cols;
  d["block_fill"] = f.block_fill;
  d["tile_entries"] = f.tile_entries;
  d["hottest"] = f.hottest;
  d["nonempty_rows"] = f.nonempty_rows;
  d["nonempty_cols"] = f.nonempty_cols;
  return d;
}

nb::dict to_dict(const Candidate& c) {
  nb::dict d, parameters;
  for (const auto& [name, value] : c.parameters) parameters[name.c_str()] = value;
  d["kernel"] = c.kernel ? c.kernel->id() : std::string();
  d["parameters"] = parameters;
  d["transposed"] = c.transposed;
  d["n_seconds"] = c.n_seconds;
  d["t_seconds"] = c.t_seconds;
  d["setup_seconds"] = c.setup_seconds;
  d["bytes"] = c.bytes;
  d["why"] = c.why;
  d["why_not"] = c.why_not;
  d["measured_seconds"] = c.measured_seconds;
  return d;
}

}  // namespace

nb::dict to_dict(const Explanation& e) {
  nb::dict d;
  nb::list candidates;
  for (const Candidate& c : e.candidates) candidates.append(to_dict(c));
  d["device"] = e.device;
  d["threads"] = e.threads;
  d["features"] = to_dict(e.features);
  d["candidates"] = candidates;
  nb::dict rounding;
  rounding["stored_as"] = std::string(name(e.rounding.as));
  rounding["values"] = e.rounding.values;
  rounding["changed"] = e.rounding.changed;
  rounding["relative"] = e.rounding.relative;
  rounding["absolute"] = e.rounding.absolute;
  d["rounding"] = rounding;
  d["n"] = e.n;
  d["t"] = e.t;
  d["deterministic"] = e.deterministic;
  d["why"] = e.why;
  d["input"] = e.input;
  d["checking"] = e.checking;
  d["looking"] = e.looking;
  d["converting"] = e.converting;
  d["timing"] = e.timing;
  d["bytes"] = e.bytes;
  d["csr_bytes"] = e.csr_bytes;
  d["from_cache"] = e.from_cache;
  return d;
}

}  // namespace nz::python
