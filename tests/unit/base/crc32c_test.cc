// CRC32C: the published check values, and the two paths against each other. Also the random generator's promises.
#include "base/crc32c.h"

#include <catch2/catch.hpp>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"
#include "base/uuid.h"

namespace fornix {
namespace {

TEST_CASE("the checksum is CRC32C") {
  CHECK(Crc32c(AsBytes("123456789")) == 0xe3069283u);  // the check value of the polynomial
  CHECK(Crc32c({}) == 0);
  CHECK(Crc32c(std::vector<std::byte>(32)) == 0x8a9136aau);                    // RFC 3720, B.4
  CHECK(Crc32c(std::vector<std::byte>(32, std::byte{0xff})) == 0x62a8ab43u);
}

TEST_CASE("instruction and table agree at every length, and in parts") {
  Random random(5);
  std::vector<std::byte> bytes(300);
  for (auto& b : bytes) b = static_cast<std::byte>(random.Next());
  for (size_t n = 0; n <= bytes.size(); ++n) {
    const auto all = std::span<const std::byte>(bytes).first(n);
    const uint32_t crc = Crc32c(all);
    REQUIRE(crc == Crc32cPortable(all));
    const size_t cut = random.Below(n + 1);
    REQUIRE(Crc32c(all.subspan(cut), Crc32c(all.first(cut))) == crc);
  }
}

TEST_CASE("a seed gives the same numbers again, and bounds are kept") {
  Random a(1), b(1), c(2);
  CHECK(a.Next() == b.Next());
  CHECK(a.Next() != c.Next());
  int hits[7] = {};
  for (int i = 0; i < 70000; ++i) ++hits[a.Below(7)];
  for (const int n : hits) CHECK(std::abs(n - 10000) < 500);
  for (int i = 0; i < 1000; ++i) {
    const double unit = a.Unit();
    CHECK((unit >= 0 && unit < 1));
  }
}

TEST_CASE("a uuid is random and prints as one") {
  const Uuid a = NewUuid(), b = NewUuid();
  CHECK_FALSE(a == b);
  const std::string text = a.ToString();
  REQUIRE(text.size() == 36);
  CHECK(text[14] == '4');
  CHECK(text[8] == '-');
}

}  // namespace
}  // namespace fornix
