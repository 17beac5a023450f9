#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "lab/bench/runner.hpp"

namespace nz::lab {

std::vector<Job> jobs(const Order& order) {
  std::set<std::string> unused;
  for (const auto& [name, values] : order.parameters) unused.insert(name);
  std::vector<Job> all;
  for (const Kernel* kernel : order.kernels) {
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
        all.push_back({kernel, kernel->fit ? choice : complete, threads});
      }
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
