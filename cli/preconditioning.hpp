#pragma once
#include <string>

#include <nonzero/preconditioners.hpp>

#include "lab/solve/choose_method.hpp"

// --preconditioner of `nonzero solve`.
namespace nz::cli {

// "fsai", "fsai:2", "block:5": a name, and the number behind it or what is usual.
struct PreconditionerChoice {
  std::string kind = "none";
  int number = 0;
};

// The names there are, for people.
const char* preconditioner_names();

// Throws InvalidArgument for another name or number, and for one that does not run on the device.
PreconditionerChoice parse_preconditioner(const std::string& text, Device device);

// Throws InvalidArgument where it is for symmetric matrices and this one is not; what the matrix
// has no such preconditioner for is a BadInput that says what to try.
template <Value T>
solve::Preconditioner<T> make_preconditioner(const PreconditionerChoice& choice,
                                             const Plan<T>& plan, const CsrView<T, std::int64_t>& a,
                                             const lab::SystemTraits& traits);

}  // namespace nz::cli
