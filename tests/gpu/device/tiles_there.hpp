#pragma once
#include <nonzero/formats/tiles.hpp>

// Both homes of tiles that are made of CSR on the current device, where `a` lies, and fetched.
#define NZ_TILES_THERE        \
  template <class T, class O> \
  Tiles<T> tiles_there(const CsrView<T, O>& a, int side_bits);
namespace nz::cuda {
NZ_TILES_THERE
}
namespace nz::emulated {
NZ_TILES_THERE
}
#undef NZ_TILES_THERE
