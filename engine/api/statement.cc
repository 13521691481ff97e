#include "engine/api/statement.h"

#include <algorithm>
#include <vector>

#include "base/limits.h"
#include "base/utf8.h"
#include "base/value_check.h"

namespace fornix::engine {

using planner::OpKind;
using planner::PhysicalOperator;

namespace {

// Values nest at most kParameterNestingMax deep: everything that walks a value recurses.
Status CheckDepth(const Value& v, size_t depth, const std::string& name) {
  if (depth > kParameterNestingMax) {
    return Status(Code::kLimitExceeded, "parameter $" + name + " is nested more than " + std::to_string(kParameterNestingMax) +
                                            " levels deep (kParameterNestingMax)");
  }
  if (v.type() == Type::kList) {
    for (const Value& item : v.AsList()) RETURN_IF_ERROR(CheckDepth(item, depth + 1, name));
  } else if (v.type() == Type::kMap) {
    for (const auto& [key, item] : v.AsMap()) {
      if (!IsUtf8(key)) return Status(Code::kParameterInvalid, "parameter $" + name + " holds a map with a key that isn't UTF-8");
      RETURN_IF_ERROR(CheckDepth(item, depth + 1, name));
    }
  } else if (v.type() >= Type::kNode && v.type() <= Type::kPath) {
    return Status(Code::kParameterInvalid, "parameter $" + name + " is a " + std::string(TypeName(v.type())) +
                                               "; pass its elementId and MATCH it again");
  } else if (std::string wrong = WhatIsWrong(v); !wrong.empty()) {
    return Status(Code::kParameterInvalid, "parameter $" + name + " is no " + std::string(TypeName(v.type())) + ": " + wrong);
  } else if (v.type() == Type::kNodeRef || v.type() == Type::kRelationshipRef) {
    return Status(Code::kParameterInvalid, "parameter $" + name + " holds an internal reference");
  }
  return Status::Ok();
}

// Line 0 for a write whose place isn't known.
void PlacesOfWrites(const PhysicalOperator& plan, std::vector<SourcePosition>* out) {
  if (!plan.creates.empty()) {
    out->push_back(plan.creates[0].position);
  } else if (!plan.sets.empty()) {
    out->push_back(plan.sets[0].position);
  } else if (plan.procedure != nullptr && plan.procedure->writes) {
    out->push_back({});
  }
  for (const auto& child : plan.children) PlacesOfWrites(*child, out);
}

template <typename Test>
bool AnyOperator(const PhysicalOperator& plan, const Test& test) {
  return test(plan) || std::any_of(plan.children.begin(), plan.children.end(), [&](const auto& child) { return AnyOperator(*child, test); });
}

}  // namespace

Status CheckParameters(const Map& parameters) {
  for (const auto& [name, value] : parameters) {
    if (!IsUtf8(name)) return Status(Code::kParameterInvalid, "the name of a parameter isn't UTF-8");
    RETURN_IF_ERROR(CheckDepth(value, 1, name));
  }
  return Status::Ok();
}

bool CommitsInside(const PhysicalOperator& plan) {
  return AnyOperator(plan, [](const PhysicalOperator& op) { return op.in_transactions; });
}

bool ActsAtOnce(const PhysicalOperator& plan) {
  return AnyOperator(plan, [](const PhysicalOperator& op) { return op.procedure != nullptr && op.procedure->at_once; });
}

Status AtItsWrite(Status status, const PhysicalOperator& plan) {
  if (status.code() != Code::kConstraintViolation || status.position().line != 0) return status;
  std::vector<SourcePosition> places;
  PlacesOfWrites(plan, &places);
  return places.size() == 1 && places[0].line != 0 ? Status(std::move(status).At(places[0])) : status;
}

}  // namespace fornix::engine
