// A data file in memory for tests of what lies in extents: checkpoints with numbers, reopening, damaging bytes.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/fault_file.h"
#include "base/random.h"
#include "storage/page/extent_file.h"

namespace fornix::storage {

struct ExtentFixture {
  static constexpr const char* kPath = "x.fornix";

  ExtentFixture() {
    auto raw = OpenRaw(true);
    REQUIRE(raw->WriteZeros(0, kFirstExtentPage * kPageBytes).ok());
    file = ExtentFile::New(std::move(raw));
  }
  std::unique_ptr<File> OpenRaw(bool create = false) {
    OpenOptions options;
    options.write = true;
    options.create = create;
    return fs.Open(kPath, options).value();
  }
  void Begin() { REQUIRE(file->BeginWriting(++seq, root_seq).ok()); }
  void BeginKeeping(uint64_t oldest) { REQUIRE(file->BeginWriting(++seq, oldest).ok()); }
  void Commit() {
    auto map = file->FinishWriting();
    INFO(map.status().ToString());
    REQUIRE(map.ok());
    file->Committed();
    free_map = *map;
    file_pages = file->file_pages();
    root_seq = seq;
  }
  void Reopen() { file = ExtentFile::Open(OpenRaw(), free_map, file_pages); }
  void Flip(uint64_t offset, uint8_t mask) {
    auto raw = OpenRaw();
    std::byte byte;
    REQUIRE(raw->ReadAt(offset, {&byte, 1}).value() == 1);
    byte ^= static_cast<std::byte>(mask);
    REQUIRE(raw->WriteAt(offset, {&byte, 1}).ok());
  }

  FaultFileSystem fs;
  std::unique_ptr<ExtentFile> file;
  uint64_t seq = 0, root_seq = 0;         // of the last checkpoint begun, and of the last one committed
  ExtentRef free_map;
  uint64_t file_pages = kFirstExtentPage;
};

// Bytes that LZ4 packs to a third, or can't pack at all.
inline std::vector<std::byte> TestBytes(size_t n, uint64_t seed, bool packs = false) {
  Random random(seed);
  std::vector<std::byte> bytes(n + 8);
  for (size_t at = 0; at < n; at += 8) StoreFixed(bytes.data() + at, packs ? random.Below(100) * 1'000'003 : random.Next());
  bytes.resize(n);
  return bytes;
}

}  // namespace fornix::storage
