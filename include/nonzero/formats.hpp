#pragma once

// The list of storage formats, and what helps to choose one. Conversions trust: validate() first.
#include <nonzero/formats/block_grid.hpp>
#include <nonzero/formats/blocks.hpp>
#include <nonzero/formats/bsr.hpp>
#include <nonzero/formats/compact.hpp>
#include <nonzero/formats/coo.hpp>
#include <nonzero/formats/csb.hpp>
#include <nonzero/formats/csb_baseline.hpp>
#include <nonzero/formats/csc.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/dcsr.hpp>
#include <nonzero/formats/dia.hpp>
#include <nonzero/formats/ecsb.hpp>
#include <nonzero/formats/ell.hpp>
#include <nonzero/formats/gcsb.hpp>
#include <nonzero/formats/hyb.hpp>
#include <nonzero/formats/packed.hpp>
#include <nonzero/formats/pattern.hpp>
#include <nonzero/formats/sell.hpp>
#include <nonzero/formats/stored_values.hpp>
#include <nonzero/formats/tiles.hpp>
#include <nonzero/formats/wide.hpp>
