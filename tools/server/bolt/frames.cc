#include "tools/server/bolt/frames.h"

#include <algorithm>
#include <array>

namespace fornix::bolt {
namespace {

constexpr std::string_view kMagic = "\x60\x60\xB0\x17";
constexpr size_t kHandshakeBytes = 20;
constexpr size_t kChunkBytesMax = 0xFFFF;
// What is offered, the newest first; 5.5 was never released by anybody.
struct Range {
  uint8_t major, newest, oldest;
};
constexpr std::array<Range, 4> kOffered = {Range{6, 0, 0}, Range{5, 8, 6}, Range{5, 4, 0}, Range{4, 4, 4}};

bool IsOffered(Version v) {
  return std::any_of(kOffered.begin(), kOffered.end(), [&](Range r) { return r.major == v.major && v.minor <= r.newest && v.minor >= r.oldest; });
}
uint8_t At(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

}  // namespace

Handshake::Outcome Handshake::Feed(std::string* in, std::string* out) {
  if (manifest_) return Choose(in);
  const size_t magic = std::min(in->size(), kMagic.size());
  if (std::string_view(*in).substr(0, magic) != kMagic.substr(0, magic)) {
    // Somebody opened the port in a browser: a word is kinder than silence.
    if (in->starts_with("GET ") || in->starts_with("HEAD") || in->starts_with("POST")) {
      out->append("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nThis port speaks Bolt. Connect with a driver: bolt://...\n");
    }
    return Outcome::kRefused;
  }
  if (in->size() < kHandshakeBytes) return Outcome::kMore;
  const std::string proposals = in->substr(kMagic.size(), kHandshakeBytes - kMagic.size());
  in->erase(0, kHandshakeBytes);
  for (size_t at = 0; at < proposals.size(); at += 4) {
    const uint8_t range = At(proposals, at + 1), minor = At(proposals, at + 2), major = At(proposals, at + 3);
    if (At(proposals, at) == 0 && range == 0 && minor == 1 && major == 0xFF) {
      manifest_ = true;
      out->append(std::string_view("\0\0\x01\xFF", 4));
      out->push_back(static_cast<char>(kOffered.size()));
      for (const Range& r : kOffered) {
        for (const int byte : {0, r.newest - r.oldest, int{r.newest}, int{r.major}}) out->push_back(static_cast<char>(byte));
      }
      out->push_back(0);          // no capabilities
      return Choose(in);
    }
    for (int m = minor; m >= std::max(0, minor - range); --m) {
      // 6.0 is chosen from a manifest alone.
      const Version v{major, static_cast<uint8_t>(m)};
      if (v.major > 5 || !IsOffered(v)) continue;
      version_ = v;
      for (const uint8_t byte : {uint8_t{0}, uint8_t{0}, v.minor, v.major}) out->push_back(static_cast<char>(byte));
      return Outcome::kDone;
    }
  }
  out->append(4, '\0');
  return Outcome::kRefused;
}

// The client's choice, and its capabilities as a number of at most ten bytes of seven bits.
Handshake::Outcome Handshake::Choose(std::string* in) {
  if (in->size() < 5) return Outcome::kMore;
  size_t end = 4;
  while (end < in->size() && (At(*in, end) & 0x80) != 0) ++end;
  if (end > 13) return Outcome::kRefused;
  if (end == in->size()) return Outcome::kMore;
  version_ = {At(*in, 3), At(*in, 2)};
  const bool plain = At(*in, 0) == 0 && At(*in, 1) == 0;
  in->erase(0, end + 1);
  return plain && IsOffered(version_) ? Outcome::kDone : Outcome::kRefused;
}

Result<std::optional<std::string>> Dechunker::Next(std::string* in) {
  std::optional<std::string> whole;
  while (in->size() - used_ >= 2) {
    const size_t length = size_t{At(*in, used_)} << 8 | At(*in, used_ + 1);
    if (message_.size() + length > max_) {
      return Status(Code::kLimitExceeded, "a message of more than " + std::to_string(max_) + " bytes");
    }
    if (in->size() - used_ - 2 < length) break;
    message_.append(*in, used_ + 2, length);
    used_ += 2 + length;
    if (length != 0 || message_.empty()) continue;             // an empty one between messages says only that somebody is there
    whole = std::move(message_);
    message_.clear();
    break;
  }
  if (used_ > in->size() / 2) in->erase(0, used_), used_ = 0;
  return whole;
}

void AppendChunked(std::string_view message, std::string* out) {
  while (!message.empty()) {
    const size_t n = std::min(message.size(), kChunkBytesMax);
    out->push_back(static_cast<char>(n >> 8));
    out->push_back(static_cast<char>(n & 0xFF));
    out->append(message.substr(0, n));
    message.remove_prefix(n);
  }
  out->append(2, '\0');
}

}  // namespace fornix::bolt
