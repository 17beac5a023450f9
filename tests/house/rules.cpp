#include "house/rules.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>

namespace nz::house {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// A word of the code and what stands around it, spaces left out.
struct Word {
  std::string text;
  std::string before;  // the two characters in front
  std::string behind;  // the three that follow
  bool member() const { return before.ends_with('.') || before == "->"; }
};

// Calls visit(word) for each word; ends when it returns true, and says in which line and where.
template <class Visit>
std::string first_word(const std::string& code, Visit&& visit) {
  std::size_t line = 1;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '\n') ++line;
    if (!is_word(code[i])) continue;
    std::size_t end = i;
    while (end < code.size() && is_word(code[end])) ++end;
    Word word{code.substr(i, end - i), "", ""};
    for (std::size_t k = i; k-- > 0 && word.before.size() < 2;)
      if (!std::isspace(static_cast<unsigned char>(code[k]))) word.before.insert(0, 1, code[k]);
    for (std::size_t k = end; k < code.size() && word.behind.size() < 3; ++k)
      if (!std::isspace(static_cast<unsigned char>(code[k]))) word.behind += code[k];
    if (visit(word)) return "line " + std::to_string(line) + ": " + word.text;
    i = end - 1;
  }
  return "";
}

const std::set<std::string, std::less<>> never{
    "cout",          "wcout",         "cerr",           "wcerr",
    "clog",          "wclog",         "stdout",         "stderr",
    "STDOUT_FILENO", "STDERR_FILENO", "__builtin_trap", "__builtin_abort",
    "__trap",        "__assert_fail", "pthread_kill",   "pthread_sigqueue"};
const std::set<std::string, std::less<>> never_called{
    "printf", "fprintf", "vprintf",  "vfprintf",   "wprintf", "fwprintf", "vwprintf", "vfwprintf",
    "puts",   "fputs",   "fputws",   "putchar",    "putc",    "fputc",    "putwc",    "fputwc",
    "perror", "dprintf", "vdprintf", "quick_exit", "exit",    "_exit",    "_Exit",    "abort",
    "raise",  "kill",    "assert",   "terminate",  "psignal"};
const std::set<std::string, std::less<>> never_of_a_library{"print", "println", "vprint",
                                                            "vprint_unicode"};

}  // namespace

std::string code_only(const std::string& text) {
  std::string code = text;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, code.size()); ++i)
      if (code[i] != '\n') code[i] = ' ';
  };
  // The end of what begins here, or the end of the text.
  const auto behind = [&](const std::string& mark, std::size_t from) {
    const auto at = text.find(mark, from);
    return at == text.npos ? text.size() : at + mark.size();
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      end = behind("*/", i + 2);
      blank(i, end);
    } else if (text.compare(i, 2, "R\"") == 0 && (i == 0 || !is_word(text[i - 1]))) {
      const auto open = std::min(text.find('(', i), text.size());
      end = behind(")" + text.substr(i + 2, open - i - 2) + "\"", open);
      blank(i, end);
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) {
      // A quote behind a digit groups digits: 1'000.
      while (end < text.size() && text[end] != text[i] && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      blank(i + 1, end - 1);
    }
    i = end;
  }
  return code;
}

std::string prints_or_exits(const std::string& text) {
  std::string space;  // the word before, where :: joins them
  return first_word(code_only(text), [&](const Word& w) {
    const std::string scope = w.before == "::" ? space : "";
    space = w.behind.starts_with("::") ? w.text : "";
    if (w.member()) return false;
    if (never.contains(w.text)) return true;
    if (never_of_a_library.contains(w.text)) return scope == "fmt" || scope == "std";
    if (!w.behind.starts_with('(')) return false;
    return never_called.contains(w.text) ||
           (w.text == "write" && (w.behind == "(1," || w.behind == "(2,"));
  });
}

std::string starts_threads(const std::string& text) {
  static const std::regex forbidden(
      R"re(#\s*pragma\s+omp\b|\b_Pragma\s*\(\s*"\s*omp)re"
      R"re(|\bstd\s*::\s*(?:j?thread\b(?!\s*::)|async\b)|\b(?:pthread_create|thrd_create)\b)re");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // Comments may speak of it. The words first: expressions are slow.
    line.resize(std::min(line.find("//"), line.size()));
    const auto says = [&](const char* word) { return line.find(word) != line.npos; };
    if ((says("omp") || says("th") || says("async")) && std::regex_search(line, forbidden))
      return line;
  }
  return "";
}

std::string includes_what_users_lack(const std::string& text, const std::string& library) {
  static const std::regex include(R"re(#\s*include(?:_next)?\s*([<"][^>"\n]*[>"]|\S*))re");
  static const std::regex allowed(
      R"re(<(?:[a-z_]+|std(?:def|int)\.h|nonzero/[a-z0-9_/]+\.h(?:pp)?)>)re");
  for (std::sregex_iterator m(text.begin(), text.end(), include), end; m != end; ++m)
    if (!std::regex_match((*m)[1].str(), allowed) &&
        (library.empty() || !(*m)[1].str().starts_with("<" + library + "/")))
      return m->str();
  return "";
}

std::vector<std::string> public_names(const std::string& text) {
  static const std::regex type(R"re((?:struct|class|enum class) (\w+)(?:[^;\w].*|))re"),
      alias(R"re((?:using|concept) (\w+) =.*)re"),
      constant(R"re((?:inline )?constexpr [\w:<>, ]+ (\w+)(?:\[\])?(?: =|\{).*)re"),
      solver(R"re(NZ_SOLVER\((\w+)\).*)re"),
      function(R"re((?:[A-Za-z][\w:<>,&* ]*[ &*])(\w+)\(.*)re"),
      other(R"re((?:template|namespace|static_assert|requires|friend)\b.*)re");
  std::vector<std::string> names;
  std::istringstream lines(code_only(text));
  std::ptrdiff_t hidden = 0;  // braces that are open
  for (std::string line; std::getline(lines, line);) {
    if (hidden > 0 || line.starts_with("namespace detail") || line.starts_with("namespace Eigen")) {
      hidden +=
          std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}');
      continue;
    }
    if (line.starts_with("NZ_API ")) line.erase(0, 7);
    line.resize(line.find_last_not_of(' ') + 1);
    if (line.empty() || !std::isalpha(static_cast<unsigned char>(line[0]))) continue;
    std::smatch m;
    const bool found = !std::regex_match(line, other) &&
                       (std::regex_match(line, m, type) || std::regex_match(line, m, alias) ||
                        std::regex_match(line, m, constant) || std::regex_match(line, m, solver) ||
                        std::regex_match(line, m, function));
    if (found && std::find(names.begin(), names.end(), m[1]) == names.end()) names.push_back(m[1]);
  }
  return names;
}

}  // namespace nz::house
