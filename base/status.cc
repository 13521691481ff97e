// Status, and the table of error names.
#include "fornix/status.h"

#include "base/error_table.h"

namespace fornix {
namespace {
const std::string kEmpty;

// By code. Drivers look at the second column: DeadlockDetected is tried again by managed transactions, SyntaxError, TypeError and
// ConstraintValidationFailed are classes of their own in Python, DatabaseUnavailable and AccessMode steer routing.
constexpr ErrorNames kNames[] = {
    {"Ok", "", "00000", ""},
    {"SyntaxError", "Neo.ClientError.Statement.SyntaxError", "42001", ""},
    {"TypeError", "Neo.ClientError.Statement.TypeError", "22G03", ""},
    {"ArgumentError", "Neo.ClientError.Statement.ArgumentError", "22N11", ""},
    {"ParameterMissing", "Neo.ClientError.Statement.ParameterMissing", "42001", "42N81"},
    {"ParameterInvalid", "Neo.ClientError.Statement.TypeError", "42N51", "22G03"},
    {"EntityNotFound", "Neo.ClientError.Statement.EntityNotFound", "22G11", ""},
    {"SemanticError", "Neo.ClientError.Statement.SemanticError", "22000", ""},
    {"ProcedureNotFound", "Neo.ClientError.Procedure.ProcedureNotFound", "42001", "42N08"},
    {"ProcedureError", "Neo.ClientError.Procedure.ProcedureCallFailed", "52N02", ""},
    {"ConstraintViolation", "Neo.ClientError.Schema.ConstraintValidationFailed", "50N14", ""},
    {"DeleteConnected", "Neo.ClientError.Schema.ConstraintValidationFailed", "G1001", ""},
    {"ArithmeticError", "Neo.ClientError.Statement.ArithmeticError", "22003", ""},
    {"SchemaConflict", "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists", "22N70", ""},
    {"SchemaNotFound", "Neo.ClientError.Schema.IndexNotFound", "22N69", ""},
    {"TransactionConflict", "Neo.TransientError.Transaction.DeadlockDetected", "50N05", ""},
    {"TransactionClosed", "Neo.ClientError.Transaction.TransactionNotFound", "25N05", ""},
    {"NotAvailable", "Neo.ClientError.Statement.UnsupportedOperationError", "51N26", ""},
    {"ReadOnly", "Neo.ClientError.Statement.AccessMode", "08N03", ""},
    {"Usage", "Neo.ClientError.Request.Invalid", "08N11", ""},
    {"LimitExceeded", "Neo.ClientError.Statement.ArgumentError", "22N11", ""},
    {"ResourceExhausted", "Neo.TransientError.General.MemoryPoolOutOfMemoryError", "51N36", ""},
    {"Cancelled", "Neo.ClientError.Transaction.Terminated", "25N14", ""},
    {"DeadlineExceeded", "Neo.ClientError.Transaction.TransactionTimedOut", "25N14", ""},
    {"IoError", "Neo.DatabaseError.General.UnknownError", "50N42", ""},
    {"Corruption", "Neo.DatabaseError.General.StorageDamageDetected", "50N42", ""},
    {"Busy", "Neo.TransientError.General.DatabaseUnavailable", "08N09", ""},
    {"Internal", "Neo.DatabaseError.General.UnknownError", "50N00", ""},
};
static_assert(std::size(kNames) == static_cast<size_t>(Code::kInternal) + 1, "one row for each Code");

// By code and detail, where the columns differ from the code's; an empty column is as there.
struct DetailRow {
  Code code;
  std::string_view detail, neo4j_code, gql_status, gql_cause;
};
constexpr DetailRow kDetails[] = {
    {Code::kSyntaxError, "UnexpectedSyntax", "", "", "42I06"},
    {Code::kSyntaxError, "UndefinedVariable", "", "", "42N62"},
    {Code::kSyntaxError, "VariableAlreadyBound", "", "", "42N59"},
    {Code::kSyntaxError, "RelationshipUniquenessViolation", "", "", "42N68"},
    {Code::kSyntaxError, "UnknownFunction", "", "", "42N48"},
    {Code::kSyntaxError, "InvalidNumberOfArguments", "", "", "42I13"},
    {Code::kSyntaxError, "InvalidArgumentType", "", "", "22N27"},
    {Code::kSyntaxError, "InvalidArgumentPassingMode", "", "", "42N36"},
    {Code::kSyntaxError, "NegativeIntegerArgument", "", "", "22N02"},
    {Code::kSyntaxError, "NonConstantExpression", "", "", "42N28"},
    {Code::kSyntaxError, "NoExpressionAlias", "", "", "42N21"},
    {Code::kSyntaxError, "ColumnNameConflict", "", "", "42N38"},
    {Code::kSyntaxError, "DifferentColumnsInUnion", "", "", "42N39"},
    {Code::kSyntaxError, "NoVariablesInScope", "", "", "42I37"},
    {Code::kSyntaxError, "NestedAggregation", "", "", "42I24"},
    {Code::kSyntaxError, "InvalidAggregation", "", "", "42I24"},
    {Code::kSyntaxError, "AmbiguousAggregationExpression", "", "", "42I18"},
    {Code::kSyntaxError, "NoSingleRelationshipType", "", "", "42I14"},
    {Code::kSyntaxError, "CreatingVarLength", "", "", "42I41"},
    {Code::kSyntaxError, "InvalidDelete", "", "", "42I26"},
    {Code::kSyntaxError, "InvalidParameterUse", "", "", "42N32"},
    {Code::kSyntaxError, "InvalidNumberLiteral", "", "", "42I07"},
    {Code::kSyntaxError, "InvalidRelationshipPattern", "", "", "42I06"},
    {Code::kSyntaxError, "InvalidUnicodeLiteral", "", "", "42I06"},
    {Code::kSyntaxError, "InvalidUnicodeCharacter", "", "", "42I06"},
    {Code::kSyntaxError, "IntegerOverflow", "", "", "22003"},
    {Code::kSyntaxError, "FloatingPointOverflow", "", "", "22003"},
    {Code::kTypeError, "InvalidArgumentType", "", "", "22N27"},
    {Code::kTypeError, "InvalidArgumentValue", "", "", "22N38"},
    {Code::kTypeError, "MapElementAccessByNonString", "", "", "22N27"},
    {Code::kTypeError, "InvalidPropertyType", "", "", "22N39"},
    {Code::kArgumentError, "InvalidArgumentType", "", "", "22N38"},
    {Code::kArgumentError, "NumberOutOfRange", "", "22003", "22N03"},
    {Code::kEntityNotFound, "DeletedEntityAccess", "", "25N13", ""},
    {Code::kSemanticError, "MergeReadOwnWrites", "", "22N31", ""},
    {Code::kSemanticError, "ForbiddenDueToTransactionType", "Neo.ClientError.Transaction.ForbiddenDueToTransactionType", "25N01", ""},
    {Code::kConstraintViolation, "Unique", "", "", "22N79"},
    {Code::kConstraintViolation, "PropertyMissing", "", "", "22N77"},
    {Code::kConstraintViolation, "PropertyType", "", "", "22N78"},
    {Code::kConstraintViolation, "ConstraintCreationFailed", "Neo.DatabaseError.Schema.ConstraintCreationFailed", "50N11", ""},
    {Code::kArithmeticError, "DivisionByZero", "", "22012", ""},
    {Code::kArithmeticError, "IntegerOverflow", "", "", "22N28"},
    {Code::kSchemaConflict, "EquivalentConstraintAlreadyExists", "", "22N65", ""},
    {Code::kSchemaConflict, "IndexAlreadyExists", "Neo.ClientError.Schema.IndexAlreadyExists", "22N70", ""},
    {Code::kSchemaConflict, "IndexWithNameAlreadyExists", "Neo.ClientError.Schema.IndexWithNameAlreadyExists", "22N71", ""},
    {Code::kSchemaConflict, "ConstraintAlreadyExists", "Neo.ClientError.Schema.ConstraintAlreadyExists", "22N65", ""},
    {Code::kSchemaConflict, "ConflictingConstraintExists", "Neo.ClientError.Schema.ConstraintAlreadyExists", "22N66", ""},
    {Code::kSchemaConflict, "ConstraintWithNameAlreadyExists", "Neo.ClientError.Schema.ConstraintWithNameAlreadyExists", "22N67", ""},
    {Code::kSchemaConflict, "IndexBelongsToConstraint", "Neo.ClientError.Schema.ForbiddenOnConstraintIndex", "22N74", ""},
    {Code::kSchemaNotFound, "IndexNotFound", "Neo.DatabaseError.Schema.IndexDropFailed", "50N10", "22N69"},
    {Code::kSchemaNotFound, "ConstraintNotFound", "Neo.DatabaseError.Schema.ConstraintDropFailed", "50N12", "22N64"},
    {Code::kReadOnly, "ReadOnlyDatabase", "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "08N08", ""},
    {Code::kLimitExceeded, "StatementTooLarge", "Neo.ClientError.Statement.SyntaxError", "42001", ""},
};
}  // namespace

const ErrorNames& NamesOf(Code code) { return kNames[static_cast<size_t>(code)]; }

ErrorNames NamesOf(const Status& status) {
  ErrorNames names = NamesOf(status.code());
  for (const DetailRow& row : kDetails) {
    if (row.code != status.code() || row.detail != status.detail()) continue;
    if (!row.neo4j_code.empty()) names.neo4j_code = row.neo4j_code;
    if (!row.gql_status.empty()) names.gql_status = row.gql_status;
    names.gql_cause = row.gql_cause;
  }
  return names;
}

const std::string& Status::message() const { return state_ ? state_->message : kEmpty; }
const std::string& Status::detail() const { return state_ ? state_->detail : kEmpty; }
std::string_view Status::neo4j_code() const { return NamesOf(*this).neo4j_code; }
std::string_view Status::gql_status() const { return NamesOf(*this).gql_status; }

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
