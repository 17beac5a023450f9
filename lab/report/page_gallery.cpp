#include <fmt/format.h>

#include "lab/report/page.hpp"
#include "lab/report/spy.hpp"
#include "lab/report/text.hpp"

// The pictures of the matrices, as many beside each other as the page has room for.
namespace nz::lab {
namespace {

std::string item(const Run& run, const Result& r, const std::string& id) {
  // What a browser needs to keep the room before the picture is there; style sheets scale it.
  constexpr int side = 64;
  const PictureSize s =
      picture_size(static_cast<index_t>(r.rows), static_cast<index_t>(r.cols), side);
  const std::string size = plural(r.nnz, "nonzero", "nonzeros");
  return fmt::format(
      "<li id=\"{}\"><a href=\"#{}\" title=\"{}&#10;{} x {}, {}\"><img alt=\"Where the nonzeros of "
      "{} "
      "are\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\"><span>{}</span></a> "
      "<small>{}"
      "</small></li>\n",
      id, id, escaped(r.source), count_text(r.rows), count_text(r.cols), size, escaped(r.matrix),
      s.width, s.height, base64(picture_png(run.record.pictures.at(r.matrix))), escaped(r.matrix),
      size);
}

}  // namespace

std::string gallery_html(const Run& run, const std::map<std::string, std::string>& ids,
                         const std::string& caption) {
  std::string items;
  for (const Result* r : matrices(run)) {
    const auto at = run.record.pictures.find(r->matrix);
    if (at == run.record.pictures.end() || at->second.empty()) continue;
    items += item(run, *r, ids.at(r->matrix));
  }
  if (items.empty()) return "";
  return fmt::format(
      "<figure class=\"gallery\" data-kind=\"spy\" data-variant=\"\">\n<h3>The "
      "matrices</h3>\n<ul>\n"
      "{}</ul><figcaption>{}</figcaption></figure>\n",
      items, escaped(caption));
}

}  // namespace nz::lab
