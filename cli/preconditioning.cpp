#include "cli/preconditioning.hpp"

#include <charconv>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz::cli {
namespace {

struct Known {
  const char* name;
  int usual = 0;             // number; 0: takes none, below 0: needs one
  bool symmetric = false;    // for symmetric matrices alone
  bool everywhere = true;    // on every device
  const char* instead = "";  // where the matrix has none
};

constexpr Known all[] = {
    {.name = "none"},
    {.name = "jacobi", .instead = "spai1"},
    {.name = "block", .usual = -1},
    {.name = "fsai", .usual = 1, .symmetric = true, .instead = "spai1 with --method gmres"},
    {.name = "chebyshev", .usual = 4, .symmetric = true, .instead = "spai1 with --method gmres"},
    {.name = "spai0", .instead = "spai1"},
    {.name = "spai1"},
    {.name = "ic0", .symmetric = true, .everywhere = false, .instead = "spai1 with --method gmres"},
    {.name = "ilu0", .everywhere = false, .instead = "spai1"},
};

const Known* find(std::string_view name) {
  for (const Known& k : all)
    if (k.name == name) return &k;
  return nullptr;
}

template <Value T>
solve::Preconditioner<T> made(const PreconditionerChoice& c, const Plan<T>& plan,
                              const CsrView<T, std::int64_t>& a) {
  const Device device = plan.device();
  if (c.kind == "jacobi") return solve::jacobi(a, device);
  if (c.kind == "block") return solve::block_jacobi(a, c.number, device);
  if (c.kind == "fsai") return solve::fsai(a, {.power = c.number}, device);
  if (c.kind == "chebyshev") return solve::chebyshev(plan, a, {.degree = c.number});
  if (c.kind == "spai0") return solve::spai(a, 0, device);
  if (c.kind == "spai1") return solve::spai(a, 1, device);
  if (c.kind == "ic0") return solve::incomplete_cholesky(a);
  if (c.kind == "ilu0") return solve::incomplete_lu(a);
  return {};
}

}  // namespace

const char* preconditioner_names() {
  return "none (default), jacobi, block:N, fsai[:POWER], chebyshev[:DEGREE],\n"
         "spai0, spai1; on the CPU also ic0 and ilu0";
}

PreconditionerChoice parse_preconditioner(const std::string& text, Device device) {
  const auto colon = text.find(':');
  PreconditionerChoice choice{.kind = text.substr(0, colon)};
  const Known* known = find(choice.kind);
  const auto refuse = [&] {
    throw InvalidArgument(
        fmt::format("no preconditioner '{}'; there are none, jacobi, block:N, fsai[:POWER], "
                    "chebyshev[:DEGREE], spai0, spai1, ic0 and ilu0",
                    text));
  };
  if (!known || (known->usual < 0 && colon == text.npos) ||
      (known->usual == 0 && colon != text.npos))
    refuse();
  choice.number = known->usual;
  if (colon != text.npos) {
    const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
    if (begin == end || std::from_chars(begin, end, choice.number).ptr != end || choice.number < 1)
      refuse();
  }
  if (!known->everywhere && device != cpu_device)
    throw InvalidArgument(fmt::format("--preconditioner {} runs on the CPU alone, not on {}: {}",
                                      choice.kind, device.name(),
                                      known->symmetric ? "fsai or chebyshev do" : "spai1 does"));
  return choice;
}

template <Value T>
solve::Preconditioner<T> make_preconditioner(const PreconditionerChoice& choice,
                                             const Plan<T>& plan, const CsrView<T, std::int64_t>& a,
                                             const lab::SystemTraits& traits) {
  const Known& known = *find(choice.kind);
  if (known.symmetric && !traits.symmetric)
    throw InvalidArgument(fmt::format(
        "--preconditioner {} is for symmetric matrices, this one is not: spai1 takes it",
        choice.kind));
  try {
    return made(choice, plan, a);
  } catch (const BadInput& e) {
    if (traits.singular())
      throw BadInput(
          fmt::format("{}: {}, without --preconditioner", e.what(), lab::singular_text(traits)));
    if (*known.instead == '\0') throw;
    throw BadInput(fmt::format("{}: try --preconditioner {}", e.what(), known.instead));
  }
}

#define NZ_INSTANTIATE(T)                                                           \
  template solve::Preconditioner<T> make_preconditioner(                            \
      const PreconditionerChoice&, const Plan<T>&, const CsrView<T, std::int64_t>&, \
      const lab::SystemTraits&);
NZ_INSTANTIATE(float)
NZ_INSTANTIATE(double)

}  // namespace nz::cli
