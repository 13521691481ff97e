// Short words for tests through the public interface.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/value_format.h"
#include "fornix/database.h"

namespace fornix::test {

struct Session {
  std::unique_ptr<Database> database;
  std::unique_ptr<Connection> connection;

  explicit Session(const std::string& path = ":memory:", const DatabaseOptions& options = {}) {
    auto opened = Database::Open(path, options);
    INFO(opened.status().ToString());
    REQUIRE(opened.ok());
    database = std::move(*opened);
    connection = database->Connect();
  }
  // Rows as text, a row a string "1 | 'a'"; the test fails on an error.
  std::vector<std::string> Rows(std::string_view text, const Map& parameters = {}) {
    auto rows = connection->Query(text, parameters);
    INFO(text << ": " << rows.status().ToString());
    REQUIRE(rows.ok());
    std::vector<std::string> out;
    for (const Row& row : *rows) {
      std::string line;
      for (const Value& v : row) line += (line.empty() ? "" : " | ") + ToText(v);
      out.push_back(std::move(line));
    }
    return out;
  }
  std::string One(std::string_view text, const Map& parameters = {}) {
    std::vector<std::string> rows = Rows(text, parameters);
    REQUIRE(rows.size() == 1);
    return rows[0];
  }
  void Run(std::string_view text, const Map& parameters = {}) { (void)Rows(text, parameters); }
  // The error of a statement that must fail; afterwards the next statement works.
  Status Error(std::string_view text, const Map& parameters = {}) {
    auto rows = connection->Query(text, parameters);
    INFO(text.substr(0, 200));
    REQUIRE(!rows.ok());
    CHECK(!rows.status().message().empty());
    if (!connection->in_transaction()) CHECK(One("RETURN 1") == "1");
    return rows.status();
  }
};

using Strings = std::vector<std::string>;

// Adds up a counter over a plan tree.
template <typename F>
uint64_t Sum(const PlanNode& node, F f) {
  uint64_t sum = f(node);
  for (const PlanNode& child : node.children) sum += Sum(child, f);
  return sum;
}
inline const PlanNode* FindOperator(const PlanNode& node, std::string_view op) {
  if (node.op.starts_with(op)) return &node;
  for (const PlanNode& child : node.children) {
    if (const PlanNode* found = FindOperator(child, op)) return found;
  }
  return nullptr;
}

}  // namespace fornix::test
