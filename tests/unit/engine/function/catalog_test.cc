// The catalog as the binder uses it.
#include <catch2/catch.hpp>

#include "engine/function/function.h"

using namespace fornix;
using namespace fornix::engine;
using planner::FunctionSignature;

TEST_CASE("functions are found in any case, under their canonical name") {
  const FunctionSignature* f = BuiltinFunctions().FindFunction("TOUPPER");
  REQUIRE(f != nullptr);
  CHECK(f->name == "toUpper");
  CHECK(BuiltinFunctions().FindFunction("date.TRUNCATE") != nullptr);
  CHECK(BuiltinFunctions().FindFunction("noSuchFunction") == nullptr);
  CHECK(BuiltinFunctions().FindProcedure("db.labels") == nullptr);
}

TEST_CASE("a misspelt name finds its neighbour, another word finds none") {
  CHECK(BuiltinFunctions().NearestFunction("toUper") == "toUpper");
  CHECK(BuiltinFunctions().NearestFunction("sizze") == "size");
  CHECK(BuiltinFunctions().NearestFunction("completelyDifferent") == "");
}

TEST_CASE("signatures say counts and types of arguments") {
  const FunctionSignature* f = BuiltinFunctions().FindFunction("substring");
  CHECK(f->args_min == 2);
  CHECK(f->args_max == 3);
  CHECK(f->arguments[0] == kStringType);
  CHECK(f->result == kStringType);
  f = BuiltinFunctions().FindFunction("coalesce");
  CHECK(f->args_min == 1);
  CHECK(f->args_max == -1);
  CHECK(BuiltinFunctions().FindFunction("sqrt")->arguments[0] == kNumberType);
  CHECK(BuiltinFunctions().FindFunction("sqrt")->result == kFloatType);
  CHECK(BuiltinFunctions().FindFunction("count")->aggregate);
  CHECK(BuiltinFunctions().FindFunction("rand")->deterministic == false);
  CHECK(BuiltinFunctions().FindFunction("labels")->reads_graph);
  CHECK(BuiltinFunctions().FindFunction("date")->deterministic);            // the statement's clock stands still
  CHECK_FALSE(BuiltinFunctions().FindFunction("date.realtime")->deterministic);
}

TEST_CASE("what must be refused before running is excluded by the types; range() is checked when it runs") {
  auto excludes = [](const char* name, TypeSet given) { return BuiltinFunctions().FindFunction(name)->arguments[0].Excludes(given); };
  CHECK(excludes("labels", kPathType));
  CHECK(excludes("type", kNodeType));
  CHECK(excludes("length", kNodeType));
  CHECK(excludes("length", kRelationshipType));
  CHECK(excludes("size", kPathType));
  CHECK(excludes("properties", kIntegerType));
  CHECK(excludes("properties", kStringType));
  CHECK(excludes("properties", kListType));
  CHECK_FALSE(excludes("labels", kAnyType));
  CHECK_FALSE(excludes("range", kBooleanType));
  CHECK_FALSE(excludes("toInteger", kIntegerType | kListType));
}

TEST_CASE("every function has a category, a description and an implementation, and all are listed by name") {
  std::vector<const FunctionSignature*> all = BuiltinFunctions().AllFunctions();
  CHECK(all.size() > 100);
  for (size_t i = 0; i < all.size(); ++i) {
    INFO(all[i]->name);
    CHECK(all[i]->implementation != nullptr);
    CHECK_FALSE(all[i]->category.empty());
    CHECK_FALSE(all[i]->description.empty());
    if (i > 0) CHECK(all[i - 1]->name < all[i]->name);
  }
}
