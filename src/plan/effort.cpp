#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>

namespace nz {

std::string_view name(Effort effort) {
  switch (effort) {
    case Effort::instant:
      return "instant";
    case Effort::balanced:
      return "balanced";
    default:
      return "thorough";
  }
}

Effort effort_named(std::string_view wanted) {
  for (const Effort e : {Effort::instant, Effort::balanced, Effort::thorough})
    if (name(e) == wanted) return e;
  throw InvalidArgument(
      fmt::format("no effort '{}'; there are instant, balanced and thorough", wanted));
}

}  // namespace nz
