#include "kernels/gpu/bsr/stream_shapes.hpp"

namespace nz::NZ_HOME {

template StreamFacts stream_facts<float>(int, int, bool);
template void launch_stream(CUstream_st*, int, int, bool, int, const ShareView<float>&,
                            const BsrOperands<float>&);

}  // namespace nz::NZ_HOME
