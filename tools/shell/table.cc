// Tables; see table.h.
#include "tools/shell/table.h"

#include <utf8proc.h>

#include <algorithm>

#include "base/value_format.h"

namespace fornix::shell {
namespace {

// Calls f(code point, bytes) for each; a byte that isn't UTF-8 counts as one character.
template <typename F>
void ForEachChar(std::string_view text, F f) {
  for (size_t i = 0; i < text.size();) {
    utf8proc_int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + i),
                                          static_cast<utf8proc_ssize_t>(text.size() - i), &c);
    if (n <= 0) { n = 1; c = '?'; }
    f(c, static_cast<size_t>(n));
    i += static_cast<size_t>(n);
  }
}

// One line, no control characters: a value can't move the cursor or colour the terminal.
std::string Clean(std::string_view text) {
  std::string out;
  size_t at = 0;
  ForEachChar(text, [&](utf8proc_int32_t c, size_t n) {
    if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c < 32 || c == 127 || (c >= 0x80 && c < 0xA0)) out += "\xEF\xBF\xBD";
    else out += text.substr(at, n);
    at += n;
  });
  return out;
}

std::string Cut(const std::string& text, size_t width) {
  if (DisplayWidth(text) <= width) return text;
  std::string out;
  size_t at = 0, used = 0;
  bool full = false;
  ForEachChar(text, [&](utf8proc_int32_t c, size_t n) {
    size_t w = static_cast<size_t>(std::max(0, utf8proc_charwidth(c)));
    full |= used + w > width - 1;
    if (!full) {
      out += text.substr(at, n);
      used += w;
    }
    at += n;
  });
  return out + "\xE2\x80\xA6";
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  ForEachChar(text, [&](utf8proc_int32_t c, size_t) { width += static_cast<size_t>(std::max(0, utf8proc_charwidth(c))); });
  return width;
}

std::string FormatTable(const std::vector<std::string>& columns, const std::vector<Row>& rows, const TableStyle& style) {
  if (columns.empty()) return "";
  size_t n = columns.size();
  std::vector<std::vector<std::string>> cells;
  std::vector<size_t> widths(n);
  std::vector<bool> numeric(n, !rows.empty());
  std::vector<std::string> header;
  for (size_t c = 0; c < n; ++c) {
    header.push_back(Clean(columns[c]));
    widths[c] = DisplayWidth(header[c]);
  }
  for (const Row& row : rows) {
    cells.emplace_back();
    for (size_t c = 0; c < n; ++c) {
      cells.back().push_back(Clean(ToDisplay(row[c])));
      widths[c] = std::max(widths[c], DisplayWidth(cells.back()[c]));
      numeric[c] = numeric[c] && (row[c].is_number() || row[c].is_null());
    }
  }
  // The widest columns give way until the table fits; none falls below 8.
  if (style.width_max) {
    auto total = [&] {
      size_t sum = 3 * (n - 1);
      for (size_t w : widths) sum += w;
      return sum;
    };
    while (total() > style.width_max) {
      auto widest = std::max_element(widths.begin(), widths.end());
      if (*widest <= 8) break;
      --*widest;
    }
  }
  std::string out;
  auto line = [&](const std::vector<std::string>& row, bool head) {
    std::string text;
    for (size_t c = 0; c < n; ++c) {
      std::string cell = Cut(row[c], widths[c]);
      std::string pad(widths[c] - DisplayWidth(cell), ' ');
      if (c) text += " | ";
      text += numeric[c] ? pad + cell : cell + pad;
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    if (head && style.colour) text = "\x1b[1m" + text + "\x1b[0m";
    out += text + "\n";
  };
  line(header, true);
  for (size_t c = 0; c < n; ++c) out += (c ? "-+-" : "") + std::string(widths[c], '-');
  out += "\n";
  for (const auto& row : cells) line(row, false);
  return out;
}

}  // namespace fornix::shell
