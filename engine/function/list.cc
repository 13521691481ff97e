// List functions, and those that work on lists and strings alike (size, reverse, isEmpty).
#include <algorithm>

#include "base/interrupt.h"
#include "base/limits.h"
#include "base/value_format.h"
#include "engine/function/errors.h"
#include "engine/function/registry.h"
#include "engine/function/utf8.h"

namespace fornix::engine {
namespace {

using Arguments = std::span<const Value>;

Result<Value> Head(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kList) return WrongType("head()", "a LIST", a[0]);
  return a[0].AsList().empty() ? Value() : a[0].AsList().front();
}

Result<Value> Last(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kList) return WrongType("last()", "a LIST", a[0]);
  return a[0].AsList().empty() ? Value() : a[0].AsList().back();
}

Result<Value> Tail(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() != Type::kList) return WrongType("tail()", "a LIST", a[0]);
  const List& list = a[0].AsList();
  if (list.empty()) return Value(List{});
  List rest;
  rest.reserve(list.size() - 1);
  AppendItems(list, 1, list.size(), &rest);
  return Value(std::move(rest));
}

Result<Value> Size(FunctionContext&, Arguments a) {
  switch (a[0].type()) {
    case Type::kNull: return Value();
    case Type::kList: return Value(static_cast<int64_t>(a[0].AsList().size()));
    case Type::kVector: return Value(static_cast<int64_t>(a[0].AsVector().size()));
    case Type::kString: return Value(CodePoints(a[0].AsString()));
    default: return WrongType("size()", "a LIST or a STRING", a[0]);
  }
}

Result<Value> IsEmpty(FunctionContext&, Arguments a) {
  switch (a[0].type()) {
    case Type::kNull: return Value();
    case Type::kList: return Value(a[0].AsList().empty());
    case Type::kMap: return Value(a[0].AsMap().empty());
    case Type::kString: return Value(a[0].AsString().empty());
    default: return WrongType("isEmpty()", "a LIST, a MAP or a STRING", a[0]);
  }
}

Result<Value> Reverse(FunctionContext&, Arguments a) {
  if (a[0].is_null()) return Value();
  if (a[0].type() == Type::kList) {
    const List& list = a[0].AsList();
    List reversed;
    reversed.reserve(list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      CountEntry(i, list.size());
      reversed.push_back(list[list.size() - 1 - i]);
    }
    return Value(std::move(reversed));
  }
  if (a[0].type() != Type::kString) return WrongType("reverse()", "a LIST or a STRING", a[0]);
  std::string_view rest = a[0].AsString();
  std::string out(rest.size(), '\0');
  for (size_t end = rest.size(); !rest.empty();) {     // code points keep their bytes in order
    CountWork(1);
    size_t n = ByteOf(rest, 1);
    end -= n;
    rest.copy(out.data() + end, n);
    rest.remove_prefix(n);
  }
  return Value(std::move(out));
}

Result<Value> Range(FunctionContext&, Arguments a) {
  int64_t bounds[3] = {0, 0, 1};
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_null()) return Value();
    if (a[i].type() != Type::kInteger) {
      return Status(Code::kArgumentError, "range() wants INTEGER arguments, not " + Describe(a[i])).Detail("InvalidArgumentType");
    }
    bounds[i] = a[i].AsInteger();
  }
  auto [start, end, step] = bounds;
  if (step == 0) return OutOfRange("range(): the step must not be 0");
  if (step > 0 ? start > end : start < end) return Value(List{});
  // The distance of two 64-bit numbers needs 65 bits.
  __int128 distance = static_cast<__int128>(end) - start;
  __int128 items = distance / step + 1;
  if (items > static_cast<__int128>(kRangeItemsMax)) {
    return Status(Code::kLimitExceeded, "range() would have more than " + std::to_string(kRangeItemsMax) + " items");
  }
  List list;
  list.reserve(static_cast<size_t>(items));
  for (int64_t i = 0, next = start; i < static_cast<int64_t>(items); ++i) {
    CountEntry(static_cast<size_t>(i), static_cast<size_t>(items));
    list.emplace_back(next);
    if (i + 1 < static_cast<int64_t>(items)) next += step;     // one step past the end might not fit
  }
  return Value(std::move(list));
}

}  // namespace

void AddListFunctions(FunctionRegistry* r) {
  r->Category("List");
  r->Scalar("head(list :: LIST<ANY>) :: ANY", "The first item, null if there is none.", Head);
  r->Scalar("last(list :: LIST<ANY>) :: ANY", "The last item, null if there is none.", Last);
  r->Scalar("tail(list :: LIST<ANY>) :: LIST<ANY>", "All items but the first.", Tail);
  r->Scalar("size(input :: STRING | LIST<ANY> | VECTOR) :: INTEGER", "The number of items or characters.", Size);
  r->Scalar("isEmpty(input :: STRING | LIST<ANY> | MAP) :: BOOLEAN", "Whether there is nothing in it.", IsEmpty);
  r->Scalar("reverse(input :: STRING | LIST<ANY>) :: STRING | LIST<ANY>", "The items or characters from the last to the first.", Reverse);
  r->Scalar("range(start :: INTEGER, end :: INTEGER, [step :: INTEGER]) :: LIST<INTEGER>",
            "The integers from start to end, both included.", Range, {FunctionTrait::kCheckedWhenRun});
}

}  // namespace fornix::engine
