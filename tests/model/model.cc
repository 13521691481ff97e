#include "tests/model/model.h"

#include "grammar/parse.h"

namespace fornix::model {

Result<Answer> Model::Execute(std::string_view text, const Map& parameters) {
  ASSIGN_OR_RETURN(std::unique_ptr<ast::Statement> statement, grammar::Parse(text));
  if (doomed_) return Status(Code::kTransactionClosed, "an earlier statement of the transaction failed");
  const Graph saved = graph_;
  Result<Answer> answer = Answer{};
  if (statement->schema) {
    if (Status status = RunSchemaCommand(*statement->schema, parameters, &graph_); !status.ok()) answer = status;
  } else {
    answer = Interpreter(*statement, parameters, &graph_).Run();
  }
  if (answer.ok() && !in_transaction()) {
    if (Status status = CheckSchema(graph_); !status.ok()) answer = status;
  }
  if (!answer.ok()) {
    graph_ = saved;
    doomed_ = in_transaction();
  }
  return answer;
}

Status Model::Commit() {
  Status status = doomed_ ? Status(Code::kTransactionClosed, "an earlier statement of the transaction failed") : CheckSchema(graph_);
  if (!status.ok()) graph_ = *before_;
  before_.reset();
  doomed_ = false;
  return status;
}

void Model::Rollback() {
  graph_ = *before_;
  before_.reset();
  doomed_ = false;
}

}  // namespace fornix::model
