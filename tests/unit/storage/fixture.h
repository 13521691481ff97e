// What the tests of storage/ share: a store with short names for what tests do all day. Failures stop the test case.
// A test that looks inside includes the inner headers before this one: they use CHECK of base/check.h, tests Catch's.
#pragma once

#include "base/check.h"
#undef CHECK
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/value_format.h"
#include "storage/store.h"

namespace fornix::storage {

template <typename T>
T Must(Result<T> result) {
  INFO(result.status().ToString());
  REQUIRE(result.ok());
  return std::move(result).value();
}
inline void Must(const Status& status) {
  INFO(status.ToString());
  REQUIRE(status.ok());
}

struct TestStore {
  std::unique_ptr<Store> store;
  explicit TestStore(FileSystem& files = PosixFileSystem(), const std::string& path = ":memory:", StoreOptions options = {})
      : store(Must(Store::Open(files, path, options))) {}
  std::unique_ptr<Transaction> Begin(bool read_only = false) { return Must(store->Begin(read_only)); }
};

inline LabelId L(Transaction& t, std::string_view name) { return Must(t.InternLabel(name)); }
inline TypeId T(Transaction& t, std::string_view name) { return Must(t.InternType(name)); }
inline PropertyId P(Transaction& t, std::string_view name) { return Must(t.InternProperty(name)); }

inline NodeId MakeNode(Transaction& t, std::string_view label, const std::vector<std::pair<std::string, Value>>& properties = {}) {
  PropertyList list;
  for (const auto& [key, value] : properties) list.emplace_back(P(t, key), value);
  std::vector<LabelId> labels;
  if (!label.empty()) labels.push_back(L(t, label));
  return Must(t.CreateNode(labels, std::move(list)));
}
inline RelId MakeRelationship(Transaction& t, NodeId start, std::string_view type, NodeId end) {
  return Must(t.CreateRelationship(start, T(t, type), end, {}));
}

inline std::vector<uint64_t> AllNodes(const GraphView& view) {
  std::vector<uint64_t> ids;
  ScanPosition position;
  NodeId buffer[7];
  while (size_t n = view.ScanNodes(&position, buffer, 7)) {
    for (size_t i = 0; i < n; ++i) ids.push_back(buffer[i].value);
  }
  return ids;
}
inline std::vector<uint64_t> NodesWith(const GraphView& view, LabelId label) {
  std::vector<uint64_t> ids;
  ScanPosition position;
  NodeId buffer[7];
  while (size_t n = view.ScanLabel(label, &position, buffer, 7)) {
    for (size_t i = 0; i < n; ++i) ids.push_back(buffer[i].value);
  }
  return ids;
}
inline std::vector<uint64_t> AllRelationships(const GraphView& view, std::optional<TypeId> type = {}) {
  std::vector<uint64_t> ids;
  ScanPosition position;
  RelId buffer[7];
  while (size_t n = view.ScanRelationships(type, &position, buffer, 7)) {
    for (size_t i = 0; i < n; ++i) ids.push_back(buffer[i].value);
  }
  return ids;
}
// (neighbour, relationship) in the order of the view, `step` at a time.
inline std::vector<std::pair<uint64_t, uint64_t>> Around(const GraphView& view, NodeId id, Direction direction,
                                                         std::vector<TypeId> types = {}, size_t step = ~size_t{0}) {
  std::vector<Neighbour> found;
  ScanPosition position;
  while (!view.Expand(id, types, direction, &position, step, &found)) {
  }
  std::vector<std::pair<uint64_t, uint64_t>> result;
  for (const Neighbour& n : found) result.emplace_back(n.node.value, n.relationship.value);
  return result;
}

}  // namespace fornix::storage
