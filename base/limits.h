// Every queue, depth, size and wait that has a bound: its name, its value and the reason. docs/limits.md is printed
// from this file, so each constant stands on one line with its reason behind it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fornix {

// Log (wal/).
inline constexpr uint64_t kLogSegmentBytesFirst = uint64_t{1} << 20;  // 1 MiB: a new database costs a few ms of zeroing, not 150
inline constexpr uint64_t kLogSegmentBytesMax = uint64_t{64} << 20;   // 64 MiB: zeroing takes 140-200 ms, off the commit path
inline constexpr uint64_t kLogSegmentBytesMin = uint64_t{8} << 10;    // 8 KiB: header page and one page of records; tests use 64 KiB
inline constexpr size_t kLogWriteBytesMax = size_t{1} << 20;          // 1 MiB a write call: 1.5 ms of disk, and the most a failed write can leave in doubt
inline constexpr size_t kLogSectorBytes = 512;                        // what every disk writes whole; a sector with an acknowledged record isn't written again
inline constexpr uint64_t kLogRecordBytesMax = uint64_t{1} << 30;     // 1 GiB: it lies in memory once more in recovery; more is a bulk load
inline constexpr size_t kLogZeroStepBytes = size_t{256} << 10;        // 256 KiB: the log thread looks for commits between two steps of zeroing
inline constexpr uint64_t kLogSoonMillis = 50;                        // durability `async`: what a power cut may take; twenty writes a second leave the disk alone
inline constexpr size_t kLogSoonBytes = size_t{1} << 20;              // durability `async`: written at once when so much has gathered, one write call
inline constexpr size_t kLogSoonQueueFactor = 8;                      // durability `async`: commits wait when 8 MiB are queued, so a slow disk bounds memory and loss

// Files (base/file.h).
inline constexpr size_t kFileCallBytesMax = size_t{1} << 30;          // 1 GiB: Linux cuts one read or write at 2 GiB - 4 KiB

// Store (storage/).
inline constexpr uint32_t kTokensMax = 1u << 16;                      // names of each kind; more of them is data put into the schema
inline constexpr uint64_t kOwnChunkNodes = 1000;                      // a label set gets chunks of its own then: at most three quarters of a chunk stay empty
inline constexpr size_t kIndexKeyBytesMax = size_t{8} << 10;          // 8 KiB: two keys fit a page of the tree; longer texts belong into a text index
inline constexpr size_t kPackedListMin = 8;                           // shorter lists of floats: unpacking on each read costs more than it saves
inline constexpr size_t kRecentCommitsMax = 65'536;                   // nodes remembered a label for MERGE: 1 MiB; a snapshot that missed more runs again
inline constexpr uint64_t kOnlineSchemaElements = 20'000;             // elements that a new index or rule looks at inside its commit: about 20 ms; more is done beside other commits
inline constexpr uint64_t kCheckpointLogBytes = uint64_t{32} << 20;   // replayed in well under a second after a crash
inline constexpr uint64_t kCheckpointLogBytesMin = uint64_t{256} << 10; // less isn't worth four syncs, whatever the memory says
inline constexpr uint64_t kCheckpointPacedBytesPerSecond = 25'000'000; // while commits run: more before a sync holds up theirs for up to 200 ms
inline constexpr uint64_t kMakeRoomWaitMillis = 10'000;               // a commit waits so long for a checkpoint to free memory, then it is refused by name
inline constexpr uint64_t kVectorsUnlinkedMax = 256;                  // a scan of 256 rows costs about what a search of the graph does

// Other processes (storage/process).
inline constexpr uint32_t kReaderSlotsMax = 256;                      // readers of one database at a time, in all processes: the lock file stays below 40 KiB
inline constexpr int kLockRoundsMax = 100;                            // rounds in which a lock file was removed in front of us, or all its slots were held
inline constexpr int kRootReadsMax = 8;                               // looks at root slots that are being written; one of two is whole at any moment
inline constexpr int kReaderRoundsMax = 20;                           // checkpoints that may overtake one refresh of a reader without a slot
inline constexpr uint64_t kLockRetryMicros = 200;                     // between two such rounds: whoever removes the file holds all of it that long at most

// Sessions (engine/session, engine/api).
inline constexpr int kAutoCommitRetriesMax = 3;                       // a lost race is rarely lost four times; then the client should know
inline constexpr uint64_t kRetryWaitMicros = 200;                     // about one durable commit; doubled each time, with jitter
inline constexpr size_t kStatementsNamedMax = 1024;                   // statements of a transaction that a conflict can name, the first ones: 256 KiB at most
inline constexpr size_t kStatementNamedBytesMax = 256;                // of its text: enough to know it again
inline constexpr size_t kPlanCacheEntriesMax = 1024;                  // an agent's program has some dozens of texts; about 10 KiB each
inline constexpr size_t kPlanCacheTextBytesMax = size_t{64} << 10;    // longer texts are one-off loads with their data inside
inline constexpr size_t kParameterNestingMax = 128;                   // as for query text: comparing and freeing values recurse

// Functions (engine/function).
inline constexpr size_t kRangeItemsMax = size_t{1} << 25;             // 512 MiB of values: a range() above this is a mistake, not a list

// Import (engine/import, storage/bulk).
inline constexpr size_t kImportRowBytesMax = size_t{128} << 20;       // 128 MiB: a row with one value of the largest size; more is a quote that never closes
inline constexpr uint64_t kImportBadRowsDefault = 1000;               // rows put aside before an import gives up; as in neo4j-admin

// Query text (grammar/).
inline constexpr size_t kQueryBytesMax = size_t{16} << 20;            // 16 MiB: offsets fit 32 bits, and a text of this size lexes in 0.3 s
inline constexpr size_t kQueryTokensMax = 250'000;                    // 1 kB of parse tree a token: 250 MB; data belongs into parameters or lists of constants
inline constexpr size_t kNestingMax = 128;                            // brackets, CASE, NOT and signs: readers of the tree recurse, threads may have 1 MB of stack
inline constexpr size_t kExpressionDepthMax = 1'024;                  // levels of the tree, chains like a IN b IN c included: 1 kB of stack a level
inline constexpr size_t kPatternElementsMax = 1'000;                  // nodes and relationships of one pattern; plans grow with each
inline constexpr size_t kClausesMax = 1'000;                           // of a statement: a plan is a tower of them and its readers recurse, in threads of 1 MB
inline constexpr size_t kParserStatesMax = 16'384;                    // states the parser learnt, about 1 kB each: 16 MiB, then it learns anew
inline constexpr size_t kListLiteralMax = 1'000'000;                  // 16 MB of values; more belongs into a parameter

// Spilled runs (engine/exec/spill).
inline constexpr size_t kSpillBlockBytesMax = size_t{256} << 10;      // 256 KiB: one write; LZ4 finds nothing more in larger ones
inline constexpr size_t kSpillBlockBytesMin = size_t{4} << 10;        // for statements with tiny limits: a block is a 128th of the limit
inline constexpr size_t kSpillFloorBytes = size_t{1} << 20;           // 1 MiB for each sort, grouping or join even when others took the budget
inline constexpr size_t kSpillRunsMax = 64;                           // merged at once: 16 MiB of blocks; more runs take another pass
inline constexpr size_t kSpillPartitions = 16;                        // of a grouping or join at each level: 4 MiB of blocks
inline constexpr size_t kSpillRowBytesMax = size_t{1} << 30;          // 1 GiB: sizes in blocks are 32 bits, and a row is held whole

// Vectors (vector/).
inline constexpr size_t kPropertyBytesMax = size_t{64} << 20;         // 64 MiB a value; larger things belong into files, with their path here
inline constexpr uint32_t kVectorDimensionsMax = 16'384;              // 64 KiB a vector; the largest published embeddings have 12,288
inline constexpr uint32_t kHnswMMax = 512;                            // as in Neo4j's index options
inline constexpr uint32_t kHnswEfConstructionMax = 3'200;             // as in Neo4j's index options

}  // namespace fornix
