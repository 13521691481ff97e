// Functions on values of any type, and those of the statement's surroundings: clocks and random names.
#include <set>

#include "base/interrupt.h"
#include "base/random.h"
#include "base/value_compare.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

Result<Value> Coalesce(FunctionContext&, Arguments a) {
  for (const Value& v : a) {
    if (!v.is_null()) return v;
  }
  return Value();
}

Result<Value> NullIf(FunctionContext&, Arguments a) { return Equals(a[0], a[1]) == Truth::kTrue ? Value() : a[0]; }

Result<Value> Exists(FunctionContext&, Arguments a) { return Value(!a[0].is_null()); }

Result<Value> Timestamp(FunctionContext& context, Arguments) {
  return Value(context.statement_time.seconds * 1000 + context.statement_time.nanos / 1'000'000);
}

Result<Value> RandomUuid(FunctionContext& context, Arguments) {
  uint64_t high = context.random->Next(), low = context.random->Next();
  high = (high & ~uint64_t{0xf000}) | 0x4000;                  // version 4
  low = (low & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);    // the variant of RFC 4122
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    uint64_t half = i < 16 ? high : low;
    out += kHex[half >> (60 - 4 * (i % 16)) & 15];
  }
  return Value(std::move(out));
}

// "INTEGER NOT NULL", "LIST<INTEGER NOT NULL | STRING NOT NULL> NOT NULL", "LIST<NOTHING> NOT NULL", "NULL".
std::string TypeText(const Value& v) {
  if (v.is_null()) return "NULL";
  if (v.type() != Type::kList) return std::string(TypeName(v.type())) + " NOT NULL";
  std::set<std::string> inner;
  bool has_null = false;
  for (const Value& item : v.AsList()) {
    CountWork(8);
    if (item.is_null()) {
      has_null = true;
    } else {
      inner.insert(TypeText(item));
    }
  }
  std::string text;
  for (const std::string& one : inner) {
    if (!text.empty()) text += " | ";
    // A null in the list makes each of its types nullable.
    text += has_null ? one.substr(0, one.size() - std::string_view(" NOT NULL").size()) : one;
  }
  if (inner.empty()) text = has_null ? "NULL" : "NOTHING";
  return "LIST<" + text + "> NOT NULL";
}

Result<Value> ValueType(FunctionContext&, Arguments a) { return Value(TypeText(a[0])); }

}  // namespace

void AddScalarFunctions(FunctionRegistry* r) {
  r->Category("Scalar");
  r->Scalar("coalesce(input :: ANY, ...) :: ANY", "The first argument that isn't null.", Coalesce);
  r->Scalar("nullIf(v1 :: ANY, v2 :: ANY) :: ANY", "Null if both are equal, else the first.", NullIf);
  r->Scalar("timestamp() :: INTEGER", "Milliseconds since 1970-01-01T00:00Z, the same in the whole statement.", Timestamp);
  r->Scalar("randomUUID() :: STRING", "A random name of 122 bits.", RandomUuid, {FunctionTrait::kNotDeterministic});
  r->Scalar("valueType(input :: ANY) :: STRING", "The name of a value's type.", ValueType);
  r->Category("Predicate");
  r->Scalar("exists(input :: ANY) :: BOOLEAN", "Whether a property or value is there.", Exists);
}

}  // namespace fornix::engine
