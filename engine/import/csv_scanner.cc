// The structure of CSV, 64 bytes at a time; see csv_scanner.h.
//
// For each block of 64 bytes one word of bits says where a delimiter, a line feed or a quote stands; the loop goes from bit
// to bit. Only a quote at the start of a field changes what the others mean; then the closing quote is searched with
// memchr and the walk goes on behind it.
#include "engine/import/csv_scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace fornix::engine {
namespace {

#if defined(__SSE2__)
class Marks {
 public:
  explicit Marks(const CsvFormat& format)
      : delimiter_(_mm_set1_epi8(format.delimiter)), quote_(_mm_set1_epi8(format.quote)), feed_(_mm_set1_epi8('\n')) {}
  uint64_t Of(const char* block) const { return Quarter(block, 0) | Quarter(block, 1) | Quarter(block, 2) | Quarter(block, 3); }

 private:
  uint64_t Quarter(const char* block, int i) const {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
    const __m128i hits = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter_), _mm_cmpeq_epi8(bytes, quote_)),
                                      _mm_cmpeq_epi8(bytes, feed_));
    return static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(hits))) << (16 * i);
  }
  const __m128i delimiter_, quote_, feed_;
};
#else
class Marks {
 public:
  explicit Marks(const CsvFormat& format) : format_(format) {}
  uint64_t Of(const char* block) const {
    uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) {
      const char c = block[i];
      bits |= uint64_t{c == format_.delimiter || c == format_.quote || c == '\n'} << i;
    }
    return bits;
  }

 private:
  const CsvFormat format_;
};
#endif

// Walks over the marks of a text; Resume goes on at a later place.
class MarkWalk {
 public:
  MarkWalk(const Marks& marks, const char* text, size_t size) : marks_(marks), text_(text), size_(size) { Resume(0); }
  // The next mark, or size.
  size_t Next() {
    while (bits_ == 0) {
      base_ += 64;
      if (base_ >= size_) return size_;
      bits_ = marks_.Of(text_ + base_);
    }
    const size_t at = base_ + static_cast<size_t>(std::countr_zero(bits_));
    bits_ &= bits_ - 1;
    return std::min(at, size_);
  }
  void Resume(size_t at) {
    base_ = at & ~size_t{63};
    bits_ = base_ < size_ ? marks_.Of(text_ + base_) & (~uint64_t{0} << (at & 63)) : 0;
  }

 private:
  const Marks& marks_;
  const char* const text_;
  const size_t size_;
  size_t base_ = 0;
  uint64_t bits_ = 0;
};

}  // namespace

CsvScanner::Outcome CsvScanner::Scan(CsvBatch* batch, size_t filled, bool last) const {
  const char* text = batch->bytes_.data();
  std::vector<CsvField>& fields = batch->fields_;
  const Marks marks(format_);
  MarkWalk walk(marks, text, filled);
  Outcome out;
  CsvRow row;
  row.first_field = static_cast<uint32_t>(fields.size());
  CsvField quoted;                             // the quoted field that is being read
  size_t field_begin = 0, behind_quote = 0;
  uint32_t feeds = 0;                          // line feeds inside quotes of this row
  bool in_quoted = false;

  auto end_field = [&](size_t end, bool ends_row) {
    if (ends_row && end > field_begin && text[end - 1] == '\r' && (!in_quoted || end - 1 >= behind_quote)) --end;
    if (in_quoted) {
      if (end != behind_quote) row.problem = CsvProblem::kTextBehindQuote;
      fields.push_back(quoted);
      in_quoted = false;
    } else {
      CsvField field;
      field.begin = static_cast<uint32_t>(field_begin);
      field.size = static_cast<uint32_t>(end - field_begin) & 0x3FFFFFFF;
      fields.push_back(field);
    }
    if (ends_row) row.end = static_cast<uint32_t>(end);
  };
  auto end_row = [&](size_t next) {
    row.fields = static_cast<uint32_t>(fields.size()) - row.first_field;
    const bool blank = row.fields == 1 && fields.back().size == 0 && !fields.back().quoted;
    if (blank) {
      fields.pop_back();
    } else {
      row.line = static_cast<uint32_t>(out.lines);
      batch->rows_.push_back(row);
    }
    out.lines += 1 + feeds;
    out.consumed = next;
    row = CsvRow{};
    row.begin = static_cast<uint32_t>(next);
    row.first_field = static_cast<uint32_t>(fields.size());
    field_begin = next;
    feeds = 0;
  };

  while (true) {
    const size_t at = walk.Next();
    if (at >= filled) break;
    const char c = text[at];
    if (c == '\n') {
      end_field(at, true);
      end_row(at + 1);
    } else if (c == format_.delimiter) {
      end_field(at, false);
      field_begin = at + 1;
    } else if (at == field_begin && !in_quoted) {
      size_t close = at + 1;
      quoted = CsvField{};
      quoted.quoted = 1;
      quoted.begin = static_cast<uint32_t>(close);
      bool open = true;
      while (close < filled) {
        const void* found = std::memchr(text + close, format_.quote, filled - close);
        if (found == nullptr) break;
        close = static_cast<size_t>(static_cast<const char*>(found) - text);
        if (close + 1 < filled && text[close + 1] == format_.quote) {
          quoted.doubled = 1;
          close += 2;
          continue;
        }
        // Whether another quote follows isn't known at the very end of what was read.
        open = close + 1 == filled && !last;
        break;
      }
      if (open) {
        if (!last) break;
        // The quote never closes: the row ends with its own line, and what follows is read as rows of their own.
        const void* feed = std::memchr(text + at, '\n', filled - at);
        const size_t end = feed == nullptr ? filled : static_cast<size_t>(static_cast<const char*>(feed) - text);
        row.problem = CsvProblem::kOpenQuote;
        quoted.doubled = 0;
        quoted.size = static_cast<uint32_t>(end - std::min<size_t>(end, quoted.begin)) & 0x3FFFFFFF;
        fields.push_back(quoted);
        row.end = static_cast<uint32_t>(end);
        end_row(std::min(end + 1, filled));
        walk.Resume(out.consumed);
        continue;
      }
      quoted.size = static_cast<uint32_t>(close - quoted.begin) & 0x3FFFFFFF;
      feeds += static_cast<uint32_t>(std::count(text + at, text + close, '\n'));
      behind_quote = close + 1;
      in_quoted = true;
      walk.Resume(behind_quote);
    }
  }
  if (last && out.consumed < filled) {
    end_field(filled, true);
    end_row(filled);
  } else {
    fields.resize(row.first_field);
  }
  return out;
}

}  // namespace fornix::engine
