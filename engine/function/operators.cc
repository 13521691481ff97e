// Arithmetic, string and list operators. Null on either side gives null before anything else is looked at; integers
// overflow with an error, never silently; `+` of a string and a scalar makes a string.
#include <cmath>
#include <cstring>

#include "base/interrupt.h"
#include "base/value_compare.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/function.h"
#include "engine/function/temporal/arithmetic.h"
#include "engine/function/temporal/parts.h"

namespace fornix::engine {
namespace {

bool Integers(const Value& a, const Value& b) { return a.type() == Type::kInteger && b.type() == Type::kInteger; }
bool Numbers(const Value& a, const Value& b) { return a.is_number() && b.is_number(); }

bool JoinsWithStrings(const Value& v) {
  return v.type() == Type::kString || v.is_number() || v.type() == Type::kBoolean || v.type() == Type::kDuration ||
         v.type() == Type::kPoint || IsInstant(v);
}

std::string Expression(const Value& a, char op, const Value& b) { return ToText(a) + " " + op + " " + ToText(b); }

Status DivisionByZero(const Value& a, char op) {
  return Status(Code::kArithmeticError, "division by zero in " + ToText(a) + " " + op + " 0").Detail("DivisionByZero");
}

Value Joined(const List& a, const List& b) {
  List joined;
  joined.reserve(a.size() + b.size());
  AppendItems(a, 0, a.size(), &joined);
  AppendItems(b, 0, b.size(), &joined);
  return Value(std::move(joined));
}

// Without a copy beside the result: texts may be as long as the statement's memory.
Value JoinedText(const std::string& a, const std::string& b) {
  std::string joined;
  joined.reserve(a.size() + b.size());
  joined += a;
  joined += b;
  return Value(std::move(joined));
}

Result<Value> AsValue(Result<Duration> d) {
  if (!d.ok()) return d.status();
  return Value(*d);
}

// Resolves a slice's bound: from the end if negative, then clamped into the list.
int64_t Clamped(int64_t bound, int64_t size) {
  if (bound < 0) bound += size;
  return bound < 0 ? 0 : (bound > size ? size : bound);
}

}  // namespace

size_t FindText(std::string_view text, std::string_view wanted, size_t from) {
  if (wanted.empty()) return from <= text.size() ? from : std::string::npos;
  // Piece by piece, so that cancel is seen; a piece is large beside what is looked for, which is prepared anew for each.
  const size_t piece = std::max(size_t{1} << 20, 2 * wanted.size());
  while (from <= text.size() && text.size() - from >= wanted.size()) {
    const size_t length = std::min(piece + wanted.size(), text.size() - from);
    const void* at = ::memmem(text.data() + from, length, wanted.data(), wanted.size());   // linear, as std::string::find isn't
    if (at != nullptr) {
      const size_t found = static_cast<size_t>(static_cast<const char*>(at) - text.data());
      CountText(found - from);
      return found;
    }
    CountText(length);
    if (from + length == text.size()) break;
    from += length - wanted.size() + 1;
  }
  return std::string::npos;
}

void AppendItems(const List& from, size_t first, size_t end, List* to) {
  for (size_t i = first; i < end; ++i) {
    CountEntry(i - first, end - first);
    to->push_back(from[i]);
  }
}

Result<Value> Add(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (Integers(a, b)) {
    int64_t sum;
    if (__builtin_add_overflow(a.AsInteger(), b.AsInteger(), &sum)) return Overflow(Expression(a, '+', b));
    return Value(sum);
  }
  if (Numbers(a, b)) return Value(a.AsNumber() + b.AsNumber());
  if (a.type() == Type::kList || b.type() == Type::kList) {
    if (a.type() != b.type()) return a.type() == Type::kList ? Joined(a.AsList(), {b}) : Joined({a}, b.AsList());
    return Joined(a.AsList(), b.AsList());
  }
  if ((a.type() == Type::kString && JoinsWithStrings(b)) || (b.type() == Type::kString && JoinsWithStrings(a))) {
    if (a.type() == Type::kString && b.type() == Type::kString) return JoinedText(a.AsString(), b.AsString());
    return a.type() == Type::kString ? JoinedText(a.AsString(), ToDisplay(b)) : JoinedText(ToDisplay(a), b.AsString());
  }
  if (a.type() == Type::kDuration && b.type() == Type::kDuration) return AsValue(AddDurations(a.AsDuration(), b.AsDuration()));
  if (IsInstant(a) && b.type() == Type::kDuration) return AddToInstant(a, b.AsDuration());
  if (a.type() == Type::kDuration && IsInstant(b)) return AddToInstant(b, a.AsDuration());
  return WrongOperands("+", a, b);
}

Result<Value> Subtract(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (Integers(a, b)) {
    int64_t difference;
    if (__builtin_sub_overflow(a.AsInteger(), b.AsInteger(), &difference)) return Overflow(Expression(a, '-', b));
    return Value(difference);
  }
  if (Numbers(a, b)) return Value(a.AsNumber() - b.AsNumber());
  if (b.type() == Type::kDuration && (a.type() == Type::kDuration || IsInstant(a))) {
    ASSIGN_OR_RETURN(Duration negated, Negated(b.AsDuration()));
    return a.type() == Type::kDuration ? AsValue(AddDurations(a.AsDuration(), negated)) : AddToInstant(a, negated);
  }
  return WrongOperands("-", a, b);
}

Result<Value> Multiply(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (Integers(a, b)) {
    int64_t product;
    if (__builtin_mul_overflow(a.AsInteger(), b.AsInteger(), &product)) return Overflow(Expression(a, '*', b));
    return Value(product);
  }
  if (Numbers(a, b)) return Value(a.AsNumber() * b.AsNumber());
  if (a.type() == Type::kDuration && b.is_number()) return AsValue(Times(a.AsDuration(), b));
  if (b.type() == Type::kDuration && a.is_number()) return AsValue(Times(b.AsDuration(), a));
  return WrongOperands("*", a, b);
}

Result<Value> Divide(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (Integers(a, b)) {
    if (b.AsInteger() == 0) return DivisionByZero(a, '/');
    if (b.AsInteger() == -1) {                                // the one quotient that overflows is -2^63 / -1
      int64_t negated;
      if (__builtin_sub_overflow(int64_t{0}, a.AsInteger(), &negated)) return Overflow(Expression(a, '/', b));
      return Value(negated);
    }
    return Value(a.AsInteger() / b.AsInteger());
  }
  if (Numbers(a, b)) return Value(a.AsNumber() / b.AsNumber());
  if (a.type() == Type::kDuration && b.is_number()) return AsValue(DividedBy(a.AsDuration(), b));
  return WrongOperands("/", a, b);
}

Result<Value> Modulo(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (Integers(a, b)) {
    if (b.AsInteger() == 0) return DivisionByZero(a, '%');
    return Value(b.AsInteger() == -1 ? int64_t{0} : a.AsInteger() % b.AsInteger());
  }
  if (Numbers(a, b)) return Value(std::fmod(a.AsNumber(), b.AsNumber()));
  return WrongOperands("%", a, b);
}

Result<Value> Power(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (Numbers(a, b)) return Value(std::pow(a.AsNumber(), b.AsNumber()));
  return WrongOperands("^", a, b);
}

Result<Value> Negate(const Value& a) {
  if (a.is_null()) return Value();
  if (a.type() == Type::kInteger) {
    int64_t negated;
    if (__builtin_sub_overflow(int64_t{0}, a.AsInteger(), &negated)) return Overflow("-(" + ToText(a) + ")");
    return Value(negated);
  }
  if (a.type() == Type::kFloat) return Value(-a.AsFloat());
  if (a.type() == Type::kDuration) return AsValue(Negated(a.AsDuration()));
  return Status(Code::kTypeError, "can't negate " + Describe(a)).Detail("InvalidArgumentType");
}

Result<Value> Concatenate(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (a.type() == Type::kString && b.type() == Type::kString) return JoinedText(a.AsString(), b.AsString());
  if (a.type() == Type::kList && b.type() == Type::kList) return Joined(a.AsList(), b.AsList());
  return WrongOperands("||", a, b);
}

Result<Value> In(const Value& item, const Value& list) {
  if (list.is_null()) return Value();
  if (list.type() != Type::kList) return WrongOperands("IN", item, list);
  bool unknown = false;
  const List& candidates = list.AsList();
  for (size_t i = 0; i < candidates.size(); ++i) {
    CountEntry(i, candidates.size());
    Truth equal = Equals(item, candidates[i]);
    if (equal == Truth::kTrue) return Value(true);
    unknown |= equal == Truth::kUnknown;
  }
  return unknown ? Value() : Value(false);
}

// The three string tests give null for anything that isn't a string.
Result<Value> StartsWith(const Value& a, const Value& b) {
  if (a.type() != Type::kString || b.type() != Type::kString) return Value();
  return Value(a.AsString().starts_with(b.AsString()));
}
Result<Value> EndsWith(const Value& a, const Value& b) {
  if (a.type() != Type::kString || b.type() != Type::kString) return Value();
  return Value(a.AsString().ends_with(b.AsString()));
}
Result<Value> Contains(const Value& a, const Value& b) {
  if (a.type() != Type::kString || b.type() != Type::kString) return Value();
  return Value(FindText(a.AsString(), b.AsString(), 0) != std::string::npos);
}

Result<Value> Subscript(FunctionContext& context, const Value& base, const Value& index) {
  if (base.is_null() || index.is_null()) return Value();
  if (base.type() == Type::kList) {
    if (index.type() != Type::kInteger) {
      return Status(Code::kTypeError, "a list is indexed by an INTEGER, not " + Describe(index)).Detail("InvalidArgumentType");
    }
    const List& list = base.AsList();
    int64_t i = index.AsInteger(), size = static_cast<int64_t>(list.size());
    if (i < 0) i += size;
    return i < 0 || i >= size ? Value() : list[static_cast<size_t>(i)];
  }
  switch (base.type()) {
    case Type::kMap: case Type::kNode: case Type::kNodeRef: case Type::kRelationship: case Type::kRelationshipRef: {
      if (index.type() != Type::kString) {
        return Status(Code::kTypeError, "a key of " + std::string(TypeName(base.type())) + " is a STRING, not " + Describe(index))
            .Detail("MapElementAccessByNonString");
      }
      return GetProperty(context, base, index.AsString());
    }
    default: break;
  }
  if (index.type() == Type::kString && (IsInstant(base) || base.type() == Type::kDuration || base.type() == Type::kPoint)) {
    return GetProperty(context, base, index.AsString());
  }
  return Status(Code::kTypeError, "only lists, maps and elements can be indexed, not " + Describe(base)).Detail("InvalidArgumentType");
}

Result<Value> Slice(const Value& list, const Value* from, const Value* to) {
  if (list.is_null() || (from && from->is_null()) || (to && to->is_null())) return Value();
  if (list.type() != Type::kList) {
    return Status(Code::kTypeError, "only a list can be sliced, not " + Describe(list)).Detail("InvalidArgumentType");
  }
  for (const Value* bound : {from, to}) {
    if (bound && bound->type() != Type::kInteger) {
      return Status(Code::kTypeError, "the bounds of a slice are INTEGER, not " + Describe(*bound)).Detail("InvalidArgumentType");
    }
  }
  const List& items = list.AsList();
  int64_t size = static_cast<int64_t>(items.size());
  int64_t begin = from ? Clamped(from->AsInteger(), size) : 0;
  int64_t end = to ? Clamped(to->AsInteger(), size) : size;
  if (begin >= end) return Value(List{});
  List slice;
  slice.reserve(static_cast<size_t>(end - begin));
  AppendItems(items, static_cast<size_t>(begin), static_cast<size_t>(end), &slice);
  return Value(std::move(slice));
}

}  // namespace fornix::engine
