#include "lab/bench/trial.hpp"

namespace nz::lab {

std::string_view name(Status s) {
  switch (s) {
    case Status::ok:
      return "ok";
    case Status::wrong:
      return "wrong";
    case Status::refused:
      return "refused";
    case Status::failed:
      return "failed";
  }
  return "?";
}

}  // namespace nz::lab
