#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nonzero/version.hpp>

#include "cli/option_table.hpp"

namespace nz::cli {
namespace {

// A text that the formatter takes as it is: no line of it is a command, no dash a hyphen.
std::string plain(std::string_view text) {
  std::string all;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) all += "\\&";
    switch (c) {
      case '\\':
        all += "\\e";
        break;
      case '-':
        all += "\\-";
        break;
      case '\'':
        all += "\\(aq";
        break;
      case '`':
        all += "\\(ga";
        break;
      case '^':
        all += "\\(ha";
        break;
      case '~':
        all += "\\(ti";
        break;
      default:
        all += c;
    }
    line_begins = c == '\n';
  }
  return all;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string value_text(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

// Remarks are filled; examples, which are set in, stay as they are, so far to the left that they
// fit where they fit a terminal.
std::string remarks(std::string_view text) {
  std::string all = text.empty() ? "" : ".PP\n";
  bool examples = false;
  const auto set = [&](bool begin) {
    if (begin != examples) all += begin ? ".PP\n.nf\n.in 2n\n" : ".in\n.fi\n.PP\n";
    examples = begin;
  };
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    set(line.starts_with("  "));
    all += line.empty() ? ".PP\n" : plain(line.substr(examples ? 2 : 0)) + '\n';
  }
  set(false);
  return all;
}

std::string usage(const CommandText& c) {
  std::string all = bold("nonzero") + ' ' + bold(c.name);
  bool options = false;
  for (const OptionText& o : c.options) {
    if (!o.positional) {
      options = true;
      continue;
    }
    const std::string name = value_text(o.names.front()) + (o.repeated ? "..." : "");
    all += o.required ? ' ' + name : fmt::format(" [{}]", name);
  }
  return all + (options ? " [\\fIoptions\\fR]" : "") + '\n';
}

std::string entry(const OptionText& o) {
  std::string names;
  for (const std::string& name : o.names)
    names += (names.empty() ? "" : ", ") + (o.positional ? value_text(name) : bold(name));
  if (!o.value.empty()) names += ' ' + value_text(o.value);
  std::string about = plain(o.help);
  if (!o.choices.empty()) about += plain(fmt::format(" ({})", fmt::join(o.choices, ", ")));
  return fmt::format(".TP\n{}\n{}\n", names, about);
}

// What every command has stands in front, once.
bool is_of_all(const OptionText& option, const CommandText& all) {
  return std::any_of(all.options.begin(), all.options.end(),
                     [&](const OptionText& o) { return o.names == option.names; });
}

constexpr std::string_view environment = R"(.SH ENVIRONMENT
.TP
\fBNONZERO_ISA\fR
The instructions that vector kernels use: portable, avx2, avx512\-loads, avx512; neon, sve.
.TP
\fBNONZERO_CACHE\fR
Where generated matrices and what plans found are kept.
.TP
\fBNONZERO_TUNING\fR
off: plans take the constants that are built in.
.TP
\fBNZ_MATRICES\fR
The folder of the matrices of the suite real.
.TP
\fBNO_COLOR\fR, \fBCOLUMNS\fR
As everywhere: no colour; the width that tables fold to.
)";

}  // namespace

std::string manual_page(const ProgramText& program) {
  const CommandText& all = program.itself;
  std::string page = fmt::format(
      ".TH NONZERO 1 \"\" \"nonzero {}\" \"User Commands\"\n.SH NAME\nnonzero \\- sparse "
      "matrix\\-vector products, measured and checked\n.SH SYNOPSIS\n",
      plain(version()));
  page += bold("nonzero") + " \\fIcommand\\fR [\\fIarguments\\fR] [\\fIoptions\\fR]\n";
  page +=
      ".SH DESCRIPTION\n" + plain(all.summary) +
      "\nResults go to stdout, everything else to stderr.\n.SH OPTIONS\nThose of every command.\n";
  for (const OptionText& o : all.options) page += entry(o);
  page += ".SH COMMANDS\n";
  for (const CommandText& c : program.commands) {
    page += fmt::format(".SS {}\n{}.PP\n{}\n", plain(c.name), usage(c), plain(c.summary + "."));
    for (const OptionText& o : c.options)
      if (!is_of_all(o, all)) page += entry(o);
    page += remarks(c.notes);
  }
  page += environment;
  page += ".SH NOTES\n";
  return page + remarks(all.notes);
}

}  // namespace nz::cli
