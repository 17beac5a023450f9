#pragma once

// The one list of families. A line names the function, defined in the family's own file, that
// returns its entry.
#define NZ_FAMILIES(line)                                                                \
  line(block_band_family) line(random_family) line(grid_family) line(mycielskian_family) \
      line(diagonal_family) line(empty_family)
