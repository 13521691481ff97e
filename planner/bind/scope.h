// Scope: the variables that a place of the text can see.
//
// Each clause works on one Scope; WITH starts a new one. A scope with a parent also sees the parent's variables
// (subquery expressions, comprehensions, ORDER BY, which sees the aliases first and then what came before them).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "planner/bind/expr.h"

namespace fornix::planner {

struct Variable {
  std::string name;
  Slot slot = kNoSlot;
  TypeSet type = kAnyType;
  TypeSet element = kAnyType;   // if it is a list
};

class Scope {
 public:
  explicit Scope(const Scope* parent = nullptr) : parent_(parent) {}
  const Variable* Find(std::string_view name) const {
    for (const Scope* s = this; s; s = s->parent_) {
      if (const Variable* v = s->FindOwn(name)) return v;
    }
    return nullptr;
  }
  const Variable* FindOwn(std::string_view name) const {
    if (own_.size() > kIndexedFrom) {
      auto it = index_.find(std::string(name));
      return it == index_.end() ? nullptr : &own_[it->second];
    }
    for (auto it = own_.rbegin(); it != own_.rend(); ++it) {
      if (it->name == name) return &*it;
    }
    return nullptr;
  }
  void Add(Variable variable) {
    own_.push_back(std::move(variable));
    // A script of thousands of CREATE has as many variables.
    if (own_.size() <= kIndexedFrom) return;
    for (size_t i = index_.empty() ? 0 : own_.size() - 1; i < own_.size(); ++i) index_[own_[i].name] = i;
  }
  const std::vector<Variable>& own() const { return own_; }
  const Scope* parent() const { return parent_; }
  // All that can be seen.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Scope* s = this; s; s = s->parent_) {
      for (const auto& v : s->own_) names.push_back(v.name);
    }
    return names;
  }
  std::vector<Slot> Slots() const {
    std::vector<Slot> slots;
    for (const Scope* s = this; s; s = s->parent_) {
      for (const auto& v : s->own_) slots.push_back(v.slot);
    }
    return slots;
  }

 private:
  static constexpr size_t kIndexedFrom = 16;   // fewer are found faster by looking at each

  const Scope* parent_;
  std::vector<Variable> own_;
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace fornix::planner
