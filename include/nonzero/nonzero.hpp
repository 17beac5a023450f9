#pragma once

// Everything: formats, files, generators, the check, the registry, the plan and the solvers.
#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/solve.hpp>
#include <nonzero/threads.hpp>
#include <nonzero/truth.hpp>
#include <nonzero/version.hpp>
