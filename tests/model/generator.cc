#include "tests/model/generator.h"

namespace fornix::model {

std::vector<std::string> Generator::Schema() {
  std::vector<std::string> out;
  if (OneIn(2)) out.push_back("CREATE INDEX by_a FOR (n:A) ON (n.a)");
  if (OneIn(3)) out.push_back("CREATE INDEX by_s FOR (n:B) ON (n.s)");
  if (OneIn(3)) out.push_back("CREATE INDEX by_two FOR (n:A) ON (n.a, n.s)");
  if (OneIn(2)) out.push_back("CREATE CONSTRAINT unique_k FOR (n:A) REQUIRE n.k IS UNIQUE");
  if (OneIn(4)) out.push_back("CREATE CONSTRAINT unique_m FOR (n:M) REQUIRE n.v IS UNIQUE");
  if (OneIn(5)) out.push_back("CREATE CONSTRAINT typed FOR (n:C) REQUIRE n.a IS :: INTEGER");
  if (OneIn(6)) out.push_back("CREATE CONSTRAINT present FOR (n:B) REQUIRE n.k IS NOT NULL");
  vector_index_ = OneIn(2);
  if (vector_index_) {
    out.push_back(
        "CREATE VECTOR INDEX emb FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: "
        "'" +
        Pick({"cosine", "euclidean"}) + "'}}");
  }
  return out;
}

std::string Generator::Labels() {
  switch (random_.Below(14)) {
    case 0: case 1: case 2: case 3: return ":" + Label();
    case 4: return ":" + Label() + ":" + Label();
    case 5: return ":" + Label() + "|" + Label();
    case 6: return ":!" + Label();
    case 7: return ":%";
    default: return "";
  }
}

std::string Generator::Vector() {
  // Distinct directions and lengths, so that scores rarely tie; never zero.
  std::string out = "[";
  for (int i = 0; i < 3; ++i) out += (i == 0 ? "" : ", ") + std::to_string(1 + random_.Below(97)) + (OneIn(2) ? ".5" : ".25");
  return out + "]";
}

std::string Generator::NewProperties() {
  const int64_t k = OneIn(25) && next_k_ > 1 ? 1 + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(next_k_)))
                                             : next_k_++;  // now and then one twice
  std::string out = "{k: " + std::to_string(k);
  if (!OneIn(4)) out += ", a: " + std::to_string(random_.Below(5));
  if (!OneIn(3)) out += ", s: '" + Pick({"x", "xy", "yx", "z"}) + "'";
  if (OneIn(3)) out += ", f: " + std::to_string(random_.Below(4)) + ".5";
  if (OneIn(3)) out += ", m: " + Pick({"1", "2", "'1'", "true", "null", "1.5"});
  if (vector_index_ && OneIn(2)) out += ", e: " + Vector();
  return out + "}";
}

std::string Generator::Integer(const Scope& scope, int depth) {
  if (depth > 0 && OneIn(3)) {
    const std::string node = scope.nodes.empty() ? "" : Pick(scope.nodes);
    switch (random_.Below(node.empty() ? 6 : 10)) {
      case 5: return "reduce(s = 0, x IN [1, 2, " + std::to_string(random_.Below(4)) + "] | s + x * " + Integer(scope, 0) + ")";
      case 6:
        return "size([(" + node + ")" + Pick({"-->", "<-[:U]-", "--"}) + "(q) WHERE q.a " + Pick({"> 1", "IS NULL", "= 1"}) +
               " | q.k])";
      case 7:
        return "COUNT { MATCH (" + node + ")" + Pick({"-->", "<--"}) + "(q)" +
               Pick({"", "-->()", " WHERE q:A", " RETURN DISTINCT q.a"}) + " }";
      case 8: return "size(COLLECT { MATCH (" + node + ")--(q) RETURN q.k })";
      case 9: return node + " {.a, z: 1}." + Pick({"a", "z"});
      case 0: return "(" + Integer(scope, depth - 1) + Pick({" + ", " - ", " * "}) + Integer(scope, depth - 1) + ")";
      case 1: return "coalesce(" + Integer(scope, 0) + ", " + Integer(scope, 0) + ")";
      case 2: return "CASE WHEN " + Condition(scope, 0) + " THEN " + Integer(scope, 0) + " ELSE " + Integer(scope, 0) + " END";
      case 3: return "size([x IN [1, 2, 3, null] WHERE x > " + Integer(scope, 0) + "])";
      default: return "(" + Integer(scope, depth - 1) + Pick({" % 3", " / 2"}) + ")";
    }
  }
  const uint64_t kind = random_.Below(4);
  if (kind == 0 && !scope.integers.empty()) return Pick(scope.integers);
  if (kind < 3 && !scope.nodes.empty()) return Pick(scope.nodes) + Pick({".a", ".a", ".k"});
  if (kind == 3 && !scope.relationships.empty()) return Pick(scope.relationships) + ".w";
  return std::to_string(random_.Below(6));
}

std::string Generator::String(const Scope& scope) {
  if (!scope.nodes.empty() && !OneIn(3)) return Pick(scope.nodes) + ".s";
  return "'" + Pick({"x", "y", "z", "xy", ""}) + "'";
}

std::string Generator::Condition(const Scope& scope, int depth) {
  if (depth > 0 && OneIn(2)) {
    if (OneIn(4)) return "NOT (" + Condition(scope, depth - 1) + ")";
    return "(" + Condition(scope, depth - 1) + Pick({" AND ", " AND ", " OR ", " XOR "}) + Condition(scope, depth - 1) + ")";
  }
  const std::string node = scope.nodes.empty() ? "" : Pick(scope.nodes);
  switch (random_.Below(node.empty() ? 4 : 15)) {
    case 12: return node + ".a = " + Pick(scope.nodes) + ".a";
    case 13: return node + Pick({".a >= 1 AND ", ".k > 3 AND "}) + node + Pick({".a < 3", ".a <= 4", ".k < 9"});
    case 14: return node + Pick({".s STARTS WITH 'x'", ".s IN ['x', 'z']", ".s > 'x'", ".a IN [1, 2, null]", ".k IN [2, 3, 5]"});
    case 0: case 1: return Integer(scope, depth) + Pick({" = ", " <> ", " < ", " <= ", " > ", " >= "}) + Integer(scope, depth);
    case 2: return Integer(scope, depth) + " IN [" + Integer(scope, 0) + ", 2, " + Pick({"null", "3", "4"}) + "]";
    case 3: return String(scope) + Pick({" STARTS WITH ", " ENDS WITH ", " CONTAINS ", " = ", " < "}) + String(scope);
    case 4: return node + Pick({".a", ".s", ".m", ".f"}) + Pick({" IS NULL", " IS NOT NULL"});
    case 5: return node + ":" + Label();
    case 6: return node + ".m" + Pick({" = ", " < ", " <> "}) + Pick({"1", "'1'", "true", "1.5"});
    case 7: return Integer(scope, 0) + " < " + node + ".f" + Pick({" <= 3", " < 2.5"});
    case 8:
      return "(" + node + ")" + Pick({"-[:T]->", "<-[:U]-", "-[:V]-", "-->", "-[:T|U*1..2]->"}) + "(" +
             Pick({"", ":A", ":B {a: 1}"}) + ")";
    case 9: return "EXISTS { (" + node + ")-[:" + RelationshipType() + "]-(q) WHERE q.a " + Pick({"= 1", "> 1", "IS NULL"}) + " }";
    case 10: return "COUNT { (" + node + ")" + Pick({"-->()", "<--()", "--(:B)"}) + " } " + Pick({"> 1", "= 0", "<= 2"});
    default: return "any(x IN [" + node + ".a, " + Integer(scope, 0) + "] WHERE x " + Pick({"> 2", "= 1", "IS NULL"}) + ")";
  }
}

// A condition as a value: no pattern may stand in it.
std::string Generator::Truth(const Scope& scope) {
  for (;;) {
    std::string condition = Condition(scope, 1);
    if (condition.find(")-") == std::string::npos && condition.find(")<") == std::string::npos) return condition;
  }
}

std::string Generator::Node(Scope* scope, bool may_reuse) {
  if (may_reuse && !scope->nodes.empty() && OneIn(3)) return "(" + Pick(scope->nodes) + (OneIn(5) ? Labels() : "") + ")";
  std::string name = OneIn(5) ? "" : Fresh("n");
  std::string out = "(" + name + Labels();
  if (OneIn(12)) out += " {" + Pick({"a: 1", "a: 2", "s: 'x'", "a: 0, s: 'z'", "m: 1"}) + "}";
  if (!name.empty()) {
    Scope inner = *scope;
    inner.nodes = {name};
    if (OneIn(8)) out += " WHERE " + Condition(inner, 0);
    scope->nodes.push_back(name);
  }
  return out + ")";
}

std::string Generator::Relationship(Scope* scope, bool fixed_length) {
  std::string inside;
  const bool variable_length = !fixed_length && OneIn(5);
  if (!variable_length && OneIn(2)) {
    scope->relationships.push_back(Fresh("r"));
    inside = scope->relationships.back();
  }
  if (OneIn(2)) inside += ":" + RelationshipType() + (OneIn(3) ? "|" + RelationshipType() : "");
  if (variable_length) inside += Pick({"*1..2", "*0..1", "*2", "*..3", "*1..3", "*0..2"});
  if (OneIn(16)) inside += " {w: " + std::to_string(random_.Below(3)) + "}";
  const uint64_t direction = random_.Below(3);
  return (direction == 0 ? "<-[" : "-[") + inside + (direction == 1 ? "]->" : "]-");
}

std::string Generator::Pattern(Scope* scope, int hops_max) {
  std::string out = Node(scope, true);
  for (uint64_t hops = random_.Below(static_cast<uint64_t>(hops_max) + 1); hops > 0; --hops) {
    std::string relationship = Relationship(scope, false);
    out += relationship + Node(scope, true);
  }
  return out;
}

std::string Generator::MatchClause(Scope* scope, int hops_max) {
  std::string out = OneIn(4) ? "OPTIONAL MATCH " : "MATCH ";
  const std::string path = OneIn(8) ? Fresh("p") : "";
  if (!path.empty()) out += path + " = ";
  out += Pattern(scope, hops_max);
  if (!path.empty())
    scope->integers.push_back("size([x IN nodes(" + path + ") WHERE x.a > 1 | x.k])"),
        scope->integers.push_back("length(" + path + ")");
  if (OneIn(4)) out += ", " + Pattern(scope, 1);
  if (OneIn(2)) out += " WHERE " + Condition(*scope, 2);
  return out + " ";
}

std::string Generator::WithClause(Scope* scope) {
  Scope next;
  std::string out = OneIn(4) ? "WITH DISTINCT " : "WITH ";
  std::vector<std::string> items;
  for (const std::string& node : scope->nodes) {
    if (!OneIn(3) && next.nodes.size() < 2) next.nodes.push_back(node), items.push_back(node);
  }
  next.integers.push_back(Fresh("i"));
  const bool aggregates = OneIn(3);
  items.push_back((aggregates ? Pick({"count(*)", "count(DISTINCT ", "sum(", "min(", "max("}) : std::string()));
  std::string& last = items.back();
  if (!aggregates) {
    last = Integer(*scope, 1);
  } else if (last.back() == '(' || last.back() == ' ') {
    last += Integer(*scope, 1) + ")";
  }
  last += " AS " + next.integers.back();
  for (size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ", ") + items[i];
  if (OneIn(3)) out += " WHERE " + Condition(next, 1);
  *scope = next;
  return out + " ";
}

std::string Generator::Reading(Scope* scope, int clauses) {
  std::string out;
  for (int i = 0; i < clauses; ++i) {
    const uint64_t kind = random_.Below(i == 0 ? 6 : 9);
    if (kind < 5) {
      out += MatchClause(scope, i == 0 ? 2 : 1);
    } else if (kind == 5) {
      std::string name = Fresh("i");
      out += "UNWIND " + Pick({"[1, 2, 3]", "[0, 0, null, 4]", "range(0, 3)", "[]"}) + " AS " + name + " ";
      scope->integers.push_back(name);
    } else if (kind == 6 && !scope->nodes.empty()) {
      const std::string node = Pick(scope->nodes);
      std::string name = Fresh("i");
      if (OneIn(4)) {  // a UNION inside, or a row that may be missing
        out += Pick({"CALL (", "OPTIONAL CALL ("}) + node + ") { MATCH (" + node + ")-->(q) RETURN q.a AS " + name +
               " UNION MATCH (" + node + ")<--(q:A) RETURN q.k AS " + name + " } ";
        scope->integers.push_back(name);
        continue;
      }
      const char* tail = OneIn(2) ? " RETURN q.k AS " : " RETURN count(q) AS ";
      out += "CALL (" + node + ") { MATCH (" + node + ")" + Pick({"-->", "<--", "--"}) + "(q" + Labels() + ")" + tail + name +
             (OneIn(2) ? " ORDER BY " + name + " LIMIT 2" : "") + " } ";
      scope->integers.push_back(name);
    } else {
      out += WithClause(scope);
    }
  }
  return out;
}

std::string Generator::Return(const Scope& scope, bool* ordered) {
  *ordered = false;
  if (!scope.nodes.empty() && OneIn(5)) {
    std::string out = "RETURN " + std::string(OneIn(3) ? "DISTINCT " : "") + Pick(scope.nodes);
    if (!scope.relationships.empty() && OneIn(2)) out += ", " + Pick(scope.relationships);
    return out + ", labels(" + Pick(scope.nodes) + ") AS l";
  }
  const uint64_t columns = 1 + random_.Below(3);
  std::string out = OneIn(5) ? "RETURN DISTINCT " : "RETURN ";
  const bool aggregates = OneIn(3);
  for (uint64_t i = 0; i < columns; ++i) {
    std::string item;
    if (aggregates && i + 1 == columns) {
      item = OneIn(3) ? "count(*)" : Pick({"count(", "count(DISTINCT ", "sum(", "min(", "max("}) + Integer(scope, 1) + ")";
    } else {
      item = OneIn(4) ? String(scope) : Integer(scope, 2);
      if (OneIn(8)) item = Truth(scope);
    }
    out += (i == 0 ? "" : ", ") + item + " AS c" + std::to_string(i);
  }
  if (OneIn(2)) {
    *ordered = true;
    for (uint64_t i = 0; i < columns; ++i) out += (i == 0 ? " ORDER BY c" : ", c") + std::to_string(i) + (OneIn(3) ? " DESC" : "");
    if (OneIn(3)) out += " SKIP " + std::to_string(random_.Below(3));
    if (OneIn(2)) out += " LIMIT " + std::to_string(random_.Below(5));
  }
  return out;
}

RandomStatement Generator::Query() {
  fresh_ = 0;
  RandomStatement out;
  Scope scope;
  if (vector_index_ && OneIn(6)) {
    const std::string limit = std::to_string(1 + random_.Below(5));
    out.parameters.Set("q", Value(List{Value(1.0 + static_cast<double>(random_.Below(50))), Value(3.5),
                                       Value(1.0 + static_cast<double>(random_.Below(50)))}));
    out.text = OneIn(2) ? "MATCH (n:A) SEARCH n IN (VECTOR INDEX emb FOR $q LIMIT " + limit + ") SCORE AS score "
                        : "CALL db.index.vector.queryNodes('emb', " + limit + ", $q) YIELD node AS n, score ";
    scope.nodes.push_back("n");
    if (OneIn(2)) out.text += "MATCH " + Pattern(&scope, 1) + (OneIn(2) ? " WHERE " + Condition(scope, 1) : "") + " ";
    out.text += Return(scope, &out.ordered);
    return out;
  }
  if (OneIn(10)) {
    Scope other;
    std::string first = MatchClause(&scope, 1), second = MatchClause(&other, 1);
    out.text = first + "RETURN " + Integer(scope, 1) + " AS c UNION " + (OneIn(2) ? "ALL " : "") + second + "RETURN " +
               Integer(other, 1) + " AS c";
    return out;
  }
  out.text = Reading(&scope, 1 + static_cast<int>(random_.Below(3)));
  if (OneIn(10)) out.text = "PROFILE " + out.text;
  out.text += Return(scope, &out.ordered);
  return out;
}

// What any order of rows would write: constants, or functions of the element itself that commute; one variable only, for
// two may stand for the same node in other rows.
std::string Generator::SetItems(const Scope& scope) {
  std::string out;
  const uint64_t items = 1 + random_.Below(2);
  const std::string node = Pick(scope.nodes);
  for (uint64_t i = 0; i < items; ++i) {
    out += i == 0 ? "" : ", ";
    switch (random_.Below(8)) {
      case 0: out += node + ".a = coalesce(" + node + ".a, 0) + 1"; break;
      case 1: out += node + ".s = " + Pick({"'x'", "'z'", "null"}); break;
      case 2: out += node + ":" + Label(); break;
      case 3: out += node + " += {f: 0.5, m: " + Pick({"null", "2", "true"}) + "}"; break;
      case 4: out += node + ".m = " + Pick({"1", "'1'", "null"}); break;
      case 5: out += node + " = {k: " + node + ".k, a: 1}"; break;
      case 6: out += vector_index_ ? node + ".e = " + Vector() : node + ".f = 1.5"; break;
      default: out += node + ".a = " + Pick({"0", "3", "null"});
    }
  }
  return out;
}

RandomStatement Generator::Update(bool growing) {
  fresh_ = 0;
  RandomStatement out;
  out.writes = true;
  Scope scope;
  const std::string pair = "MATCH (x" + Labels() + "), (y" + Labels() + ") WHERE x.k " + Pick({"= ", "= ", "< "}) +
                           std::to_string(1 + random_.Below(growing ? 4 : 8)) + " AND y.k % " +
                           std::to_string(3 + random_.Below(4)) + " = 1 ";
  switch (random_.Below(growing ? 4 : 20)) {
    case 0: case 1: {
      out.text = "CREATE (n0:" + Label() + (OneIn(3) ? ":" + Label() : "") + " " + NewProperties() + ")";
      for (uint64_t i = random_.Below(4); i > 0; --i) {
        out.text += OneIn(2) ? "-[:" + RelationshipType() + " {w: " + std::to_string(random_.Below(3)) + "}]->"
                             : "<-[:" + RelationshipType() + "]-";
        out.text += "(:" + Label() + " " + NewProperties() + ")";
      }
      if (OneIn(2)) out.text += " RETURN n0";
      break;
    }
    case 2: case 3:
      out.text = pair + "CREATE (x)-[r:" + RelationshipType() + " {w: " + std::to_string(random_.Below(4)) + "}]->(y) RETURN count(*) AS c";
      break;
    case 4:
      // Each pair once, or the rows would decide which way an undirected one is made.
      out.text = pair + "AND x.k < y.k MERGE (x)" + Pick({"-[r:T]->", "<-[r:U]-", "-[r:V]-", "-[r:T {w: 1}]->"}) +
                 "(y) ON CREATE SET r.new = 1 ON MATCH SET r.w = coalesce(r.w, 0) + 1 RETURN count(*) AS c";
      break;
    case 5:
      out.text = "UNWIND " + Pick({"[1, 2, 1]", "[3, 3, 4]", "[5]", "[2, 2.0]"}) +
                 " AS v MERGE (n:M {v: v}) ON CREATE SET n.c = 1 ON MATCH SET n.c = n.c + 1 RETURN v, n.c AS c";
      break;
    case 6: {
      out.text = "MATCH " + Pattern(&scope, 1);
      if (scope.nodes.empty()) {
        out.text = "MATCH (n0" + Labels() + ")";
        scope.nodes = {"n0"};
      }
      if (OneIn(2)) out.text += " WHERE " + Condition(scope, 1);
      out.text += " SET " + SetItems(scope) + (OneIn(2) ? " RETURN count(*) AS c" : "");
      break;
    }
    case 7:
      out.text = "MATCH (n" + Labels() + ") WHERE n.a = " + std::to_string(random_.Below(4)) + " REMOVE n." +
                 Pick({"a", "s", "m", "e"}) + (OneIn(2) ? ", n:" + Label() : "");
      break;
    case 8:
      out.text = "MATCH ()-[r:" + RelationshipType() + "]->(m) WHERE m.a = " + std::to_string(random_.Below(4)) +
                 " DELETE r RETURN count(*) AS c";
      break;
    case 9:
      out.text = "MATCH (n" + Labels() + ") WHERE n.k % " + std::to_string(3 + random_.Below(5)) + " = 1 " +
                 Pick({"DETACH DELETE n", "DELETE n"}) + (OneIn(2) ? " RETURN count(*) AS c" : "");
      break;
    case 10:
      out.text = "MATCH (n:" + Label() + ") WHERE n.k < 4 CREATE (m:" + Label() +
                 " {a: n.a, k: n.k + 1000}) WITH count(*) AS c MATCH (q:" + Label() + ") RETURN c, count(q) AS d, sum(q.a) AS e";
      break;
    case 12:
      out.text = "UNWIND " + Pick({"[1, 2]", "[4, 4, 5]", "$rows"}) +
                 " AS v MERGE (a:M {v: v})-[r:T]->(b:B {a: v}) ON CREATE SET b.k = v + 2000 RETURN count(*) AS c";
      out.parameters.Set("rows", Value(List{Value(1), Value(6)}));
      break;
    case 13:
      out.text =
          "MATCH (n:" + Label() +
          ") WHERE n.k < 6 CALL (n) { CREATE (n)-[:V {w: 9}]->(m:C {k: n.k + 3000, a: 2}) RETURN m } RETURN m.k AS k, n.k AS c";
      break;
    case 14:
      out.text = "MATCH p = (n" + Labels() + ")-[:" + RelationshipType() + "]->(m) WHERE n.k % 5 = 2 DETACH DELETE p RETURN count(*) AS c";
      break;
    case 15:
      out.text = "MATCH (n" + Labels() + ")-[r]->(m) WHERE r.w " + Pick({"= 1", "> 1", "IS NULL"}) + " SET r" +
                 Pick({" += {w: 2, x: 'y'}", " = {w: 3}", ".w = null", ".w = 1"}) + " RETURN r.w AS w, n.k AS k, m.k AS l";
      break;
    case 16:
      out.text = "UNWIND range(1, 3) AS i CREATE (:" + Label() + " {k: i + " + std::to_string(next_k_ * 100) +
                 ", a: i % 2})-[:" + RelationshipType() + "]->(m:" + Label() + " {s: 'x'}) WITH m MATCH (q:" + Label() +
                 ") RETURN count(DISTINCT q) AS c, count(m) AS d";
      break;
    case 17:
      out.text = "MATCH (n:" + Label() + ") WHERE n.k = " + std::to_string(1 + random_.Below(15)) + " SET n:$('" + Label() +
                 "'), n['a'] = " + std::to_string(random_.Below(4)) + " RETURN labels(n) AS l, n {.k, .a, .s} AS m";
      break;
    case 18:
      out.text = "MERGE (n:" + Label() + " {k: " + std::to_string(1 + random_.Below(20)) +
                 "}) ON CREATE SET n.a = 1 ON MATCH SET n.a = 4 RETURN n.a AS a";
      break;
    case 19:
      out.text =
          Pick({"CREATE INDEX later IF NOT EXISTS FOR (n:C) ON (n.a)", "DROP INDEX later IF EXISTS",
                "CREATE INDEX later2 IF NOT EXISTS FOR (n:A) ON (n.k)", "DROP INDEX by_a IF EXISTS",
                "CREATE CONSTRAINT later3 IF NOT EXISTS FOR (n:M) REQUIRE n.v IS UNIQUE", "DROP CONSTRAINT unique_k IF EXISTS"});
      out.schema = true;
      break;
    default:
      out.text = "MATCH (n:" + Label() + ") FOREACH (x IN [1, 2] | SET n.a = coalesce(n.a, 0) + x) RETURN n.k AS k, n.a AS a";
  }
  return out;
}

}  // namespace fornix::model
