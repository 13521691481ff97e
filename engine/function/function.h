// Scalar and aggregate functions: their type, the context they run in, and the operators of expressions on boxed values.
//
// A scalar function gets evaluated arguments and returns a value or an error; null handling is the function's own (most
// return null when any argument is null). Functions are pure but for the context. Called from many threads at once,
// each with its own context.
#pragma once

#include <memory>
#include <span>

#include "base/element_reader.h"
#include "base/random.h"
#include "fornix/status.h"
#include "fornix/value.h"
#include "planner/bind/function_catalog.h"

namespace fornix::engine {

struct FunctionContext {
  ElementReader* elements = nullptr;
  DateTime statement_time;              // one instant for a whole statement: datetime(), timestamp()
  DateTime transaction_time;
  Random* random = nullptr;
};

using ScalarFunction = Result<Value> (*)(FunctionContext& context, std::span<const Value> arguments);

// One instance for each group; DISTINCT is the operator's work, not the function's. Nulls are handed in: count skips them.
class Aggregator {
 public:
  virtual ~Aggregator() = default;
  virtual Status Add(std::span<const Value> arguments) = 0;   // count(*) gets none
  virtual Result<Value> Finish() = 0;
  virtual size_t MemoryBytes() const { return sizeof(*this); }
  // What it has gathered as values, and back into a fresh one: for groups that memory doesn't hold. The same sequence of Add gives
  // the same result to the bit, with such a stop in between or without. After Save only the destructor may be called.
  virtual void Save(List* state) = 0;
  virtual void Restore(std::span<const Value> state) = 0;
};
using AggregateFunction = std::unique_ptr<Aggregator> (*)();

// The built-in functions; `implementation` points at a static ScalarFunction or AggregateFunction variable.
const planner::FunctionCatalog& BuiltinFunctions();

// Operators of expressions on boxed values, with Cypher's nulls, promotions, overflow errors and temporal arithmetic.
Result<Value> Add(const Value& a, const Value& b);            // numbers, strings, lists, temporal + duration
Result<Value> Subtract(const Value& a, const Value& b);
Result<Value> Multiply(const Value& a, const Value& b);
Result<Value> Divide(const Value& a, const Value& b);         // integers: truncates; by zero: ArithmeticError
Result<Value> Modulo(const Value& a, const Value& b);
Result<Value> Power(const Value& a, const Value& b);          // always a float
Result<Value> Negate(const Value& a);
Result<Value> Concatenate(const Value& a, const Value& b);    // `||`
Result<Value> In(const Value& item, const Value& list);
Result<Value> StartsWith(const Value& a, const Value& b);
Result<Value> EndsWith(const Value& a, const Value& b);
Result<Value> Contains(const Value& a, const Value& b);
Result<Value> MatchesRegex(const Value& text, const Value& pattern);  // `=~`: the whole text, RE2
// Where `wanted` stands next, as std::string_view::find says, but in time linear in both, and interruptible.
size_t FindText(std::string_view text, std::string_view wanted, size_t from);
// Appends items first to end - 1 of a list that may be long.
void AppendItems(const List& from, size_t first, size_t end, List* to);
Result<Value> Subscript(FunctionContext& context, const Value& base, const Value& index);         // list[i], map[k], node[k]
Result<Value> Slice(const Value& list, const Value* from, const Value* to);                       // list[from..to]
Result<Value> GetProperty(FunctionContext& context, const Value& base, std::string_view key);     // map, element, temporal field, point

}  // namespace fornix::engine
