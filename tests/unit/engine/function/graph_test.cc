// Functions on elements, by reference and as values, and on paths.
#include <catch2/catch.hpp>

#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

TEST_CASE("elements by reference are read through the reader") {
  CHECK(Say("labels", {Value::NodeRef(1)}) == "['Admin', 'Person']");
  CHECK(Say("type", {Value::RelationshipRef(5)}) == "'KNOWS'");
  CHECK(Say("properties", {Value::NodeRef(1)}) == "{name: 'Ada'}");
  CHECK(Say("keys", {Value::RelationshipRef(5)}) == "['since']");
  CHECK(*Call("startNode", {Value::RelationshipRef(5)}) == Value::NodeRef(1));
  CHECK(*Call("endNode", {Value::RelationshipRef(5)}) == Value::NodeRef(2));
  CHECK(Say("labels", {Value::NodeRef(9)}) == "EntityNotFound/DeletedEntityAccess");
}

TEST_CASE("elements as values carry everything with them") {
  Node node{7, {"L"}, Map{{"p", 1}}};
  Relationship relationship{8, "T", 7, 3, {}};
  CHECK(Say("labels", {Value(node)}) == "['L']");
  CHECK(Say("keys", {Value(node)}) == "['p']");
  CHECK(Say("type", {Value(relationship)}) == "'T'");
  CHECK(*Call("endNode", {Value(relationship)}) == Value::NodeRef(3));
}

TEST_CASE("ids name elements, element ids never collide between nodes and relationships") {
  CHECK(Say("id", {Value::NodeRef(5)}) == "5");
  CHECK(Say("elementId", {Value::NodeRef(5)}) == "'n:5'");
  CHECK(Say("elementId", {Value::RelationshipRef(5)}) == "'r:5'");
  CHECK(Say("id", {1}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("null elements give null, other types an error") {
  for (const char* name : {"labels", "type", "properties", "keys", "id", "elementId", "startNode", "nodes", "length"}) {
    INFO(name);
    CHECK(Say(name, {Value()}) == "null");
    CHECK(Say(name, {1}) == "TypeError/InvalidArgumentValue");
  }
}

TEST_CASE("maps have properties and keys, keys with null values too") {
  CHECK(Say("properties", {Map{{"a", 1}}}) == "{a: 1}");
  CHECK(Say("keys", {Map{{"k", 1}, {"l", Value()}}}) == "['k', 'l']");
}

TEST_CASE("paths have nodes, relationships and a length") {
  Value path = Path{{Value::NodeRef(1), Value::NodeRef(2)}, {Value::RelationshipRef(5)}};
  CHECK(Say("length", {path}) == "1");
  CHECK(Say("nodes", {path}) == "[(#1), (#2)]");
  CHECK(Say("relationships", {path}) == "[[#5]]");
}
