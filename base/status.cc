// Status, and the table of error names.
#include "fornix/status.h"

#include "base/error_table.h"

namespace fornix {
namespace {
const std::string kEmpty;

constexpr ErrorNames kNames[] = {
    {"Ok", "", "00000"},
    {"SyntaxError", "Neo.ClientError.Statement.SyntaxError", "42001"},
    {"TypeError", "Neo.ClientError.Statement.TypeError", "22G03"},
    {"ArgumentError", "Neo.ClientError.Statement.ArgumentError", "22003"},
    {"ParameterMissing", "Neo.ClientError.Statement.ParameterMissing", "42N51"},
    {"ParameterInvalid", "Neo.ClientError.Statement.TypeError", "22N01"},
    {"EntityNotFound", "Neo.ClientError.Statement.EntityNotFound", "22N31"},
    {"SemanticError", "Neo.ClientError.Statement.SemanticError", "42N00"},
    {"ProcedureNotFound", "Neo.ClientError.Procedure.ProcedureNotFound", "42N08"},
    {"ProcedureError", "Neo.ClientError.Procedure.ProcedureCallFailed", "52N02"},
    {"ConstraintViolation", "Neo.ClientError.Schema.ConstraintValidationFailed", "22N65"},
    {"DeleteConnected", "Neo.ClientError.Schema.ConstraintValidationFailed", "G1001"},
    {"ArithmeticError", "Neo.ClientError.Statement.ArithmeticError", "22012"},
    {"SchemaConflict", "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists", "22N70"},
    {"SchemaNotFound", "Neo.DatabaseError.Schema.SchemaRuleNotFound", "42N51"},
    {"TransactionConflict", "Neo.TransientError.Transaction.DeadlockDetected", "40N01"},
    {"TransactionClosed", "Neo.ClientError.Transaction.TransactionNotFound", "25N08"},
    {"NotAvailable", "Neo.ClientError.Statement.FeatureDeprecationWarning", "51N26"},
    {"ReadOnly", "Neo.ClientError.Statement.AccessMode", "25N05"},
    {"Usage", "Neo.ClientError.Request.Invalid", "08N06"},
    {"LimitExceeded", "Neo.ClientError.Statement.SyntaxError", "54000"},
    {"ResourceExhausted", "Neo.TransientError.General.MemoryPoolOutOfMemoryError", "51N27"},
    {"Cancelled", "Neo.ClientError.Transaction.Terminated", "25N14"},
    {"DeadlineExceeded", "Neo.ClientError.Transaction.TransactionTimedOut", "25N14"},
    {"IoError", "Neo.DatabaseError.General.UnknownError", "58000"},
    {"Corruption", "Neo.DatabaseError.General.StorageDamageDetected", "58N00"},
    {"Busy", "Neo.TransientError.General.DatabaseUnavailable", "08N13"},
    {"Internal", "Neo.DatabaseError.General.UnknownError", "50N42"},
};
static_assert(std::size(kNames) == static_cast<size_t>(Code::kInternal) + 1, "one row for each Code");
}  // namespace

const ErrorNames& NamesOf(Code code) { return kNames[static_cast<size_t>(code)]; }

const std::string& Status::message() const { return state_ ? state_->message : kEmpty; }
const std::string& Status::detail() const { return state_ ? state_->detail : kEmpty; }
std::string_view Status::neo4j_code() const { return NamesOf(code()).neo4j_code; }
std::string_view Status::gql_status() const { return NamesOf(code()).gql_status; }

std::string Status::ToString() const {
  if (ok()) return "ok";
  std::string out(NamesOf(code()).name);
  if (state_->position.line != 0) {
    out += " (line " + std::to_string(state_->position.line) + ", column " + std::to_string(state_->position.column) + ")";
  }
  return out + ": " + state_->message;
}

Status&& Status::At(SourcePosition position) && {
  if (state_ && state_->position.line == 0) state_->position = position;
  return std::move(*this);
}
Status&& Status::Detail(std::string detail) && {
  if (state_) state_->detail = std::move(detail);
  return std::move(*this);
}
Status&& Status::CompileTime() && {
  if (state_) state_->compile_time = true;
  return std::move(*this);
}

}  // namespace fornix
