#include "cli/completion.hpp"

#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "lab/papers/experiments.hpp"

namespace nz::cli {
namespace {

CompletionLists lists_of_this_program() {
  CompletionLists all;
  for (const Kernel& k : kernels()) all.kernels.push_back(k.id());
  for (const Family& f : families()) {
    all.families.emplace_back(f.name);
    all.matrices.push_back("gen:" + std::string(f.name));
  }
  for (const NamedMatrix& n : named_matrices()) {
    all.families.push_back("like:" + std::string(n.name));
    all.matrices.push_back("like:" + std::string(n.name));
  }
  all.experiments.emplace_back("all");
  for (const lab::Experiment& e : lab::experiments()) all.experiments.emplace_back(e.name);
  return all;
}

}  // namespace

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string completion_script(const ProgramText& program, const std::string& shell) {
  const CompletionLists lists = lists_of_this_program();
  if (shell == "bash") return bash_completion(program, lists);
  if (shell == "zsh") return zsh_completion(program, lists);
  if (shell == "fish") return fish_completion(program, lists);
  throw InvalidArgument("no completion for '" + shell + "'; there are bash, zsh and fish");
}

}  // namespace nz::cli
