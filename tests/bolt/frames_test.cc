// The handshake's bytes, and messages cut into chunks of any size that arrive in pieces of any size.
#include <catch2/catch.hpp>
#include <random>

#include "tests/bolt/bolt_test_util.h"

namespace fornix::bolt {
namespace {

using Outcome = Handshake::Outcome;
std::string Hex(const char* hex) {
  std::string out;
  for (; *hex != 0; ++hex) {
    if (*hex == ' ') continue;
    out.push_back(static_cast<char>(std::stoi(std::string(hex, 2), nullptr, 16)));
    ++hex;
  }
  return out;
}
const std::string kMagic = Hex("60 60 B0 17");

}  // namespace

TEST_CASE("the newest version that both know is chosen from four proposals") {
  struct Row {
    const char *proposals, *answer;
  };
  for (const Row& row : {Row{"00070705 00020404 00000104 00000003", "00 00 07 05"},      // a driver of 5.25: 5.7 down to 5.0
                         Row{"00080805 00020404 00000003 00000000", "00 00 08 05"},
                         Row{"00000505 00020404 00000000 00000000", "00 00 04 04"},      // 5.5 alone is none
                         Row{"00010505 00000000 00000000 00000000", "00 00 04 05"},
                         Row{"00000404 00000000 00000000 00000000", "00 00 04 04"}}) {
    Handshake handshake;
    std::string in = kMagic + Hex(row.proposals) + "rest", out;
    CHECK(handshake.Feed(&in, &out) == Outcome::kDone);
    CHECK(out == Hex(row.answer));
    CHECK(in == "rest");
  }
  for (const char* none : {"00000003 00000000 00000000 00000000", "00000006 00000000 00000000 00000000", "00000000 00000000 00000000 00000000"}) {
    Handshake handshake;
    std::string in = kMagic + Hex(none), out;
    CHECK(handshake.Feed(&in, &out) == Outcome::kRefused);
    CHECK(out == Hex("00 00 00 00"));
  }
}

TEST_CASE("a manifest names what is offered, and the client's choice is taken from it alone") {
  const std::string hello = kMagic + Hex("000001FF 00080805 00020404 00000003");
  for (const auto& [choice, outcome] : {std::pair{"00 00 00 06 00", Outcome::kDone}, std::pair{"00 00 08 05 00", Outcome::kDone}, std::pair{"00 00 05 05 00", Outcome::kRefused},
                                        std::pair{"00 00 01 06 00", Outcome::kRefused}, std::pair{"00 00 00 06 FF FF FF FF FF FF FF FF FF FF FF 01", Outcome::kRefused}}) {
    Handshake handshake;
    std::string in, out;
    for (const char c : hello) {            // a byte at a time
      CHECK(out.empty());
      in.push_back(c);
      CHECK(handshake.Feed(&in, &out) == Outcome::kMore);
    }
    CHECK(out == Hex("00 00 01 FF 04 00 00 00 06 00 02 08 05 00 04 04 05 00 00 04 04 00"));
    Outcome last = Outcome::kMore;
    for (const char c : Hex(choice)) {
      if (last != Outcome::kMore) break;
      in.push_back(c);
      last = handshake.Feed(&in, &out);
    }
    CHECK(last == outcome);
  }
}

TEST_CASE("whoever speaks something else is turned away, a browser with a word") {
  for (const std::string& first : {std::string("GET / HTTP/1.1\r\n"), Hex("16 03 01 02 00 01"), std::string("hello"), Hex("60 60 B0 18")}) {
    Handshake handshake;
    std::string in = first, out;
    CHECK(handshake.Feed(&in, &out) == Outcome::kRefused);
    CHECK(out.starts_with("HTTP/1.1 400") == first.starts_with("GET"));
  }
}

TEST_CASE("messages come whole out of chunks, whatever their sizes") {
  const auto seed = std::random_device()();
  std::printf("frames: seed=%u\n", seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> messages(1 + random() % 6);
    std::string bytes;
    for (std::string& m : messages) {
      m.assign(1 + random() % (round % 10 == 0 ? 200000 : 300), static_cast<char>('a' + random() % 26));
      while (random() % 3 == 0) bytes.append(2, '\0');          // NOOPs
      if (random() % 2 == 0) {
        AppendChunked(m, &bytes);
        continue;
      }
      for (size_t at = 0; at < m.size();) {
        const size_t n = std::min<size_t>(1 + random() % 100, m.size() - at);
        bytes.push_back(static_cast<char>(n >> 8));
        bytes.push_back(static_cast<char>(n));
        bytes.append(m, at, n);
        at += n;
      }
      bytes.append(2, '\0');
    }
    Dechunker dechunker;
    dechunker.set_message_bytes_max(200001);
    std::string in;
    size_t found = 0;
    for (size_t at = 0; at < bytes.size();) {
      const size_t n = std::min<size_t>(1 + random() % 5000, bytes.size() - at);
      in.append(bytes, at, n);
      at += n;
      for (;;) {
        auto next = dechunker.Next(&in);
        REQUIRE(next.ok());
        if (!next->has_value()) break;
        REQUIRE(found < messages.size());
        CHECK(**next == messages[found++]);
      }
    }
    CHECK(found == messages.size());
  }
  Dechunker narrow;
  narrow.set_message_bytes_max(100);
  std::string in;
  AppendChunked(std::string(101, 'x'), &in);
  CHECK(narrow.Next(&in).status().code() == Code::kLimitExceeded);
}

}  // namespace fornix::bolt
