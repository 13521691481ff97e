// Reading feature files; see feature.h.
#include "tests/tck/feature.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace fornix::tck {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

// The cells of "| a | b |", with the escapes of tables undone: \| is a bar, \\ a backslash, \n a line feed.
std::vector<std::string> Cells(std::string_view row) {
  std::vector<std::string> cells;
  std::string cell;
  for (size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size()) {
      const char next = row[++i];
      if (next != '|' && next != '\\' && next != 'n') cell += '\\';
      cell += next == 'n' ? '\n' : next;
    } else if (row[i] == '|') {
      cells.push_back(Trim(cell));
      cell.clear();
    } else {
      cell += row[i];
    }
  }
  return cells;
}

struct Outline {
  Scenario scenario;
  bool is_outline = false;
  std::vector<std::vector<std::string>> examples;   // the header first
};

std::string Filled(std::string text, const std::vector<std::string>& names, const std::vector<std::string>& values) {
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string hole = "<" + names[i] + ">";
    for (size_t at = text.find(hole); at != std::string::npos; at = text.find(hole, at + values[i].size())) text.replace(at, hole.size(), values[i]);
  }
  return text;
}

class FeatureReader {
 public:
  FeatureReader(std::string path, std::string id) : path_(std::move(path)), id_(std::move(id)) {}

  Status Read(std::vector<Scenario>* scenarios) {
    std::ifstream in(path_);
    if (!in) return Fail("can't be read");
    for (std::string line; std::getline(in, line);) {
      ++number_;
      RETURN_IF_ERROR(TakeLine(line));
    }
    if (in_docstring_) return Fail("a doc string has no end");
    for (const Outline& outline : outlines_) RETURN_IF_ERROR(Expand(outline, scenarios));
    return Status::Ok();
  }

 private:
  Status Fail(const std::string& why) const { return Status(Code::kUsage, path_ + ":" + std::to_string(number_) + ": " + why); }

  Status TakeLine(const std::string& line) {
    const std::string text = Trim(line);
    if (in_docstring_) {
      if (text == "\"\"\"") {
        in_docstring_ = false;
        return Status::Ok();
      }
      std::string& doc = steps_->back().docstring;
      if (doc_started_) doc += '\n';
      doc_started_ = true;
      doc += line.substr(std::min({indent_, line.size(), line.find_first_not_of(" ")}));
      return Status::Ok();
    }
    if (text.empty() || text[0] == '#') return Status::Ok();
    if (text == "\"\"\"") {
      if (steps_ == nullptr || steps_->empty()) return Fail("a doc string belongs to a step");
      in_docstring_ = true;
      doc_started_ = false;
      indent_ = line.find('"');
      return Status::Ok();
    }
    if (text[0] == '|') return TakeRow(text);
    if (text.starts_with("Feature:")) return Status::Ok();
    if (text == "Background:") {
      steps_ = &background_;
      return Status::Ok();
    }
    for (std::string_view head : {"Scenario Outline:", "Scenario:"}) {
      if (!text.starts_with(head)) continue;
      Outline& outline = outlines_.emplace_back();
      outline.is_outline = head != "Scenario:";
      outline.scenario.name = Trim(text.substr(head.size()));
      outline.scenario.id = id_ + "#" + std::to_string(outlines_.size());
      outline.scenario.steps = background_;
      steps_ = &outline.scenario.steps;
      in_examples_ = false;
      return Status::Ok();
    }
    if (text == "Examples:") {
      if (outlines_.empty() || !outlines_.back().is_outline) return Fail("Examples belong to a Scenario Outline");
      in_examples_ = true;
      return Status::Ok();
    }
    return TakeStep(text);
  }

  Status TakeStep(const std::string& text) {
    const size_t blank = text.find(' ');
    const std::string word = text.substr(0, blank);
    std::string kind = word == "Given" ? "given" : word == "When" ? "when" : word == "Then" ? "then" : "";
    if (steps_ == nullptr || blank == std::string::npos) return Fail("expected a step, found '" + text + "'");
    if (word == "And" && !steps_->empty()) kind = steps_->back().kind;
    if (kind.empty()) return Fail("expected Given, When, Then or And, found '" + word + "'");
    Step& step = steps_->emplace_back();
    step.kind = kind;
    step.text = Trim(text.substr(blank));
    return Status::Ok();
  }

  Status TakeRow(const std::string& text) {
    if (text.size() < 2 || text.back() != '|') return Fail("a row ends with '|'");
    if (in_examples_) {
      outlines_.back().examples.push_back(Cells(text));
      if (outlines_.back().examples.back().size() != outlines_.back().examples[0].size()) return Fail("the row and its header differ in cells");
      return Status::Ok();
    }
    if (steps_ == nullptr || steps_->empty()) return Fail("a table belongs to a step");
    Step& step = steps_->back();
    step.has_table = true;
    step.table.push_back(Cells(text));
    return Status::Ok();
  }

  Status Expand(const Outline& outline, std::vector<Scenario>* scenarios) const {
    if (!outline.is_outline) {
      scenarios->push_back(outline.scenario);
      return Status::Ok();
    }
    if (outline.examples.size() < 2) return Status(Code::kUsage, path_ + ": '" + outline.scenario.name + "' has no examples");
    const std::vector<std::string>& names = outline.examples[0];
    for (size_t row = 1; row < outline.examples.size(); ++row) {
      const std::vector<std::string>& values = outline.examples[row];
      Scenario filled = outline.scenario;
      filled.id += "/ex" + std::to_string(row);
      filled.name = Filled(filled.name, names, values);
      for (Step& step : filled.steps) {
        step.text = Filled(step.text, names, values);
        step.docstring = Filled(step.docstring, names, values);
        for (auto& cells : step.table) {
          for (std::string& cell : cells) cell = Filled(cell, names, values);
        }
      }
      scenarios->push_back(std::move(filled));
    }
    return Status::Ok();
  }

  std::string path_, id_;
  int number_ = 0;
  std::vector<Step> background_;
  std::vector<Step>* steps_ = nullptr;      // of the scenario being read; outlines_ grows only at the next head, which sets it anew
  std::vector<Outline> outlines_;
  bool in_docstring_ = false, doc_started_ = false, in_examples_ = false;
  size_t indent_ = 0;
};

}  // namespace

Result<std::vector<Scenario>> ReadFeatures(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (auto it = std::filesystem::recursive_directory_iterator(folder, error); !error && it != std::filesystem::end(it); it.increment(error)) {
    if (it->path().extension() == ".feature") paths.push_back(it->path());
  }
  if (error) return Status(Code::kUsage, folder + ": " + error.message());
  if (paths.empty()) return Status(Code::kUsage, folder + ": no *.feature below it");
  std::sort(paths.begin(), paths.end());
  std::vector<Scenario> scenarios;
  for (const auto& path : paths) {
    const std::string id = std::filesystem::relative(path, folder).replace_extension().generic_string();
    RETURN_IF_ERROR(FeatureReader(path.string(), id).Read(&scenarios));
  }
  return scenarios;
}

}  // namespace fornix::tck
