#pragma once

// The one list of families. A line names the function, defined in the family's own file, that
// returns its entry.
// clang-format off
#define NZ_FAMILIES(line)  \
  line(banded_family)      \
  line(bibd_family)        \
  line(block_band_family)  \
  line(blocks_family)      \
  line(chessboard_family)  \
  line(communities_family) \
  line(diagonal_family)    \
  line(edges_family)       \
  line(empty_family)       \
  line(fem_family)         \
  line(giant_family)       \
  line(grid_family)        \
  line(halo_family)        \
  line(heisenberg_family)  \
  line(ideal_family)       \
  line(kkt_family)         \
  line(lp_family)          \
  line(mycielskian_family) \
  line(profile_family)     \
  line(qap_family)         \
  line(random_family)      \
  line(rmat_family)        \
  line(road_family)        \
  line(sat_family)         \
  line(shells_family)      \
  line(stokes_family)      \
  line(terms_family)       \
  line(tets_family)        \
  line(tomography_family)  \
  line(web_family)
// clang-format on
