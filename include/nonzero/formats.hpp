#pragma once

// The list of storage formats. Next in line: the CSB family.
#include <nonzero/formats/coo.hpp>
#include <nonzero/formats/csr.hpp>
