// Names of value types, normalised: the synonyms of Cypher's manual to one spelling each.
#include <cctype>

#include "grammar/build.h"
#include "grammar/diagnostics.h"

namespace fornix::grammar {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{"BOOL", "BOOLEAN"},
                                                                    {"BOOLEAN", "BOOLEAN"},
                                                                    {"STRING", "STRING"},
                                                                    {"VARCHAR", "STRING"},
                                                                    {"INT", "INTEGER"},
                                                                    {"INTEGER", "INTEGER"},
                                                                    {"SIGNED INTEGER", "INTEGER"},
                                                                    {"INT64", "INTEGER"},
                                                                    {"INTEGER64", "INTEGER"},
                                                                    {"INT32", "INTEGER32"},
                                                                    {"INTEGER32", "INTEGER32"},
                                                                    {"INT16", "INTEGER16"},
                                                                    {"INTEGER16", "INTEGER16"},
                                                                    {"INT8", "INTEGER8"},
                                                                    {"INTEGER8", "INTEGER8"},
                                                                    {"FLOAT", "FLOAT"},
                                                                    {"FLOAT64", "FLOAT"},
                                                                    {"FLOAT32", "FLOAT32"},
                                                                    {"NUMBER", "INTEGER | FLOAT"},
                                                                    {"DATE", "DATE"},
                                                                    {"LOCAL TIME", "LOCAL TIME"},
                                                                    {"LOCALTIME", "LOCAL TIME"},
                                                                    {"TIME WITHOUT TIME ZONE", "LOCAL TIME"},
                                                                    {"TIME WITHOUT TIMEZONE", "LOCAL TIME"},
                                                                    {"ZONED TIME", "ZONED TIME"},
                                                                    {"TIME", "ZONED TIME"},
                                                                    {"TIME WITH TIME ZONE", "ZONED TIME"},
                                                                    {"TIME WITH TIMEZONE", "ZONED TIME"},
                                                                    {"LOCAL DATETIME", "LOCAL DATETIME"},
                                                                    {"LOCALDATETIME", "LOCAL DATETIME"},
                                                                    {"TIMESTAMP WITHOUT TIME ZONE", "LOCAL DATETIME"},
                                                                    {"TIMESTAMP WITHOUT TIMEZONE", "LOCAL DATETIME"},
                                                                    {"ZONED DATETIME", "ZONED DATETIME"},
                                                                    {"DATETIME", "ZONED DATETIME"},
                                                                    {"TIMESTAMP WITH TIME ZONE", "ZONED DATETIME"},
                                                                    {"TIMESTAMP WITH TIMEZONE", "ZONED DATETIME"},
                                                                    {"TIMESTAMP", "ZONED DATETIME"},
                                                                    {"DURATION", "DURATION"},
                                                                    {"POINT", "POINT"},
                                                                    {"NODE", "NODE"},
                                                                    {"ANY NODE", "NODE"},
                                                                    {"RELATIONSHIP", "RELATIONSHIP"},
                                                                    {"ANY RELATIONSHIP", "RELATIONSHIP"},
                                                                    {"MAP", "MAP"},
                                                                    {"ANY MAP", "MAP"},
                                                                    {"PATH", "PATH"},
                                                                    {"ANY", "ANY"},
                                                                    {"ANY VALUE", "ANY"},
                                                                    {"PROPERTY VALUE", "PROPERTY VALUE"},
                                                                    {"ANY PROPERTY VALUE", "PROPERTY VALUE"},
                                                                    {"LIST", "LIST"},
                                                                    {"ARRAY", "LIST"},
                                                                    {"VECTOR", "VECTOR"},
                                                                    {"NULL", "NULL"},
                                                                    {"NOTHING", "NOTHING"},
                                                                    {"BYTES", "BYTES"}};

const std::string kTypesText =
    "; the types are BOOLEAN, STRING, INTEGER, FLOAT, DATE, LOCAL TIME, ZONED TIME, LOCAL DATETIME, ZONED DATETIME, DURATION, POINT, BYTES, NODE, "
    "RELATIONSHIP, PATH, MAP, LIST<TYPE>, VECTOR<TYPE>(dimension), ANY, NULL and NOTHING";

std::string_view Find(std::string_view upper) {
  for (auto [written, type] : kTypes) {
    if (written == upper) return type;
  }
  return {};
}

}  // namespace

std::string Builder::TypeName(P::TypeContext* context) {
  std::string out;
  for (P::TypeAtomContext* atom : context->typeAtom()) out += (out.empty() ? "" : " | ") + TypeAtom(atom);
  return out;
}

std::string Builder::TypeAtom(P::TypeAtomContext* context) {
  // The words before the first sign name the type; words after a ',' are a vector's element type.
  std::string written, element;
  std::string dimension;
  bool not_null = false, inside = false;
  for (antlr4::tree::ParseTree* child : context->children) {
    if (auto* word = dynamic_cast<P::TypeWordContext*>(child)) {
      std::string& target = inside ? element : written;
      if (!target.empty()) target += ' ';
      for (char c : TextOf(word->start)) target += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    } else if (auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(child)) {
      std::string_view sign = TextOf(terminal->getSymbol());
      if (sign == "(") inside = true;
      if (inside && std::isdigit(static_cast<unsigned char>(sign[0]))) dimension = sign;
      if (sign == "!" || sign.size() == 3) not_null = true;  // NOT
    }
  }
  const SourcePosition at = SpanOf(context).start;
  std::string type(Find(written));
  if (type.empty()) {
    std::vector<std::string> names;
    for (auto [name, normalised] : kTypes) names.emplace_back(name);
    const std::string near = Nearest(written, names);
    FailSyntax(at, "there is no type " + written + (near.empty() ? kTypesText : "; did you mean " + near + "?"), "UnexpectedSyntax");
  }
  if (context->type()) element = TypeName(context->type());
  if (!element.empty() && inside && context->type() == nullptr) {
    if (Find(element).empty()) FailSyntax(at, "there is no type " + element + kTypesText, "UnexpectedSyntax");
    element = Find(element);
  }
  if (type == "LIST") {
    type += element.empty() ? "" : "<" + element + ">";
  } else if (type == "VECTOR") {
    type += element.empty() ? "" : "<" + element + ">";
    type += dimension.empty() ? "" : "(" + dimension + ")";
  } else if (type == "ANY" && !element.empty()) {
    type = element;  // ANY<A | B>
  } else if (!element.empty() || inside) {
    FailSyntax(at, type + " takes no element type or size", "UnexpectedSyntax");
  }
  return not_null ? type + " NOT NULL" : type;
}

}  // namespace fornix::grammar
