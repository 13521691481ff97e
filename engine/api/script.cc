// The public face of the statement splitter.
#include "fornix/script.h"

#include "grammar/parse.h"

namespace fornix {

size_t FirstStatementLength(std::string_view text) { return grammar::FirstStatementLength(text); }

}  // namespace fornix
