#include "storage/txn/transaction_impl.h"

namespace fornix::storage {
namespace {
Status NotYet() { return Status(Code::kNotAvailable, "indexes and constraints are not available yet"); }
}  // namespace
Result<bool> TransactionImpl::CreateIndex(IndexDefinition, bool) { return NotYet(); }
Result<bool> TransactionImpl::DropIndex(std::string_view, bool) { return NotYet(); }
Result<bool> TransactionImpl::CreateConstraint(ConstraintDefinition, bool) { return NotYet(); }
Result<bool> TransactionImpl::DropConstraint(std::string_view, bool) { return NotYet(); }
Status TransactionImpl::SetGraphType(GraphType, std::vector<ConstraintDefinition>) { return NotYet(); }
}  // namespace fornix::storage
