// Feature files: our own scenarios in the step language of the TCK, read without a tool in between.
//
// What a file may hold: Feature, Background, Scenario, Scenario Outline with Examples; Given, When, Then, And; doc strings between
// """ and tables. Placeholders <name> of an outline are filled in texts, doc strings and cells. Lines that begin with # are
// comments. Anything else is an error with file and line: no line is passed over.
#pragma once

#include <string>
#include <vector>

#include "fornix/status.h"
#include "tests/tck/scenario.h"

namespace fornix::tck {

// Every *.feature below `folder`, sorted by path. The id of a scenario is "clauses/merge#3", the path below the folder and the scenario's
// place in its file; of an outline's row "clauses/merge#3/ex1".
Result<std::vector<Scenario>> ReadFeatures(const std::string& folder);

}  // namespace fornix::tck
