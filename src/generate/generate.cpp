#include <nonzero/generate.hpp>

#include <new>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/nearest.hpp"
#include "generate/family_list.hpp"
#include "generate/memory.hpp"
#include "generate/spec.hpp"

namespace nz {

#define NZ_DECLARE(entry) Family entry();
NZ_FAMILIES(NZ_DECLARE)
#undef NZ_DECLARE

std::span<const Family> families() {
  static const std::vector<Family> all = {
#define NZ_CALL(entry) entry(),
      NZ_FAMILIES(NZ_CALL)
#undef NZ_CALL
  };
  return all;
}

namespace {

constexpr std::string_view like = "like:";

const NamedMatrix& find_named(std::string_view name) {
  std::vector<std::string> names;
  for (const NamedMatrix& m : named_matrices()) {
    if (m.name == name) return m;
    names.emplace_back(m.name);
  }
  throw InvalidArgument(
      fmt::format("no paper names a matrix '{}'; nearest: {}", name, nearest(name, names)));
}

// What a family throws, with the specification that made it do so.
template <class Action>
auto of(const Spec& spec, Action&& action) {
  try {
    return action();
  } catch (const InvalidArgument& e) {
    throw InvalidArgument(fmt::format("{}: {}", spec.family->name, e.what()));
  } catch (const NoResource& e) {
    throw NoResource(fmt::format("{}: {}", to_string(spec), e.what()));
  } catch (const std::bad_alloc&) {
    throw NoResource(fmt::format("{}: not enough memory", to_string(spec)));
  }
}

GeneratedMatrix make(const Spec& spec, const GenerateOptions& options) {
  return of(spec, [&] {
    require_memory(spec.family->size(spec.settings), options.memory_limit);
    return spec.family->make(spec.settings);
  });
}

}  // namespace

MatrixSize estimate(std::string_view text) {
  const Spec spec =
      parse_spec(text.starts_with(like) ? find_named(text.substr(like.size())).spec : text);
  return of(spec, [&] { return spec.family->size(spec.settings); });
}

Generated generate(std::string_view text, const GenerateOptions& options) {
  if (!text.starts_with(like)) {
    const Spec spec = parse_spec(text);
    return {make(spec, options), to_string(spec), false, std::string(spec.family->summary)};
  }
  const NamedMatrix& named = find_named(text.substr(like.size()));
  return {make(parse_spec(named.spec), options),
          fmt::format("{}{}{}", like, named.name, named.exact ? "" : " (stand-in)"), !named.exact,
          std::string(named.note)};
}

void check_spec(std::string_view text) {
  if (text.starts_with(like))
    find_named(text.substr(like.size()));
  else
    parse_spec(text);
}

}  // namespace nz
