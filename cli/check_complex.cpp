#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/truth.hpp>

#include "cli/complex_matrix.hpp"
#include "cli/counting.hpp"
#include "cli/kernels.hpp"
#include "lab/bench/vectors.hpp"
#include "lab/report/text.hpp"

// nonzero check on a complex matrix: every kernel that takes complex values, all four products.
namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Found {
  std::string outcome = "right", reason{};
  int products = 0;
  double worst = 0;
};

template <class T>
std::vector<T> random_vector(std::size_t n, std::uint64_t seed) {
  using R = real_of<T>;
  std::vector<R> parts(2 * n);
  lab::fill_random<R>({parts.data(), parts.size()}, seed);
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = {parts[2 * i], parts[2 * i + 1]};
  return v;
}

template <class T>
Found check_op(const Product<T>& product, const CsrView<T, std::int64_t>& a, Op op) {
  struct Scalars {
    T alpha, beta;
  };
  using R = real_of<T>;
  const R half = R(-0.5);
  const Scalars all[] = {{T(1), T(0)}, {T(half, 1), T(1)}, {T(0, 1), T(half, half)}, {T(0), T(1)}};
  Found found;
  const auto in = static_cast<std::size_t>(is_transposed(op) ? a.rows : a.cols);
  const auto out = static_cast<std::size_t>(is_transposed(op) ? a.cols : a.rows);
  const std::vector<T> x = random_vector<T>(in, 2);
  constexpr R none = std::numeric_limits<R>::quiet_NaN();
  for (const auto& [alpha, beta] : all) {
    const std::vector<T> before =
        beta == T(0) ? std::vector<T>(out, T(none, none)) : random_vector<T>(out, 3);
    std::vector<T> y = before;
    product.multiply(op, alpha, x, beta, y);
    const Verdict v = check_product<T, std::int64_t>(a, op, alpha, x, beta, before, y);
    ++found.products;
    found.worst = std::max(found.worst, v.worst);
    if (v.right()) continue;
    found.outcome = "wrong";
    found.reason = v.message();
    break;
  }
  return found;
}

template <class T>
void check_type(const Kernel& kernel, const CsrView<T, std::int64_t>& a, Device device,
                std::vector<Found>& all) {
  std::shared_ptr<const Product<T>> product;
  Found refused;
  try {
    product = prepare(kernel, a, {}, device);
  } catch (const Refused& e) {
    refused = {.outcome = "refused", .reason = e.what()};
  } catch (const NoResource& e) {
    refused = {.outcome = "no resource", .reason = e.what()};
  }
  for (const Op op : all_complex_ops) all.push_back(product ? check_op(*product, a, op) : refused);
}

}  // namespace

int check_complex(const Session& session, const std::string& matrix, const std::string& kernels) {
  const Device device = session.where();
  std::vector<const Kernel*> chosen;
  for (const Kernel* k : select_kernels(kernels))
    if (k->supports(ValueType::c128) && k->runs_on_device(device.kind)) chosen.push_back(k);
  if (chosen.empty())
    throw InvalidArgument(fmt::format("no kernel {}takes complex values on {}",
                                      kernels.empty() ? "" : fmt::format("of '{}' ", kernels),
                                      device.name()));
  const ComplexSource source = load_complex(session, matrix);
  const auto a = source.matrix.view();
  const auto in_c64 = csr_cast<std::complex<float>, std::int64_t>(a);
  std::vector<lab::Table::Column> columns{{"kernel"}};
  for (const char* type : {"c64", "c128"})
    for (const Op op : all_complex_ops) columns.push_back({fmt::format("{} {}", type, name(op))});
  columns.push_back({"worst error", lab::Align::right});
  lab::Table table(columns);
  Json records = Json::array();
  std::string remarks;
  int wrong = 0, products = 0;
  for (const Kernel* k : chosen) {
    std::vector<Found> all;
    check_type<std::complex<float>>(*k, in_c64.view(), device, all);
    check_type<std::complex<double>>(*k, a, device, all);
    std::vector<lab::Cell> row{k->id()};
    double worst = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Found& f = all[i];
      const bool bad = f.outcome == "wrong";
      wrong += bad;
      products += f.products;
      worst = std::max(worst, f.worst);
      row.push_back({bad ? "WRONG" : f.outcome, bad                    ? lab::Tone::bad
                                                : f.outcome == "right" ? lab::Tone::good
                                                                       : lab::Tone::dim});
      Json r{{"kernel", k->id()},
             {"type", i < 4 ? "c64" : "c128"},
             {"op", name(all_complex_ops[i % 4])},
             {"outcome", f.outcome},
             {"products", f.products},
             {"worst_error", f.worst}};
      if (!f.reason.empty()) {
        r["reason"] = f.reason;
        remarks += fmt::format("{} {} {}: {}: {}\n", k->id(), i < 4 ? "c64" : "c128",
                               name(all_complex_ops[i % 4]), f.outcome, counted_from_one(f.reason));
      }
      records.push_back(std::move(r));
    }
    row.emplace_back(lab::percent_text(worst));
    table.add(std::move(row));
  }
  session.say("{}: {}\n\n", source.name, shape_text(source));
  session.print(table);
  if (!remarks.empty()) session.print("\n" + remarks);
  session.say("\n{} checked: {}.\n", lab::plural(products, "product", "products"),
              wrong == 0 ? lab::toned("all right", lab::Tone::good, session.colour())
                         : lab::toned("WRONG", lab::Tone::bad, session.colour()));
  Json r = describe(source);
  r["device"] = device.name();
  r["right"] = wrong == 0;
  r["results"] = std::move(records);
  session.write(r);
  return wrong > 0 ? check_failed : ok;
}

}  // namespace nz::cli
