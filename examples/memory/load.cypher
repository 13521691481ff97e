// How the rows of nodes.jsonl and relationships.jsonl become a graph, after schema.cypher: four statements, each run
// once for every group of rows, with the group (or a batch of it) as the list $rows. A label or a type cannot be a
// parameter, so the loader puts the group's names in place of the words LABEL, TYPE, FROM and TO.
//
// Dates are ISO text in the rows and DATE in the graph. date(null) is null and a property that is null is not stored,
// so one statement serves every label: a row has the keys that its label uses.

// 1. Memories and facts: for each label but Episode and DuplicateRecord. `embedding` is the row's own from embeddings.bin.
UNWIND $rows AS row
CREATE (:Memory:LABEL {
  id: row.id, text: row.text, created: date(row.created), status: row.status, kind: row.kind,
  occurred: date(row.occurred), due: date(row.due), since: date(row.since), expires: date(row.expires),
  valid_from: date(row.valid_from), valid_to: date(row.valid_to),
  subject: row.subject, predicate: row.predicate, object: row.object,
  embedding: row.embedding});

// 2. Episodes. They carry no embedding: they are reached from what was extracted from them.
UNWIND $rows AS row
CREATE (:Episode {id: row.id, text: row.text, created: date(row.created), kind: row.kind});

// 3. Rejected wordings. They are not memories, so the vector index does not see them.
UNWIND $rows AS row
CREATE (:DuplicateRecord {
  id: row.id, text: row.text, created: date(row.created), window: row.window, threshold: row.threshold,
  embedding: row.embedding});

// 4. Relationships: for each TYPE. FROM and TO are Memory, Memory, except
//      DUPLICATES      DuplicateRecord -> Memory
//      EXTRACTED_FROM  Memory -> Episode, and a second group DuplicateRecord -> Episode (ids that begin with dup-)
UNWIND $rows AS row
MATCH (a:FROM {id: row.from}), (b:TO {id: row.to})
CREATE (a)-[:TYPE {created: date(row.created), confidence: row.confidence, similarity: row.similarity}]->(b);
