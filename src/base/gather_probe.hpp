#pragma once

namespace nz {

// Whether the processor's gather of AVX-512, which it must have, keeps up with single loads.
// Since the mitigation of gather data sampling it takes three times as long on many processors
// from Skylake to Ice Lake; others never were quick. Measured on the spot, in some 100
// microseconds. Loads must be clearly faster, so that the answer does not change from one run to
// the next.
bool gathers_pay();

}  // namespace nz
