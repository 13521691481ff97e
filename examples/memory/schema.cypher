// The schema of the demo: what a memory may be, how memories may be connected, and by what they are found.
// A statement ends with ';'. The graph type is CLOSED: a label or a relationship type that is not named here is refused
// when the transaction commits.

CREATE VECTOR INDEX memory_embedding IF NOT EXISTS
FOR (m:Memory) ON (m.embedding)
OPTIONS {indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine'}};

CREATE INDEX memory_created IF NOT EXISTS FOR (m:Memory) ON (m.created);

ALTER CURRENT GRAPH TYPE SET {
  // Identity: evergreen, only superseded or contradicted.
  (:Attribute =>   :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL}),
  (:Preference =>  :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL}),
  (:Belief =>      :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL}),
  (:Value =>       :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL}),
  (:Skill =>       :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL}),
  // Direction: active until completed, broken or abandoned.
  (:Goal =>        :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL, due :: DATE}),
  (:Project =>     :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL, since :: DATE}),
  (:Commitment =>  :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL, due :: DATE}),
  (:Decision =>    :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL}),
  // Intelligence: a behavior evolves into an insight, an opportunity expires, an event does not change.
  (:Behavior =>    :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL}),
  (:Insight =>     :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL}),
  (:Opportunity => :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL, expires :: DATE}),
  (:Event =>       :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, occurred :: DATE NOT NULL}),
  // World: stale after disuse.
  (:Reference =>   :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL, kind :: STRING NOT NULL}),
  (:Resource =>    :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, status :: STRING NOT NULL, kind :: STRING NOT NULL}),
  // Beside the layers: what held and when, where a memory comes from, what was said twice.
  (:Fact =>        :Memory {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, subject :: STRING NOT NULL,
                            predicate :: STRING NOT NULL, object :: STRING NOT NULL, valid_from :: DATE NOT NULL, valid_to :: DATE}),
  (:Episode =>          {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, kind :: STRING NOT NULL}),
  (:DuplicateRecord =>  {id :: STRING NOT NULL, text :: STRING NOT NULL, created :: DATE NOT NULL, window :: STRING NOT NULL, threshold :: FLOAT NOT NULL}),

  // Causes
  (:Memory)-[:MOTIVATED_BY =>     {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:CAUSED_BY =>        {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  // Structure
  (:Memory)-[:ENABLES =>          {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:BLOCKS =>           {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:REQUIRES =>         {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:PART_OF =>          {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  // Evidence
  (:Memory)-[:SUPPORTS =>         {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:CONTRADICTS =>      {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:INFLUENCES =>       {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  // Obligation
  (:Memory)-[:COMMITTED_TO =>     {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:FOLLOWED_THROUGH => {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:ADVANCES =>         {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  // Context
  (:Memory)-[:TAGGED_WITH =>      {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:ABOUT =>            {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  // Change
  (:Memory)-[:EVOLVED_INTO =>     {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:Memory)-[:SUPERSEDES =>       {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Memory),
  (:DuplicateRecord =>)-[:DUPLICATES => {created :: DATE NOT NULL, similarity :: FLOAT NOT NULL}]->(:Memory),
  // Provenance: of memories and of duplicates
  ()-[:EXTRACTED_FROM =>          {created :: DATE NOT NULL, confidence :: FLOAT NOT NULL}]->(:Episode =>),

  CONSTRAINT memory_id    FOR (m:Memory)          REQUIRE m.id IS UNIQUE,
  CONSTRAINT episode_id   FOR (e:Episode)         REQUIRE e.id IS UNIQUE,
  CONSTRAINT duplicate_id FOR (d:DuplicateRecord) REQUIRE d.id IS UNIQUE
} CLOSED;
