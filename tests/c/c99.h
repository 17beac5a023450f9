#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
int c99_round_trip(void);
int c99_complex(void);
size_t c99_layout(int which);
#ifdef __cplusplus
}
#endif
