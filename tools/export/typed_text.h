// Values of properties as text that says their type: typed JSON, and Cypher expressions. Both read back as the same value.
//
//   JSON    numbers with '.' or exponent are floats, others integers; what JSON has no word for is an object of one word that begins
//           with '~': {"~date": "2020-02-29"}, {"~point": 7203, "x": 1.0, "y": 2.0}, {"~vector": [1.0]}, {"~bytes": "00ff"},
//           {"~float": "NaN"}
//   Cypher  literals and calls: date('2020-02-29'), point({srid: 7203, x: 1.0, y: 2.0}); BYTES are parameters
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fornix/value.h"

namespace fornix::tools {

void AppendJsonString(std::string_view text, std::string* out);
void AppendTypedJson(const Value& value, std::string* out);
// BYTES are written as $bytesN, N being the place in *parameters where their hexadecimal text is appended.
void AppendCypher(const Value& value, std::string* out, std::vector<std::string>* parameters);
std::string Hex(std::string_view bytes);

}  // namespace fornix::tools
