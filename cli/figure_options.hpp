#pragma once
#include <string>

#include "lab/report/report.hpp"

namespace nz::cli {

class Command;

// How figures are made for a paper, as people say it: --width, --font, --no-title, --palette,
// --dpi, and --formats where the name of a file does not say it.
struct FigureOptions {
  std::string width, palette = "standard", formats = "svg,pdf,png";
  double font = 0;  // points; 0: as they are
  int dots_per_inch = 300;
  bool no_title = false;

  void add_to(Command& command);
  void add_formats_to(Command& command);

  struct Made {
    lab::FigureStyle style;  // how they are laid out
    lab::FigureFiles files;  // how they are written
  };
  // Throws InvalidArgument, naming the option.
  Made made() const;
};

}  // namespace nz::cli
