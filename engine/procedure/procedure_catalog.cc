#include "engine/procedure/procedure_catalog.h"

#include <algorithm>
#include <cctype>

#include "base/nearest.h"
#include "base/value_compare.h"
#include "engine/function/function.h"

namespace fornix::engine {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

class RowsStream : public ProcedureStream {
 public:
  explicit RowsStream(std::vector<List> rows) : rows_(std::move(rows)) {}
  Status Next(size_t max_rows, std::vector<List>* rows) override {
    for (; next_ < rows_.size() && max_rows > 0; max_rows--) rows->push_back(std::move(rows_[next_++]));
    return Status::Ok();
  }

 private:
  std::vector<List> rows_;
  size_t next_ = 0;
};

// A procedure that is a table: inputs, then outputs.
class TableProcedure : public Procedure {
 public:
  TableProcedure(std::vector<List> rows, size_t inputs) : rows_(std::move(rows)), inputs_(inputs) {}
  Result<std::unique_ptr<ProcedureStream>> Call(ExecutionContext&, std::span<const Value> arguments) const override {
    std::vector<List> found;
    for (const List& row : rows_) {
      bool equal = true;
      for (size_t i = 0; i < inputs_ && equal; i++) equal = Equivalent(row[i], arguments[i]);
      if (equal) found.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(inputs_), row.end());
    }
    return TableStream(std::move(found));
  }

 private:
  std::vector<List> rows_;
  size_t inputs_;
};

// Reads "name(in :: TYPE, ...) :: (out :: TYPE, ...)".
class SignatureReader {
 public:
  explicit SignatureReader(std::string_view text) : text_(text), rest_(text) {}

  Result<planner::ProcedureSignature> Read() {
    planner::ProcedureSignature signature;
    signature.name = Until("(");
    if (signature.name.empty() || !Take('(')) return Bad("a name and '(' are expected first");
    RETURN_IF_ERROR(Fields(&signature.inputs));
    if (!Take(':') || !Take(':')) return Bad("'::' is expected after the arguments");
    if (!Take('(')) return Bad("'(' is expected before the results");
    RETURN_IF_ERROR(Fields(&signature.outputs));
    Skip();
    if (!rest_.empty()) return Bad("nothing is expected after the last ')'");
    return signature;
  }

 private:
  Status Bad(const std::string& why) const {
    return {Code::kSyntaxError, "'" + std::string(text_) + "' is no signature of a procedure: " + why};
  }
  void Skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  bool Take(char c) {
    Skip();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string Until(std::string_view stops) {
    Skip();
    const size_t end = std::min(rest_.find_first_of(stops), rest_.size());
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    while (!word.empty() && word.back() == ' ') word.pop_back();
    return word;
  }

  // Up to and with the ')'.
  Status Fields(std::vector<planner::ProcedureField>* fields) {
    if (Take(')')) return Status::Ok();
    do {
      planner::ProcedureField field;
      field.name = Until(":");
      if (field.name.empty() || !Take(':') || !Take(':')) return Bad("each field is written name :: TYPE");
      field.type_name = Until(",)");
      ASSIGN_OR_RETURN(field.type, TypeOf(field.type_name));
      fields->push_back(std::move(field));
    } while (Take(','));
    return Take(')') ? Status::Ok() : Bad("a ')' is missing");
  }

  Result<TypeSet> TypeOf(std::string name) const {
    if (!name.empty() && name.back() == '?') name.pop_back();
    const std::string lower = Lower(name);
    if (lower == "any") return kAnyType;
    if (lower == "string") return kStringType;
    if (lower == "integer") return kIntegerType;
    if (lower == "float") return kFloatType;
    if (lower == "number") return kNumberType;
    if (lower == "boolean") return kBooleanType;
    if (lower == "map") return kMapType;
    if (lower == "node") return kNodeType;
    if (lower == "relationship") return kRelationshipType;
    if (lower == "path") return kPathType;
    if (lower.rfind("list", 0) == 0) return kListType;
    return Bad("'" + name + "' is not a type");
  }

  std::string_view text_, rest_;
};

}  // namespace

std::unique_ptr<ProcedureStream> TableStream(std::vector<List> rows) { return std::make_unique<RowsStream>(std::move(rows)); }

void AddDatabaseProcedures(ProcedureCatalog* catalog);
void AddVectorProcedures(ProcedureCatalog* catalog);
void AddRecallProcedures(ProcedureCatalog* catalog);
void AddShowProcedures(ProcedureCatalog* catalog);
void AddTransactionProcedures(ProcedureCatalog* catalog);
void AddApocProcedures(ProcedureCatalog* catalog);
void AddMetaProcedures(ProcedureCatalog* catalog);
void AddMetaGraphProcedures(ProcedureCatalog* catalog);
void AddRefactorProcedures(ProcedureCatalog* catalog);

ProcedureCatalog::ProcedureCatalog() {
  AddDatabaseProcedures(this);
  AddVectorProcedures(this);
  AddRecallProcedures(this);
  AddShowProcedures(this);
  AddTransactionProcedures(this);
  AddApocProcedures(this);
  AddMetaProcedures(this);
  AddMetaGraphProcedures(this);
  AddRefactorProcedures(this);
}

ProcedureCatalog::~ProcedureCatalog() = default;

void ProcedureCatalog::AddBuiltin(planner::ProcedureSignature signature, std::unique_ptr<Procedure> procedure) {
  auto entry = std::make_unique<Entry>();
  entry->signature = std::move(signature);
  entry->procedure = std::move(procedure);
  entry->signature.implementation = entry->procedure.get();
  std::string key = Lower(entry->signature.name);
  procedures_[std::move(key)] = std::move(entry);
}

const planner::FunctionSignature* ProcedureCatalog::FindFunction(std::string_view name) const { return BuiltinFunctions().FindFunction(name); }
std::string ProcedureCatalog::NearestFunction(std::string_view name) const { return BuiltinFunctions().NearestFunction(name); }
std::vector<const planner::FunctionSignature*> ProcedureCatalog::AllFunctions() const { return BuiltinFunctions().AllFunctions(); }

const planner::ProcedureSignature* ProcedureCatalog::FindProcedure(std::string_view name) const {
  const auto it = procedures_.find(Lower(name));
  return it == procedures_.end() ? nullptr : &it->second->signature;
}

std::string ProcedureCatalog::NearestProcedure(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& [key, entry] : procedures_) names.push_back(entry->signature.name);
  return Nearest(name, names);
}

std::vector<const planner::ProcedureSignature*> ProcedureCatalog::AllProcedures() const {
  std::vector<const planner::ProcedureSignature*> all;
  for (const auto& [key, entry] : procedures_) all.push_back(&entry->signature);
  return all;
}

Status ProcedureCatalog::RegisterTable(std::string_view signature, std::vector<List> rows) {
  ASSIGN_OR_RETURN(planner::ProcedureSignature read, SignatureReader(signature).Read());
  const size_t width = read.inputs.size() + read.outputs.size();
  for (const List& row : rows) {
    if (row.size() != width) {
      return {Code::kSyntaxError, "a row of " + read.name + " has " + std::to_string(row.size()) + " values, but its signature has " + std::to_string(width)};
    }
  }
  const size_t inputs = read.inputs.size();
  const std::string key = Lower(read.name);
  AddBuiltin(std::move(read), std::make_unique<TableProcedure>(std::move(rows), inputs));
  procedures_[key]->table = true;
  return Status::Ok();
}

void ProcedureCatalog::UnregisterTables() {
  for (auto it = procedures_.begin(); it != procedures_.end();) it = it->second->table ? procedures_.erase(it) : std::next(it);
}

const ProcedureCatalog& DefaultCatalog() {
  static const ProcedureCatalog catalog;
  return catalog;
}

}  // namespace fornix::engine
