// Reading headers; see csv_header.h.
#include "engine/import/csv_header.h"

#include <algorithm>
#include <set>

namespace fornix::engine {
namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view Trim(std::string_view s) {
  const size_t first = s.find_first_not_of(" \t\"'");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\"'") - first + 1);
}

const std::map<std::string_view, ColumnType>& Types() {
  static const std::map<std::string_view, ColumnType> types = {
      {"string", ColumnType::kString},     {"char", ColumnType::kChar},         {"long", ColumnType::kLong},
      {"integer", ColumnType::kLong},      {"int", ColumnType::kInt},           {"short", ColumnType::kShort},
      {"byte", ColumnType::kByte},         {"float", ColumnType::kFloat},       {"double", ColumnType::kFloat},
      {"boolean", ColumnType::kBoolean},   {"date", ColumnType::kDate},         {"localtime", ColumnType::kLocalTime},
      {"time", ColumnType::kTime},         {"localdatetime", ColumnType::kLocalDateTime}, {"datetime", ColumnType::kDateTime},
      {"duration", ColumnType::kDuration}, {"point", ColumnType::kPoint},       {"vector", ColumnType::kVector},
      {"bytes", ColumnType::kBytes},       {"any", ColumnType::kAny}};
  return types;
}

// Where the type begins: the last ':' before the options and the id space at the end; npos if there is none. Names may have any of
// these characters, so it is looked for from behind.
size_t TypeColon(std::string_view field) {
  for (const auto& [open, close] : {std::pair('{', '}'), std::pair('(', ')')}) {
    if (!field.ends_with(close)) continue;
    const size_t at = field.rfind(open);
    if (at != std::string_view::npos) field = field.substr(0, at);
  }
  return field.rfind(':');
}

class Column {
 public:
  Column(std::string_view field, bool nodes, std::string where) : field_(field), nodes_(nodes), where_(std::move(where)) {}

  Result<CsvColumn> Parse() {
    const size_t colon = TypeColon(field_);
    out_.name = std::string(field_.substr(0, colon));
    if (colon == std::string_view::npos) {
      if (out_.name.empty()) return Wrong("it has no name; a column to leave out is called :IGNORE");
      return out_;
    }
    std::string_view rest = field_.substr(colon + 1);
    if (const size_t brace = rest.find('{'); brace != std::string_view::npos) {
      RETURN_IF_ERROR(Options(rest.substr(brace)));
      rest = rest.substr(0, brace);
    }
    if (const size_t bracket = rest.find('('); bracket != std::string_view::npos) {
      if (rest.back() != ')') return Wrong("the '(' of its id space doesn't close");
      out_.space = std::string(rest.substr(bracket + 1, rest.size() - bracket - 2));
      rest = rest.substr(0, bracket);
      has_space_ = true;
    }
    const std::string word = Lower(Trim(rest));
    if (SetRole(word)) {
      if (out_.role != ColumnRole::kId && out_.role != ColumnRole::kStart && out_.role != ColumnRole::kEnd && has_space_) {
        return Wrong("only ids have an id space");
      }
      if (nodes_ && (out_.role == ColumnRole::kStart || out_.role == ColumnRole::kEnd || out_.role == ColumnRole::kType)) {
        return Wrong("it belongs into a file of relationships");
      }
      if (!nodes_ && (out_.role == ColumnRole::kId || out_.role == ColumnRole::kLabels)) return Wrong("it belongs into a file of nodes");
      if (out_.role != ColumnRole::kId) out_.name.clear();
      return IdType();
    }
    return PropertyType(word);
  }

 private:
  Status Wrong(std::string_view what) const {
    return Status(Code::kArgumentError, where_ + ", column '" + std::string(field_) + "' of the header: " + std::string(what));
  }

  bool SetRole(const std::string& word) {
    static const std::map<std::string_view, ColumnRole> roles = {
        {"id", ColumnRole::kId}, {"label", ColumnRole::kLabels}, {"start_id", ColumnRole::kStart}, {"end_id", ColumnRole::kEnd},
        {"type", ColumnRole::kType}, {"ignore", ColumnRole::kIgnore}};
    auto found = roles.find(word);
    if (found == roles.end()) return false;
    out_.role = found->second;
    return true;
  }

  Result<CsvColumn> IdType() {
    auto option = out_.options.find("id-type");
    if (option == out_.options.end()) return out_;
    const std::string type = Lower(option->second);
    if (type == "string") {
      option->second = "string";
    } else if (type == "integer" || type == "long" || type == "int" || type == "actual") {
      option->second = "integer";
    } else {
      return Wrong("an id is a string or an integer, not '" + option->second + "'");
    }
    return out_;
  }

  Result<CsvColumn> PropertyType(std::string word) {
    if (has_space_) return Wrong("only ids have an id space");
    if (word.ends_with("[]")) {
      out_.list = true;
      word.resize(word.size() - 2);
    }
    auto found = Types().find(word);
    if (found == Types().end()) {
      std::string known;
      for (const auto& [name, type] : Types()) known += (known.empty() ? "" : ", ") + std::string(name);
      return Wrong("unknown type; the types are " + known);
    }
    out_.type = found->second;
    if (out_.list && (out_.type == ColumnType::kVector || out_.type == ColumnType::kAny)) return Wrong("there is no list of this type");
    if (out_.name.empty()) return Wrong("a property needs a name before the ':'");
    return out_;
  }

  // {name: value, ...}; also with quotes around either.
  Status Options(std::string_view text) {
    if (text.back() != '}') return Wrong("the '{' of its options doesn't close");
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
      const size_t comma = std::min(text.find(','), text.size());
      const std::string_view one = text.substr(0, comma);
      const size_t colon = one.find(':');
      if (colon == std::string_view::npos) return Wrong("an option is written name: value");
      out_.options[Lower(Trim(one.substr(0, colon)))] = std::string(Trim(one.substr(colon + 1)));
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return Status::Ok();
  }

  const std::string_view field_;
  const bool nodes_;
  const std::string where_;
  CsvColumn out_;
  bool has_space_ = false;
};

}  // namespace

Result<std::vector<CsvColumn>> ParseCsvHeader(const std::vector<std::string>& fields, bool nodes, std::string_view file) {
  std::vector<CsvColumn> columns;
  std::set<std::string> names;
  int ids = 0, labels = 0, starts = 0, ends = 0, types = 0;
  auto wrong = [&](const std::string& what) { return Status(Code::kArgumentError, std::string(file) + ": " + what); };
  for (const std::string& field : fields) {
    ASSIGN_OR_RETURN(CsvColumn column, Column(field, nodes, std::string(file)).Parse());
    ids += column.role == ColumnRole::kId;
    labels += column.role == ColumnRole::kLabels;
    starts += column.role == ColumnRole::kStart;
    ends += column.role == ColumnRole::kEnd;
    types += column.role == ColumnRole::kType;
    if (!column.name.empty() && column.role != ColumnRole::kIgnore && !names.insert(column.name).second) {
      return wrong("the header names the property '" + column.name + "' twice");
    }
    columns.push_back(std::move(column));
  }
  if (nodes && ids > 1) return wrong("the header has " + std::to_string(ids) + " columns :ID; a node has one id");
  if (nodes && labels > 1) return wrong("the header has " + std::to_string(labels) + " columns :LABEL; several labels stand in one, with ';' between");
  if (!nodes && starts != 1) return wrong("the header needs one column :START_ID and has " + std::to_string(starts));
  if (!nodes && ends != 1) return wrong("the header needs one column :END_ID and has " + std::to_string(ends));
  if (!nodes && types > 1) return wrong("the header has " + std::to_string(types) + " columns :TYPE");
  return columns;
}

}  // namespace fornix::engine
