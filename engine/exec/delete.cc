// Delete: nodes, relationships and paths go at the end of the clause, after every row has been looked at; relationships first. A
// node that is left with relationships is refused then (DeleteConnected), unless they go too or DETACH was said.
#include "engine/exec/operators.h"
#include "engine/exec/write_operator.h"

namespace fornix::engine {
namespace {

class DeleteOperator : public WriteOperator {
 public:
  DeleteOperator(Builder& builder, const PhysicalOperator& plan) : WriteOperator(builder, plan) {
    for (const auto& e : plan.exprs) exprs_.push_back(builder.Compile(*e));
  }

 protected:
  Status DoOpen() override {
    nodes_.clear();
    relationships_.clear();
    return WriteOperator::DoOpen();
  }

  Status Write(Batch* rows) override {
    for (auto& expr : exprs_) {
      Operand values;
      RETURN_IF_ERROR(expr->Evaluate(*rows, AllRows(*rows), &values));
      for (size_t i = 0; i < rows->rows(); i++) {
        if (Status status = Collect(values.ValueAt(i)); !status.ok()) return std::move(status).At(expr->expr().position);
      }
    }
    RETURN_IF_ERROR(Charge(rows->rows() * exprs_.size() * sizeof(uint64_t)));
    return Emit(*rows);
  }

  Status FinishWrites() override {
    size_t done = 0;
    storage::Transaction& transaction = context_.transaction();
    for (RelId id : relationships_) {
      if (++done % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
      RETURN_IF_ERROR(transaction.DeleteRelationship(id));
    }
    for (NodeId id : nodes_) {
      if (++done % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
      if (transaction.view().StateOf(id) != storage::ElementState::kVisible) continue;   // a second time
      RETURN_IF_ERROR(transaction.DeleteNode(id, plan_.detach));
    }
    RETURN_IF_ERROR(ChargeTransaction());
    Status status = transaction.CheckDeletedNodes();
    return status.code() == Code::kDeleteConnected ? std::move(status).Detail("DeleteConnectedNode").At(exprs_.front()->expr().position) : status;
  }

 private:
  Status Collect(const Value& value) {
    switch (value.type()) {
      case Type::kNull: return Status::Ok();
      case Type::kNodeRef: nodes_.push_back(NodeId(value.AsNodeRef())); return Status::Ok();
      case Type::kRelationshipRef: relationships_.push_back(RelId(value.AsRelationshipRef())); return Status::Ok();
      case Type::kPath:
        for (const Value& v : value.AsPath().relationships) RETURN_IF_ERROR(Collect(v));
        for (const Value& v : value.AsPath().nodes) RETURN_IF_ERROR(Collect(v));
        return Status::Ok();
      default:
        return Status(Code::kTypeError, "Type mismatch: DELETE takes nodes, relationships and paths, but this was " +
                                            std::string(TypeName(value.type())) + " " + Shown(value))
            .Detail("InvalidArgumentType");
    }
  }

  std::vector<EvaluatorPtr> exprs_;
  std::vector<NodeId> nodes_;
  std::vector<RelId> relationships_;
};

}  // namespace

OperatorPtr MakeDelete(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<DeleteOperator>(builder, plan); }

}  // namespace fornix::engine
