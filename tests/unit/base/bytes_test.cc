// Numbers in bytes: what is written is read, and no bytes make the reader look outside or believe a count.
#include "base/bytes.h"

#include <catch2/catch.hpp>
#include <limits>

#include "base/random.h"

namespace fornix {
namespace {

TEST_CASE("what a writer puts in a reader takes out") {
  ByteWriter out;
  out.U8(200);
  out.U16(60000);
  out.U32(4000000000u);
  out.U64(~uint64_t{0});
  out.F64(-0.5);
  out.F32(0.25f);
  for (const uint64_t v : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 63, ~uint64_t{0}}) out.Varint(v);
  for (const int64_t v : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    out.SignedVarint(v);
  }
  out.String("name");
  out.String("");
  ByteReader in(out.bytes());
  CHECK(in.ReadU8().value() == 200);
  CHECK(in.ReadU16().value() == 60000);
  CHECK(in.ReadU32().value() == 4000000000u);
  CHECK(in.ReadU64().value() == ~uint64_t{0});
  CHECK(in.ReadF64().value() == -0.5);
  CHECK(in.ReadF32().value() == 0.25f);
  for (const uint64_t v : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 63, ~uint64_t{0}}) {
    CHECK(in.ReadVarint().value() == v);
  }
  for (const int64_t v : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    CHECK(in.ReadZigZag().value() == v);
  }
  CHECK(in.ReadString().value() == "name");
  CHECK(in.ReadString().value().empty());
  CHECK(in.ExpectEnd().ok());
}

TEST_CASE("numbers lie little endian") {
  ByteWriter out;
  out.U32(0x01020304);
  CHECK(static_cast<int>(out.bytes()[0]) == 4);
  out.PatchU32(0, 0x0a0b0c0d);
  CHECK(static_cast<int>(out.bytes()[3]) == 10);
}

TEST_CASE("every cut of every input gives an error that names source and offset") {
  ByteWriter out;
  out.Varint(300);
  out.String("abc");
  out.U64(1);
  for (size_t n = 0; n < out.size(); ++n) {
    ByteReader in(out.bytes().first(n), "x.fornix", 4096);
    const auto read = [&]() -> Status {
      ASSIGN_OR_RETURN([[maybe_unused]] const auto a, in.ReadVarint());
      ASSIGN_OR_RETURN([[maybe_unused]] const auto b, in.ReadString());
      ASSIGN_OR_RETURN([[maybe_unused]] const auto c, in.ReadU64());
      return in.ExpectEnd();
    };
    const Status status = read();
    CHECK(status.code() == Code::kCorruption);
    CHECK(status.message().find("x.fornix: offset ") == 0);
  }
}

TEST_CASE("a count is believed only if its items fit into what is left") {
  ByteWriter out;
  out.Varint(3);
  out.Zeros(26);
  CHECK_FALSE(ByteReader(out.bytes()).ReadCount(9).ok());
  out.Zeros(1);
  CHECK(ByteReader(out.bytes()).ReadCount(9).value() == 3);
  ByteWriter huge;
  huge.Varint(0xffffffff);
  CHECK(ByteReader(huge.bytes()).ReadCount(1).status().code() == Code::kCorruption);
  ByteWriter wide;
  wide.Varint(uint64_t{1} << 32);
  CHECK(ByteReader(wide.bytes()).ReadVarint32().status().code() == Code::kCorruption);
}

TEST_CASE("a varint of more than 64 bits is damage, not a number") {
  std::vector<std::byte> bytes(11, std::byte{0xff});
  CHECK(ByteReader(bytes).ReadVarint().status().message().find("more than 64 bits") != std::string::npos);
  bytes[9] = std::byte{2};
  CHECK_FALSE(ByteReader(bytes).ReadVarint().ok());
  bytes[9] = std::byte{1};
  CHECK(ByteReader(bytes).ReadVarint().value() == ~uint64_t{0});
}

TEST_CASE("random bytes never lead a reader astray") {
  const uint64_t seed = 17;
  INFO("seed=" << seed);
  Random random(seed);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes(random.Below(40));
    for (auto& b : bytes) b = static_cast<std::byte>(random.Next());
    ByteReader in(bytes);
    for (int step = 0; step < 10; ++step) {
      switch (random.Below(6)) {
        case 0: static_cast<void>(in.ReadU8().ok()); break;
        case 1: static_cast<void>(in.ReadVarint().ok()); break;
        case 2: static_cast<void>(in.ReadString().ok()); break;
        case 3: static_cast<void>(in.ReadCount(4).ok()); break;
        case 4: static_cast<void>(in.ReadF64().ok()); break;
        default: static_cast<void>(in.Skip(random.Below(5)).ok()); break;
      }
      REQUIRE(in.position() <= bytes.size());
    }
  }
}

}  // namespace
}  // namespace fornix
