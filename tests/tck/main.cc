// tck: runs scenarios and reports, strictly: TCK records from standard input (the JSON Lines of expand.py), or the feature files
// of a folder.
//
//   expand.py | tck [--shared DIR] [--file DIR [--restart]] [--id PREFIX] [--list FILE] [--update] [--failures] [--no-optimize] [--no-indexes]
//                   [--batch N] [--memory BYTES] [--tree] [--bolt]
//   tck --features DIR [...]: all of them have to pass
//
// --list FILE: the committed list of scenarios that pass; one of them failing makes the exit code 1. --update rewrites it
// (it may only grow). --failures prints why each failed. Ends with a table per folder and the line
// `tck: P passed, F failed, S skipped of T (strict)`.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/tck/feature.h"

namespace {

struct Counts {
  int passed = 0, failed = 0, skipped = 0;
};

std::string FolderOf(const std::string& id) { return id.substr(0, id.rfind('/', id.find('#'))); }
// Examples of one outline share this key.
std::string WrittenId(const std::string& id) { return std::regex_replace(id, std::regex("/ex[0-9]+$"), ""); }

}  // namespace

int main(int argc, char** argv) {
  using namespace fornix::tck;
  RunOptions options;
  const char* shared = std::getenv("FORNIX_SHARED");
  options.shared = shared ? shared : "../shared";
  std::string prefix, list_path, features;
  bool update = false, print_failures = false;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (arg == "--shared") options.shared = value();
    else if (arg == "--file") { options.on_file = true; options.scratch = value(); }
    else if (arg == "--id") prefix = value();
    else if (arg == "--list") list_path = value();
    else if (arg == "--features") features = value();
    else if (arg == "--batch") options.batch_rows = static_cast<unsigned>(std::stoul(value()));
    else if (arg == "--update") update = true;
    else if (arg == "--failures") print_failures = true;
    else if (arg == "--no-optimize") options.optimize = false;
    else if (arg == "--no-indexes") options.use_indexes = false;
    else if (arg == "--bolt") options.bolt = true;
    else if (arg == "--restart") options.restart = true;
    else if (arg == "--memory") options.memory_bytes = std::stoull(value());
    else if (arg == "--tree") options.tree_for_any_graph = true;
    else { std::fprintf(stderr, "tck: unknown option %s\n", arg.c_str()); return 2; }
  }

  if (options.restart && !options.on_file) {
    std::fprintf(stderr, "tck: --restart needs --file: a database in memory would be gone\n");
    return 2;
  }

  std::set<std::string> listed, passed;
  if (!list_path.empty()) {
    std::ifstream in(list_path);
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && line[0] != '#') listed.insert(line);
    }
  }

  std::vector<Scenario> scenarios;
  if (features.empty()) {
    for (std::string line; std::getline(std::cin, line);) scenarios.push_back(FromJson(nlohmann::json::parse(line)));
  } else {
    auto read = ReadFeatures(features);
    if (!read.ok()) {
      std::printf("%s\n", read.status().message().c_str());
      return 2;
    }
    scenarios = *std::move(read);
    for (const Scenario& scenario : scenarios) listed.insert(scenario.id);
  }

  std::map<std::string, Counts> folders;
  std::map<std::string, bool> written;
  Counts total;
  int errors_expected = 0, errors_any = 0, errors_type = 0, errors_strict = 0;
  std::vector<std::string> lost;
  for (const Scenario& scenario : scenarios) {
    if (!scenario.id.starts_with(prefix)) continue;
    Counts& folder = folders[FolderOf(scenario.id)];
    if (scenario.ignored) {
      ++folder.skipped, ++total.skipped;
      continue;
    }
    Outcome outcome = Run(scenario, options);
    errors_expected += outcome.error_expected;
    errors_any += outcome.any_error;
    errors_type += outcome.error_type_matched;
    errors_strict += outcome.error_expected && outcome.passed;
    auto [it, fresh] = written.emplace(WrittenId(scenario.id), true);
    it->second &= outcome.passed;
    if (outcome.passed) {
      ++folder.passed, ++total.passed;
      passed.insert(scenario.id);
    } else {
      ++folder.failed, ++total.failed;
      if (print_failures) std::printf("FAIL %s %s\n    %s\n", scenario.id.c_str(), scenario.name.c_str(), outcome.why.c_str());
      if (listed.count(scenario.id)) lost.push_back(scenario.id + ": " + outcome.why);
    }
  }

  std::printf("%-40s %7s %7s %7s\n", "folder", "passed", "failed", "skipped");
  for (const auto& [name, c] : folders) std::printf("%-40s %7d %7d %7d\n", name.c_str(), c.passed, c.failed, c.skipped);
  int written_passed = 0;
  for (const auto& [id, ok] : written) written_passed += ok;
  std::printf("as written: %d of %zu; errors expected %d: any %d, type %d, strict %d\n", written_passed, written.size(), errors_expected,
              errors_any, errors_type, errors_strict);
  for (const std::string& why : lost) std::printf("LOST %s\n", why.c_str());
  if (update && !list_path.empty() && lost.empty()) {
    std::ofstream out(list_path);
    out << "# Scenarios of the openCypher TCK that pass, strictly. It may only grow: ./dev tck --update\n";
    for (const std::string& id : passed) listed.insert(id);
    for (const std::string& id : listed) out << id << "\n";
  }
  std::printf("tck: %d passed, %d failed, %d skipped of %d (strict)\n", total.passed, total.failed, total.skipped,
              total.passed + total.failed + total.skipped);
  return lost.empty() ? 0 : 1;
}
