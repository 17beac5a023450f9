#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "lab/bench/runner.hpp"

namespace nz::lab {

namespace {

bool takes_part(const Order& order, const Kernel& kernel, const VectorSet& vectors) {
  if (!vectors.several()) return !only_for_several(kernel) || order.named_spmm;
  return kernel.several || (order.named && kernel.family != "peer");
}

// Of as many vectors: for several, what a plan chooses is the plan itself.
std::vector<const Kernel*> kernels_for(const Order& order, const VectorSet& vectors) {
  std::vector<const Kernel*> all = order.kernels;
  if (vectors.several() && order.plan)
    for (const Op op : order.ops)
      for (const Kernel* k : match_kernels(op == Op::none ? "plan/balanced/n" : "plan/balanced/t"))
        if (k->runs_on_device(order.device.kind) &&
            std::find(all.begin(), all.end(), k) == all.end())
          all.push_back(k);
  std::erase_if(all, [&](const Kernel* k) { return !takes_part(order, *k, vectors); });
  return all;
}

// All of one number of vectors, added to those before.
void add_jobs(std::vector<Job>& all, const Order& order, const VectorSet& vectors,
              std::set<std::string>& unused) {
  for (const Kernel* kernel : kernels_for(order, vectors)) {
    std::vector<Parameters> choices{{}};
    for (const Parameter& p : kernel->parameters) {
      const auto wanted = order.parameters.find(std::string(p.name));
      if (wanted == order.parameters.end()) continue;
      unused.erase(wanted->first);
      std::vector<Parameters> more;
      for (const Parameters& choice : choices)
        for (const std::int64_t value : wanted->second) {
          more.push_back(choice);
          more.back()[wanted->first] = value;
        }
      choices = std::move(more);
    }
    const std::vector<int> one{1};
    for (const int threads : kernel->threaded ? order.threads : one)
      for (const Parameters& choice : choices) {
        const Parameters complete = kernel->resolve(choice);
        all.push_back({kernel, kernel->fit ? choice : complete, threads, vectors});
      }
  }
}

}  // namespace

std::vector<Job> jobs(const Order& order) {
  std::set<std::string> unused;
  for (const auto& [name, values] : order.parameters) {
    if (name == vectors_name || name == layout_name)
      throw InvalidArgument(fmt::format("--param {0}: --{0} says it for all kernels", name));
    unused.insert(name);
  }
  std::vector<Job> all;
  for (const VectorSet& vectors : order.vectors) {
    const std::size_t before = all.size();
    add_jobs(all, order, vectors, unused);
    if (vectors.several() && all.size() == before)
      throw InvalidArgument(fmt::format(
          "none of the kernels multiplies {} vectors at once, but one by one", vectors.count));
  }
  if (!unused.empty())
    throw InvalidArgument(fmt::format("none of the kernels has a parameter '{}'", *unused.begin()));
  return all;
}

bool pin(const Order& order) {
  const ThreadScope scope(*std::max_element(order.threads.begin(), order.threads.end()));
  return pin_threads();
}

}  // namespace nz::lab
