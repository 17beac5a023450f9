#pragma once

// Everything: formats, files, generators, the check, the registry, the plan and the solvers; but
// for adaptors/, whose headers need other libraries.
#include <nonzero/batch.hpp>
#include <nonzero/dense.hpp>
#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>
#include <nonzero/linear_operator.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/preconditioners.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/solve.hpp>
#include <nonzero/spans.hpp>
#include <nonzero/threads.hpp>
#include <nonzero/truth.hpp>
#include <nonzero/version.hpp>
#include <nonzero/wide.hpp>
#include <nonzero/wide_io.hpp>
