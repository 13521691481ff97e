// Points and vectors.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/engine/function/call.h"

using namespace fornix;
using namespace fornix::engine;

TEST_CASE("the reference system follows from the coordinates or is given") {
  CHECK(Say("point", {Map{{"x", 1}, {"y", 2}}}) == "point({srid: 7203, x: 1.0, y: 2.0})");
  CHECK(Say("point", {Map{{"x", 1}, {"y", 2}, {"z", 3}}}) == "point({srid: 9157, x: 1.0, y: 2.0, z: 3.0})");
  CHECK(Say("point", {Map{{"longitude", 12.5}, {"latitude", 56}}}) == "point({srid: 4326, x: 12.5, y: 56.0})");
  CHECK(Say("point", {Map{{"x", 1}, {"y", 2}, {"crs", "WGS-84"}}}) == "point({srid: 4326, x: 1.0, y: 2.0})");
  CHECK(Say("point", {Map{{"x", 1}, {"y", Value()}}}) == "null");
}

TEST_CASE("coordinates that don't make a point are refused") {
  CHECK(Say("point", {Map{{"x", 1}}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("point", {Map{{"x", 1}, {"y", 2}, {"srid", 4979}}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("point", {Map{{"x", 1}, {"y", 2}, {"srid", 1}}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("point", {Map{{"longitude", 0}, {"latitude", 91}}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("point", {Map{{"x", "a"}, {"y", 2}}}) == "TypeError/InvalidArgumentValue");
}

TEST_CASE("distance is Pythagoras in the plane and metres on the globe") {
  CHECK(Say("point.distance", {Point{7203, 0, 0, 0}, Point{7203, 3, 4, 0}}) == "5.0");
  CHECK(Say("point.distance", {Point{7203, 0, 0, 0}, Point{4326, 3, 4, 0}}) == "null");
  // A quarter of the equator: 6,378,140 m times pi / 2.
  double quarter = Call("point.distance", {Point{4326, 0, 0, 0}, Point{4326, 90, 0, 0}})->AsFloat();
  CHECK(std::fabs(quarter - 10'018'758.9) < 1);
}

TEST_CASE("a box includes its borders and may cross the 180th meridian") {
  CHECK(Say("point.withinBBox", {Point{7203, 1, 1, 0}, Point{7203, 0, 0, 0}, Point{7203, 1, 1, 0}}) == "true");
  CHECK(Say("point.withinBBox", {Point{4326, 179, 0, 0}, Point{4326, 170, -1, 0}, Point{4326, -170, 1, 0}}) == "true");
  CHECK(Say("point.withinBBox", {Point{4326, 0, 0, 0}, Point{4326, 170, -1, 0}, Point{4326, -170, 1, 0}}) == "false");
}

TEST_CASE("similarity is scaled to 0..1, the bare cosine is not") {
  Value x = List{1, 0}, y = List{0, 1.0}, minus_x = Value::Vector({-1, 0});
  CHECK(Say("vector.similarity.cosine", {x, x}) == "1.0");
  CHECK(Say("vector.similarity.cosine", {x, y}) == "0.5");
  CHECK(Say("vector.similarity.cosine", {x, minus_x}) == "0.0");
  CHECK(Say("gds.similarity.cosine", {x, minus_x}) == "-1.0");
  CHECK(Say("vector.similarity.euclidean", {x, y}) == "0.3333333333333333");
  CHECK(Say("vector.similarity.euclidean", {x, Value()}) == "null");
}

TEST_CASE("vectors of different dimension, of length 0 or of other things are refused") {
  CHECK(Say("vector.similarity.cosine", {List{1}, List{1, 2}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("vector.similarity.cosine", {List{0, 0}, List{1, 2}}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("vector.similarity.cosine", {List{"a"}, List{1}}) == "TypeError/InvalidArgumentValue");
  CHECK(Say("vector", {List{1, 2}, 3}) == "ArgumentError/InvalidArgumentValue");
  CHECK(Say("vector", {List{1e300}}) == "ArgumentError/NumberOutOfRange");
  CHECK(Say("vector", {List{1, 0.5}, 2}) == "vector([1, 0.5])");
}
