#include <algorithm>
#include <memory>
#include <string>

#include <unistd.h>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/report/spy.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string matrix;
  std::string output;
  int size = 0;  // 0: 800 pixels, or what the terminal has
  bool ascii = false;
};

int spy(const Session& session, const Options& o) {
  if (!o.output.empty() && !o.output.ends_with(".png"))
    throw InvalidArgument(fmt::format("-o {}: the picture's name must end in .png", o.output));
  require_output(o.output);
  require_apart({{"-o", o.output}}, files_of_matrices({o.matrix}));
  const lab::Source source = session.load(o.matrix);
  const auto a = source.matrix.view();
  if (!o.output.empty()) {
    constexpr int usual_pixels = 800;
    const auto size = lab::write_spy_png(o.output, a, o.size > 0 ? o.size : usual_pixels);
    status("wrote {}: {} x {} pixels", o.output, size.width, size.height);
    return ok;
  }
  TerminalSize room = terminal_size(STDOUT_FILENO);
  // Two lines for the title and the prompt.
  room.lines = std::max(8, room.lines - 2);
  if (o.size > 0) room = {o.size + 2, o.size + 2};
  const auto glyphs = o.ascii || !utf8_locale() ? lab::Glyphs::ascii : lab::Glyphs::braille;
  session.say("{}: {}\n", lab::label(source), shape_text(a));
  session.print(lab::spy_text(a, room.columns, room.lines, glyphs));
  return ok;
}

}  // namespace

void add_spy(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("spy", "Draw where the nonzeros are, in the terminal or as PNG")
      .needs("MATRIX", o->matrix, "A file, gen:SPEC or like:NAME")
      .option("-o,--output", "FILE.png", o->output, "Write a PNG instead")
      .number("--size", "N", o->size, 1, 16384, "Pixels (or characters) of the longer side")
      .flag("--ascii", o->ascii, "Draw with plain ASCII characters")
      .memory_limit()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero spy gen:mycielskian\n"
          "  nonzero spy cant.mtx -o cant.png --size 1200")
      .runs([&session, o] { return spy(session, *o); });
}

}  // namespace nz::cli
