#include "report/browser.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <sys/wait.h>

#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

std::string output_of(const std::string& command, int& code) {
  std::string all;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("popen failed");
  std::array<char, 4096> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
    all.append(part.data(), n);
  const int status = pclose(pipe);
  code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return all;
}

std::string quoted(const std::string& s) { return '\'' + s + '\''; }

// The browser with a profile of its own, gone afterwards.
std::string run_browser(const TempDir& dir, const std::string& arguments, Paper paper) {
  int code = 0;
  const std::string all = output_of(
      "HOME=" + quoted(dir("")) + " timeout 60 " + browser() +
          " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars"
          " --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=2000 --user-data-dir=" +
          quoted(dir("profile")) +
          (paper == Paper::dark ? " --blink-settings=preferredColorScheme=0 " : " ") + arguments +
          " 2>" + quoted(dir("log")),
      code);
  if (code != 0)
    throw std::runtime_error("the browser ended with " + std::to_string(code) + ": " +
                             read_file(dir("log")));
  return all;
}

void insert(std::string& page, const std::string& before, const std::string& what) {
  const auto at = page.rfind(before);
  if (at == page.npos) throw std::runtime_error("the page has no " + before);
  page.insert(at, what);
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto begin = text.find(from);
  const auto end = begin == text.npos ? begin : text.find(to, begin + from.size());
  if (end == text.npos) throw std::runtime_error("the page's script did not get to its end");
  return text.substr(begin + from.size(), end - begin - from.size());
}

// What the browser writes of a text.
std::string unescaped(std::string s) {
  for (const auto& [code, c] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}})
    for (std::size_t at = 0; (at = s.find(code, at)) != s.npos; ++at)
      s.replace(at, std::string(code).size(), c);
  return s;
}

constexpr const char* watch =
    "<script>window.selftest_errors=[];"
    "window.onerror=(m,u,line)=>{selftest_errors.push(m+' line '+line)};"
    "for(const how of ['error','warn']){const old=console[how];"
    "console[how]=(...a)=>{selftest_errors.push(a.join(' '));old(...a)}}"
    "</script>";

}  // namespace

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    int code = 0;
    std::string path = output_of("command -v " + std::string(name), code);
    if (code == 0 && !path.empty()) return path.substr(0, path.find('\n'));
  }
  return "";
}

nlohmann::json selftest(const std::string& page, Medium medium, Paper paper) {
  const TempDir dir;
  std::string text = read_file(page);
  insert(text, "<meta charset", watch);
  insert(text, "</body>",
         "<script>" + read_file(NZ_SOURCE_DIR "/tests/report/selftest.js") + "</script>");
  if (medium == Medium::print) {
    replace_all(text, "@media print", "@media all");
    replace_all(text, "@media screen", "@media tty");
  }
  std::string open = dir.write("page.html", text);
  if (medium != Medium::desk)
    open = dir.write("phone.html",
                     "<!doctype html><iframe src=\"page.html\" width=\"" +
                         std::string(medium == Medium::phone ? "360" : "720") +
                         "\" height=\"740\"></iframe>"
                         "<script>onmessage=(e)=>{const p=document.createElement('pre');"
                         "p.id='selftest';p.textContent=e.data;document.body.append(p)}</script>");
  const std::string dom =
      run_browser(dir, "--window-size=1200,900 --dump-dom " + quoted("file://" + open), paper);
  return nlohmann::json::parse(unescaped(between(dom, "<pre id=\"selftest\">", "</pre>")));
}

nlohmann::json without_script(const std::string& page) {
  const TempDir dir;
  std::string text = nlohmann::json(read_file(page)).dump();
  replace_all(text, "<", "\\u003c");
  const std::string open = dir.write(
      "frame.html",
      "<!doctype html><meta charset=\"utf-8\"><iframe sandbox=\"allow-same-origin\" width=\"1100\" "
      "height=\"800\"></iframe><script>const frame=document.querySelector('iframe');"
      "frame.onload=()=>{const d=frame.contentDocument,all=(s)=>[...d.querySelectorAll(s)],"
      "shown=(e)=>e.getClientRects().length>0,seen={"
      "rows:all('#plain-cases tbody tr').map((r)=>[r.id,...[...r.cells].map((c)=>c.textContent)]),"
      "links:all('#plain-cases a').map((a)=>a.getAttribute('href')),"
      "notices:all('noscript .notice').filter(shown).map((n)=>n.textContent),"
      "controls:all('button,select,input').filter(shown).length,"
      "figures:all('figure').filter(shown).length,pictures:all('.gallery "
      "img').filter(shown).length,"
      "too_wide:d.scrollingElement.scrollWidth-frame.clientWidth};"
      "const p=document.createElement('pre');p.id='selftest';p.textContent=JSON.stringify(seen);"
      "document.body.append(p)};frame.srcdoc=" +
          text + "</script>");
  const std::string dom = run_browser(
      dir, "--window-size=1200,900 --dump-dom " + quoted("file://" + open), Paper::light);
  return nlohmann::json::parse(unescaped(between(dom, "<pre id=\"selftest\">", "</pre>")));
}

std::string printed(const std::string& page) {
  const TempDir dir;
  run_browser(dir,
              "--no-pdf-header-footer --print-to-pdf=" + quoted(dir("page.pdf")) + ' ' +
                  quoted("file://" + page),
              Paper::light);
  return read_file(dir("page.pdf"));
}

std::string screenshot(const std::string& page, int width, int height, Paper paper) {
  const TempDir dir;
  run_browser(dir,
              "--window-size=" + std::to_string(width) + ',' + std::to_string(height) +
                  " --screenshot=" + quoted(dir("shot.png")) + ' ' + quoted("file://" + page),
              paper);
  return read_file(dir("shot.png"));
}

}  // namespace nz::test
