#pragma once

// What a shared library shows of itself: all that stands in a public header. Everything else is
// hidden where nonzero is built as one. Namespaces of public headers say it for all that they
// have but function templates, which say it themselves.
#if defined(__GNUC__)
#define NZ_API [[gnu::visibility("default")]]
#else
#define NZ_API
#endif
