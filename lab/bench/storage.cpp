#include "lab/bench/storage.hpp"

#include <type_traits>
#include <utility>

#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>

namespace nz::lab {
namespace {

template <class Format>
void measure(Storage& s, const Format& f) {
  s.bytes = f.bytes();
  if constexpr (requires { f.fill_ratio(); }) s.slots_per_nonzero = f.fill_ratio();
}

template <Offset O>
using Convert = void (*)(Storage&, const CsrView<double, O>&);

template <Offset O>
std::vector<std::pair<const char*, Convert<O>>> conversions() {
  using View = CsrView<double, O>;
  return {{"csr", [](Storage& s, const View& a) { s.bytes = a.bytes(); }},
          {"coo", [](Storage& s, const View& a) { measure(s, coo_from_csr(a)); }},
          {"csc", [](Storage& s, const View& a) { measure(s, csc_from_csr(a)); }},
          {"dcsr", [](Storage& s, const View& a) { measure(s, dcsr_from_csr(a)); }},
          {"csb", [](Storage& s, const View& a) { measure(s, csb_from_csr(a)); }},
          {"csb-baseline", [](Storage& s, const View& a) { measure(s, csb_baseline_from_csr(a)); }},
          {"ecsb", [](Storage& s, const View& a) { measure(s, ecsb_from_csr(a)); }},
          {"gcsb", [](Storage& s, const View& a) { measure(s, gcsb_from_csr(a)); }},
          {"tile", [](Storage& s, const View& a) { measure(s, tiles_from_csr(a)); }},
          {"ell", [](Storage& s, const View& a) { measure(s, ell_from_csr(a)); }},
          {"sell", [](Storage& s, const View& a) { measure(s, sell_from_csr(a)); }},
          {"compact", [](Storage& s, const View& a) { measure(s, compact_from_csr(a)); }},
          {"packed", [](Storage& s, const View& a) { measure(s, packed_from_csr(a)); }},
          {"hyb", [](Storage& s, const View& a) { measure(s, hyb_from_csr(a)); }},
          {"bsr 2x2", [](Storage& s, const View& a) { measure(s, bsr_from_csr(a, 2, 2)); }},
          {"bsr 3x3", [](Storage& s, const View& a) { measure(s, bsr_from_csr(a, 3, 3)); }},
          {"bsr 4x4", [](Storage& s, const View& a) { measure(s, bsr_from_csr(a, 4, 4)); }},
          {"dia", [](Storage& s, const View& a) { measure(s, dia_from_csr(a)); }}};
}

template <Offset O, class Tell>
std::vector<Storage> measure_all(const CsrView<double, O>& a, const Tell& tell) {
  std::vector<Storage> all;
  const auto formats = conversions<O>();
  for (const auto& [format, convert] : formats) {
    if (tell) tell(format, static_cast<int>(all.size()), static_cast<int>(formats.size()));
    Storage& s = all.emplace_back(Storage{.format = format});
    try {
      convert(s, a);
      s.ratio = static_cast<double>(s.bytes) / static_cast<double>(a.bytes());
    } catch (const Refused& e) {
      s.refused = e.what();
    }
  }
  return all;
}

}  // namespace

std::vector<Storage> storage(const Narrowed& a,
                             const std::function<void(std::string_view, int, int)>& tell) {
  return std::visit([&](const auto& m) { return measure_all(m.view(), tell); }, a);
}

}  // namespace nz::lab
