// Bounds of the Bolt server, each with its reason; docs/limits.md is printed from here and from the other folders' limits.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fornix::bolt {

// Bolt server (tools/server/limits.h; those of `fornix serve` can be set).
inline constexpr size_t kBeforeLogonBytesMax = size_t{64} << 10;   // a message before its client has logged on: names and a password
inline constexpr uint32_t kMessageBytesMax = uint32_t{64} << 20;   // `--message-bytes`: 9,000 vectors of 768 floats as a parameter
inline constexpr uint32_t kSessionsMax = 1000;                     // `--sessions`: 500 idle ones hold 8 KiB each
inline constexpr uint32_t kLogonSecondsMax = 5;                    // from connecting to being logged on
inline constexpr uint32_t kStopSecondsMax = 10;                    // that running statements get when the server stops
inline constexpr size_t kQueuedMessagesMax = 1024;                 // of a session; then its socket isn't read
inline constexpr size_t kQueuedBytesMax = size_t{1} << 20;         // the same
inline constexpr size_t kUnsentBytesHigh = size_t{1} << 20;        // answers that the client hasn't taken: above it a PULL rests
inline constexpr size_t kUnsentBytesLow = size_t{256} << 10;       // below it, it goes on
inline constexpr size_t kSlowTextBytesMax = 1000;                  // of a slow statement that the log shows
inline constexpr size_t kPartBytes = size_t{64} << 10;             // of a PULL's answer: what a worker makes before it looks at the above

}  // namespace fornix::bolt
