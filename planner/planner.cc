// See planner.h.
#include "planner/planner.h"

#include "planner/bind/binder.h"
#include "planner/physical/lower.h"
#include "planner/physical/similarity_scan.h"
#include "planner/rewrite/rewrite.h"

namespace fornix::planner {

Result<std::shared_ptr<const PhysicalPlan>> Plan(std::unique_ptr<ast::Statement> statement, const PlannerInput& input) {
  std::shared_ptr<const ast::SchemaCommand> schema(std::move(statement->schema));
  Binder binder(*statement, schema, input);
  ASSIGN_OR_RETURN(LogicalPlan logical, binder.Bind());
  if (input.optimize) Rewrite(&logical);
  auto plan = std::make_shared<PhysicalPlan>();
  plan->root = Lower(*logical.root, input, &logical.slot_names);
  if (input.optimize) UseVectorIndexes(plan->root.get(), input, statement->exact_vectors, &logical.slot_names, &logical.notifications);
  if (input.optimize) RewritePhysical(&plan->root, &logical.slot_names);
  plan->slot_count = static_cast<uint32_t>(logical.slot_names.size());
  plan->operator_count = Finish(*plan->root, logical.slot_names, input.optimize);
  plan->parameters = std::move(logical.parameters);
  plan->literals = std::move(logical.literals);
  plan->slot_names = std::move(logical.slot_names);
  plan->type = logical.type;
  plan->mode = statement->mode;
  plan->notifications = std::move(logical.notifications);
  plan->schema_epoch = input.schema->epoch;
  plan->token_count = input.tokens->labels.size() + input.tokens->types.size() + input.tokens->properties.size();
  return std::shared_ptr<const PhysicalPlan>(std::move(plan));
}

}  // namespace fornix::planner
