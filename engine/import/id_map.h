// IdMap: from the ids of an id space in the CSV files to nodes.
//
// An id that is a plain decimal number ("0", "4711"; no sign, no leading zero) is kept as a number: in an array where the numbers
// are dense, else in a hash table of 16 bytes a place; every other text in a table of 16 bytes a place and an arena that
// holds it. So 10 million dense ids cost 40 to 80 MB, sparse ones 270, and texts 270 and their bytes.
// Lookups come in batches: the places are fetched ahead, then compared, because each is a cache miss by itself.
// Threads: inserting by one; looking up by any once inserting has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fornix/status.h"

namespace fornix::engine {

class IdMap {
 public:
  static constexpr uint64_t kNone = ~uint64_t{0};

  // `room`: asked before the tables grow, with all their bytes; an error ends the import.
  explicit IdMap(std::function<Status(uint64_t bytes)> room) : room_(std::move(room)) {}

  // False if the id is there already (its node stays). REQUIRES: node < 2^40.
  Result<bool> Insert(std::string_view id, uint64_t node);
  // nodes[i] = the node of ids[i], kNone where there is none.
  void Find(std::span<const std::string_view> ids, uint64_t* nodes) const;
  uint64_t size() const { return numbers_ + texts_; }
  uint64_t bytes() const;

 private:
  struct NumberSlot {
    uint64_t number = 0;
    uint64_t node = kNone;
  };
  struct TextSlot {
    uint64_t node_and_hash = 0;                // node in the low 40 bits, 24 bits of the hash above
    uint64_t place_and_hash = 0;               // place in the arena + 1 in the low 40 bits (0: empty), 24 more bits of the hash above
  };
  Result<bool> InsertNumber(uint64_t number, uint64_t node);
  Result<bool> InsertHashed(uint64_t number, uint64_t node);
  Result<bool> InsertText(std::string_view id, uint64_t node);
  Status LeaveDense();
  Status Room(uint64_t more) const { return room_ ? room_(bytes() + more) : Status::Ok(); }
  uint64_t FindText(std::string_view id, uint64_t hash) const;
  uint64_t FindHashed(uint64_t number, uint64_t hash) const;
  std::string_view TextAt(uint64_t place) const;

  std::function<Status(uint64_t)> room_;
  uint64_t numbers_ = 0, texts_ = 0;
  bool is_dense_ = true;
  std::vector<uint32_t> dense_;                // node + 1 by number; 0: none
  std::vector<NumberSlot> hashed_;             // a power of two
  std::vector<TextSlot> slots_;                // a power of two
  std::vector<char> arena_;                    // u32 size, bytes
};

}  // namespace fornix::engine
