// Schema commands: from the syntax tree, with its parameters and options evaluated, to definitions of storage.
#pragma once

#include "engine/exec/context.h"
#include "grammar/ast/ast.h"

namespace fornix::engine {

struct SchemaInputs {
  Value name;        // where the name is a parameter; else null
  Value options;     // OPTIONS {...}; null if not given
};

Status RunSchemaCommand(ExecutionContext& context, const ast::SchemaCommand& command, const SchemaInputs& inputs);

// OPTIONS of CREATE VECTOR INDEX, each checked by name and range; the error says what is allowed.
Status ReadVectorOptions(const Value& options, storage::VectorIndexOptions* out);

}  // namespace fornix::engine
