// What is fuzzed. Each function takes any bytes, does all that a user could do with them, and returns; a crash, a hang, too much memory
// or a failed Expect is a finding. Under ./dev fuzz libFuzzer calls them; in the tests (corpus_test.cc) the files of corpus/ do.
// The same bytes do the same, whatever ran before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

namespace fornix::fuzz {

// A log beside an empty data file, opened for reading and for writing. The first byte says what the rest is:
//   0  a segment file as it is
//   1  records (u16 length, bytes), each in a right frame
//   2  frames (flags, LSN's and undurable's offset, u16 length, bytes) with right checksums and possibly wrong order
void FuzzLog(std::span<const uint8_t> input);

// A data file, opened for reading and for writing. The first byte says what the rest is:
//   0  the file as it is
//   1  changes of a small valid database, with the checksums made right again: see database.cc
void FuzzDatabase(std::span<const uint8_t> input);

// A statement's text, as it is, and with $p, $n, $list and $map given.
void FuzzQuery(std::span<const uint8_t> input);

// Parameters of a statement of parameter_statements.inc: u8 which, u8 run to its commit if it is a multiple of 4, then three values; see statement.cc.
void FuzzParameters(std::span<const uint8_t> input);

// What a Bolt client sends: from its first byte on; after it has logged on (u8 version of Bolt, then chunks).
void FuzzBolt(std::span<const uint8_t> input);
void FuzzBoltSession(std::span<const uint8_t> input);

// Stops the process if `right` isn't so.
inline void Expect(bool right, const std::string& what) {
  if (right) return;
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::abort();
}

// Takes numbers from the input; zeros when there is nothing left.
class Input {
 public:
  explicit Input(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  uint8_t U8() { return static_cast<uint8_t>(Little(1)); }
  uint16_t U16() { return static_cast<uint16_t>(Little(2)); }
  uint64_t Little(size_t n) {
    uint64_t value = 0;
    for (size_t i = 0; i < n && !bytes_.empty(); ++i) {
      value |= uint64_t{bytes_.front()} << (8 * i);
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }
  std::span<const std::byte> Bytes(size_t n) {
    const auto part = bytes_.first(std::min(n, bytes_.size()));
    bytes_ = bytes_.subspan(part.size());
    return std::as_bytes(part);
  }

 private:
  std::span<const uint8_t> bytes_;
};

}  // namespace fornix::fuzz
