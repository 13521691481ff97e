// See binder.h: what all its parts share.
#include "planner/bind/binder.h"

#include <algorithm>

#include "base/nearest.h"

namespace fornix::planner {

Status BindError(std::string detail, std::string message, SourcePosition at, Code code) {
  return Status(code, std::move(message)).Detail(std::move(detail)).At(at).CompileTime();
}

Status NotAvailable(std::string what, SourcePosition at) {
  return Status(Code::kNotAvailable, std::move(what) + " is not available yet").At(at).CompileTime();
}

std::string Describe(TypeSet type) {
  std::vector<std::string_view> names;
  for (int i = 1; i < 19; ++i) {
    if (type.Has(static_cast<Type>(i))) names.push_back(TypeName(static_cast<Type>(i)));
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 < names.size() ? ", " : " or ";
    text += names[i];
  }
  return text.empty() ? "NULL" : text;
}

Binder::Binder(const ast::Statement& statement, std::shared_ptr<const ast::SchemaCommand> schema, const PlannerInput& input)
    : statement_(statement), schema_(std::move(schema)), input_(input) {
  plan_.parameters = statement.parameters;
}

Result<LogicalPlan> Binder::Bind() {
  std::vector<Variable> columns;
  bool returns = false;
  LogicalPtr top;
  if (schema_) {
    ASSIGN_OR_RETURN(top, BindSchema(schema_, &columns));
    returns = !columns.empty();
  } else {
    Scope empty;
    ASSIGN_OR_RETURN(QueryOut out, BindQuery(*statement_.query, empty, QueryPlace{}));
    top = std::move(out.plan);
    columns = std::move(out.columns);
    returns = out.returns;
  }
  if (ddl_) {
    plan_.root = std::move(top);
  } else if (returns) {
    plan_.root = MakeOperator(OpKind::kProduceResults, std::move(top));
    for (const auto& column : columns) plan_.root->op->columns.emplace_back(column.name, column.slot);
  } else {
    plan_.root = MakeOperator(OpKind::kEmptyResult, std::move(top));
  }
  plan_.type = ddl_       ? QueryType::kSchema
               : !writes_ ? QueryType::kRead
               : returns  ? QueryType::kReadWrite
                          : QueryType::kWrite;
  return std::move(plan_);
}

Slot Binder::NewSlot(std::string_view name) {
  plan_.slot_names.emplace_back(name);
  return static_cast<Slot>(plan_.slot_names.size() - 1);
}

void Binder::NoteUse(Slot slot) {
  for (SubplanFrame* frame : frames_) {
    if (slot < frame->first_) frame->used_.insert(slot);
  }
}

const Variable* Binder::Resolve(std::string_view name, const Scope& scope) {
  const Variable* variable = scope.Find(name);
  if (variable) NoteUse(variable->slot);
  return variable;
}

uint32_t Binder::ParameterPlace(const std::string& name) {
  auto& names = plan_.parameters;
  auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) it = names.insert(names.end(), name);
  return static_cast<uint32_t>(it - names.begin());
}

bool Binder::HoldsLifted(const ast::Span& span) const {
  if (input_.lifted == nullptr) return false;
  const auto it = std::lower_bound(input_.lifted->begin(), input_.lifted->end(), span.start.offset);
  return it != input_.lifted->end() && *it < span.start.offset + span.length;
}

std::optional<uint32_t> Binder::LiteralPlace(uint32_t offset) {
  if (input_.lifted == nullptr) return std::nullopt;
  const auto it = std::lower_bound(input_.lifted->begin(), input_.lifted->end(), offset);
  if (it == input_.lifted->end() || *it != offset) return std::nullopt;
  const auto number = static_cast<uint32_t>(it - input_.lifted->begin());
  for (const auto& [place, known] : plan_.literals) {
    if (known == number) return place;
  }
  // All names that the text holds are there already, so none finds this one.
  plan_.parameters.emplace_back();
  plan_.literals.emplace_back(static_cast<uint32_t>(plan_.parameters.size() - 1), number);
  return plan_.literals.back().first;
}

BoundExprPtr Binder::Make(BoundKind kind, const ast::Expr& expr, TypeSet type) const {
  auto made = std::make_unique<BoundExpr>(kind);
  made->type = type;
  made->position = expr.span.start;
  // What differs from text to text is in no message.
  if (!HoldsLifted(expr.span)) made->text = TextOf(expr.span);
  return made;
}

namespace {
// The nearest variable, or the few that there are.
std::string InScope(std::string_view name, const Scope& scope) {
  std::vector<std::string> names;
  for (std::string& known : scope.Names()) {
    if (!known.empty() && std::find(names.begin(), names.end(), known) == names.end()) names.push_back(std::move(known));
  }
  if (names.empty()) return "; no variable is defined here";
  return DidYouMeanOrAll(name, names);
}
}  // namespace

Status Binder::UndefinedVariable(std::string_view name, const Scope& scope, SourcePosition at) const {
  return BindError("UndefinedVariable", "variable `" + std::string(name) + "` is not defined" + InScope(name, scope), at);
}

Status Binder::Expect(const BoundExpr& expr, TypeSet wanted, std::string_view what, Code code) const {
  if (CanBe(expr.type, wanted)) return Status::Ok();
  return BindError("InvalidArgumentType",
                   std::string(what) + ": expected " + Describe(wanted) + ", found " + Describe(expr.type) +
                       (expr.text.empty() ? "" : " `" + expr.text + "`"),
                   expr.position, code);
}

void Binder::Notify(std::string code, std::string title, std::string description, SourcePosition position, std::string severity) {
  plan_.notifications.push_back({std::move(code), std::move(title), std::move(description), std::move(severity), position});
}

void Binder::WarnUnknownName(std::string_view kind, const std::string& name, SourcePosition position) {
  const storage::Tokens& tokens = *input_.tokens;
  const bool known = kind == "label" ? tokens.labels.Find(name).has_value()
                     : kind == "relationship type" ? tokens.types.Find(name).has_value()
                                                   : tokens.properties.Find(name).has_value();
  if (known || !warned_.insert(std::string(kind) + " " + name).second) return;
  const auto names = kind == "label" ? tokens.labels.Names() : kind == "relationship type" ? tokens.types.Names() : tokens.properties.Names();
  const std::string code = kind == "label" ? "UnknownLabelWarning" : kind == "relationship type" ? "UnknownRelationshipTypeWarning" : "UnknownPropertyKeyWarning";
  Notify("Neo.ClientNotification.Statement." + code, "The " + std::string(kind) + " is not in the database",
         "nothing has the " + std::string(kind) + " `" + name + "` yet" + DidYouMean(name, names), position);
}

void Binder::WarnUnknownLabels(const LabelPredicate& labels, bool types, SourcePosition position) {
  if (labels.kind == LabelPredicate::Kind::kName) WarnUnknownName(types ? "relationship type" : "label", labels.name, position);
  for (const auto& child : labels.children) WarnUnknownLabels(child, types, position);
}

Binder::SubplanFrame::SubplanFrame(Binder* binder) : binder_(binder), first_(static_cast<Slot>(binder->plan_.slot_names.size())) {
  binder->frames_.push_back(this);
}
Binder::SubplanFrame::~SubplanFrame() { binder_->frames_.pop_back(); }

}  // namespace fornix::planner
