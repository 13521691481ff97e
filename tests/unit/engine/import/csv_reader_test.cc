#include "engine/import/csv_reader.h"

#include <catch2/catch.hpp>
#include <iostream>

#include "base/bytes.h"
#include "base/fault_file.h"
#include "base/random.h"

namespace fornix::engine {
namespace {

void Put(FileSystem& files, const std::string& path, std::string_view text) {
  auto file = files.Open(path, {.write = true, .create = true});
  REQUIRE(file.ok());
  REQUIRE((*file)->WriteAt(0, AsBytes(text)).ok());
}

using Rows = std::vector<std::vector<std::string>>;

// All rows, a quoted field as "q:" and its text. Checks what must hold for every batch.
Rows ReadAll(FileSystem& files, const std::vector<std::string>& paths, const CsvFormat& format = {}, size_t block = 1 << 20,
             std::vector<uint64_t>* lines = nullptr) {
  auto reader = CsvReader::Open(files, paths, format, block);
  INFO(reader.status().ToString());
  REQUIRE(reader.ok());
  Rows rows{(*reader)->header()};
  CsvBatch batch;
  std::string scratch;
  for (uint64_t number = 0;; ++number) {
    auto more = (*reader)->Next(&batch);
    INFO(more.status().ToString());
    REQUIRE(more.ok());
    if (!*more) break;
    CHECK(!batch.rows().empty());
    CHECK(batch.number() == number);
    for (const CsvRow& row : batch.rows()) {
      rows.emplace_back();
      if (lines) lines->push_back(batch.LineOf(row));
      if (row.problem == CsvProblem::kTextBehindQuote) rows.back().push_back("!behind");
      if (row.problem == CsvProblem::kOpenQuote) rows.back().push_back("!open");
      for (size_t i = 0; i < row.fields; ++i) {
        const CsvField& field = batch.field(row, i);
        rows.back().push_back((field.quoted ? "q:" : "") + std::string(batch.Text(field, &scratch)));
      }
    }
  }
  CHECK((*reader)->bytes_read() == (*reader)->bytes_total());
  return rows;
}

Rows ReadText(std::string_view text, size_t block = 1 << 20, std::vector<uint64_t>* lines = nullptr) {
  FaultFileSystem files;
  Put(files, "a.csv", text);
  return ReadAll(files, {"a.csv"}, {}, block, lines);
}

}  // namespace

TEST_CASE("CSV: quotes, doubled quotes, line breaks inside quotes, CRLF and a byte order mark are read as RFC 4180 says") {
  const Rows expected = {{"id", "name"}, {"1", "q:a, \"b\""}, {"2", "q:two\nlines"}, {"3", ""}, {"4", "q:"}, {"5", "in \"the\" middle"}};
  for (size_t block : {1, 2, 3, 7, 64, 1000}) {
    std::vector<uint64_t> lines;
    CHECK(ReadText("\xef\xbb\xbfid,name\r\n1,\"a, \"\"b\"\"\"\r\n2,\"two\nlines\"\r\n3,\r\n4,\"\"\r\n5,in \"the\" middle", block, &lines) == expected);
    CHECK(lines == std::vector<uint64_t>{2, 3, 5, 6, 7});
  }
}

TEST_CASE("CSV: blank lines are no rows, a line of delimiters is one") {
  CHECK(ReadText("a,b\n\n\r\n,\n1,2\n\n") == Rows{{"a", "b"}, {"", ""}, {"1", "2"}});
  CHECK(ReadText("a\n\"\"\n") == Rows{{"a"}, {"q:"}});
}

TEST_CASE("CSV: a row with broken quotes is a problem of its own, the next line is read") {
  CHECK(ReadText("a,b\n\"x\"y,1\n2,3\n") == Rows{{"a", "b"}, {"!behind", "q:x", "1"}, {"2", "3"}});
  CHECK(ReadText("a,b\n1,\"never closed\n2,3\n4,5") == Rows{{"a", "b"}, {"!open", "1", "q:never closed"}, {"2", "3"}, {"4", "5"}});
  CHECK(ReadText("a\n\"x\"\"", 1) == Rows{{"a"}, {"!open", "q:x\"\""}});
}

TEST_CASE("CSV: the header may stand in a file of its own, and every file ends its last row") {
  FaultFileSystem files;
  Put(files, "h.csv", "id;name\n");
  Put(files, "1.csv", "1;a\n2;'b;c'");
  Put(files, "2.csv", "");
  Put(files, "3.csv", "\xef\xbb\xbf" "3;d\n");
  CHECK(ReadAll(files, {"h.csv", "1.csv", "2.csv", "3.csv"}, {.delimiter = ';', .quote = '\''}) ==
        Rows{{"id", "name"}, {"1", "a"}, {"2", "q:b;c"}, {"3", "d"}});
}

TEST_CASE("CSV: an empty file and UTF-16 are refused with words that help") {
  FaultFileSystem files;
  Put(files, "empty.csv", "");
  Put(files, "wide.csv", std::string_view("\xff\xfei\0d\0", 6));
  CHECK(CsvReader::Open(files, {"empty.csv"}, {}).status().message().find("header") != std::string::npos);
  CHECK(CsvReader::Open(files, {"wide.csv"}, {}).status().message().find("UTF-16") != std::string::npos);
  CHECK(CsvReader::Open(files, {"none.csv"}, {}).status().code() == Code::kIoError);
}

TEST_CASE("CSV: random rows come back at any size of block") {
  const uint64_t seed = std::getenv("FORNIX_SEED") ? std::strtoull(std::getenv("FORNIX_SEED"), nullptr, 10) : SystemRandom64();
  std::cout << "seed=" << seed << " rerun: FORNIX_SEED=" << seed << " test_engine 'CSV: random*'\n";
  Random random(seed);
  for (int round = 0; round < 60; ++round) {
    Rows rows;
    std::string text;
    const size_t columns = 1 + random.Below(5);
    for (uint64_t r = 0; r < 1 + random.Below(60); ++r) {
      rows.emplace_back();
      for (size_t c = 0; c < columns; ++c) {
        std::string value;
        const uint64_t size = random.OneIn(20) ? random.Below(300) : random.Below(6);
        for (uint64_t i = 0; i < size; ++i) value += "ab ,\"\n\r;"[random.Below(8)];
        const bool quote = r > 0 && (value.empty() ? columns == 1 || random.OneIn(2) : value.find_first_of(",\"\n\r") != std::string::npos || random.OneIn(3));
        if (r == 0) value = "c" + std::to_string(c);
        if (c > 0) text += ',';
        if (quote) {
          text += '"';
          for (char ch : value) text += ch == '"' ? std::string("\"\"") : std::string(1, ch);
          text += '"';
        } else {
          text += value;
        }
        rows.back().push_back((quote ? "q:" : "") + value);
      }
      text += random.OneIn(2) ? "\r\n" : "\n";
    }
    CHECK(ReadText(text, 1 + random.Below(200)) == rows);
  }
}

}  // namespace fornix::engine
