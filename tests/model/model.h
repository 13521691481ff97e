// The reference model as a database: parse, run, check the schema, commit or not. A copy is a snapshot.
#pragma once

#include <optional>
#include <string_view>

#include "tests/model/interpreter.h"

namespace fornix::model {

class Model {
 public:
  // Outside of Begin ... Commit each statement is a transaction. A statement that fails changes nothing; inside a
  // transaction it dooms it.
  Result<Answer> Execute(std::string_view text, const Map& parameters = {});
  void Begin() { before_ = graph_; doomed_ = false; }
  Status Commit();
  void Rollback();
  bool in_transaction() const { return before_.has_value(); }
  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
  std::optional<Graph> before_;   // the graph at Begin
  bool doomed_ = false;
};

}  // namespace fornix::model
