#pragma once
#include <nonzero/nonzero.h>

// The types of values that functions of C end with: define(suffix, type, factor, address), where
// `factor` is how alpha and beta come and `address` makes a pointer of one. Complex ones come by
// pointer (nonzero/c/complex.h).
#define NZ_C_REAL(define) define(f32, float, float, &) define(f64, double, double, &)
#define NZ_C_COMPLEX(define) \
  define(c64, nz_c64, const nz_c64*, ) define(c128, nz_c128, const nz_c128*, )
#define NZ_C_ALL(define) NZ_C_REAL(define) NZ_C_COMPLEX(define)
