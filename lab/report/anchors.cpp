#include "lab/report/anchors.hpp"

#include <cctype>
#include <set>

#include <fmt/format.h>

#include "lab/report/page.hpp"

namespace nz::lab {
namespace {

// Letters, digits, points and single dashes.
std::string plain(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '.')
      all += c;
    else if (!all.empty() && all.back() != '-')
      all += '-';
  }
  while (!all.empty() && all.back() == '-') all.pop_back();
  return all;
}

class Names {
 public:
  std::string fresh(const std::string& text) {
    const std::string wanted = plain(text);
    std::string name = wanted;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}-{}", wanted, i);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace

Anchors anchors_of(const std::vector<Chapter>& chapters) {
  Anchors all;
  Names names;
  for (const Chapter& c : chapters) {
    const Run& run = *c.run;
    const std::string record = chapters.size() > 1 ? run.name + ' ' : "";
    auto& matrices = all.matrices.emplace_back();
    for (const Result* r : lab::matrices(run))
      matrices[r->matrix] = names.fresh("matrix " + record + r->matrix);
    auto& cases = all.cases.emplace_back();
    for (const Result& r : run.record.results) {
      std::string what =
          fmt::format("case {}{} {} {} {}", record, r.matrix, r.kernel, r.type, r.op);
      if (r.threads > 1) what += fmt::format(" {} threads", r.threads);
      if (!r.parameters.empty()) what += ' ' + parameters_text(r.parameters);
      cases.push_back(names.fresh(what));
    }
  }
  return all;
}

}  // namespace nz::lab
