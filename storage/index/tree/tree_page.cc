// Pages of the ordered index: encoding, decoding, searching.
#include "storage/index/tree/tree_page.h"

#include <algorithm>

#include "base/errors.h"
#include "base/limits.h"
#include "storage/page/extent_header.h"

namespace fornix::storage {
namespace {

constexpr size_t kEntryBytesMin = 3;   // shared, length, id

// Varints one after the other; once one is wrong all are 0 and ok() is false. ByteReader's Results cost more than the numbers do
// here: a leaf has a thousand entries.
class Varints {
 public:
  explicit Varints(std::span<const std::byte> bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  uint64_t Next() {
    uint64_t value = 0;
    const size_t n = LoadVarint(at_, left(), &value);
    if (n == 0) return Fail();
    at_ += n;
    return value;
  }
  std::string_view Take(uint64_t n) {
    if (n > left()) return Fail(), std::string_view();
    const std::string_view text(reinterpret_cast<const char*>(at_), n);
    at_ += n;
    return text;
  }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  bool ok() const { return ok_; }

 private:
  uint64_t Fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }
  const std::byte* at_;
  const std::byte* end_;
  bool ok_ = true;
};

Status Bad(size_t entry, const std::string& what) { return Corruption("entry " + std::to_string(entry) + " of the index page: " + what); }

Result<std::unique_ptr<Frame>> DecodeFrame(ExtentBytes bytes, const ExtentRef&, const void* context) {
  auto page = std::make_unique<TreePage>();
  RETURN_IF_ERROR(DecodeTreePage(bytes.bytes, *static_cast<const uint32_t*>(context), &page->content));
  TreeContent& content = page->content;
  content.keys.shrink_to_fit();
  page->bytes = sizeof(TreePage) + content.keys.capacity() + content.offsets.capacity() * sizeof(uint32_t) +
                content.ids.capacity() * sizeof(uint64_t) + content.children.capacity() * sizeof(ExtentRef);
  return std::unique_ptr<Frame>(std::move(page));
}

}  // namespace

size_t LowerBound(const TreeContent& page, std::string_view key, uint64_t id) {
  size_t first = 0, count = page.size();
  while (count > 0) {
    const size_t half = count / 2, middle = first + half;
    if (CompareEntry(page.key(middle), page.ids[middle], key, id) < 0) {
      first = middle + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

size_t ChildFor(const TreeContent& page, std::string_view key, uint64_t id, bool before) {
  // The first child's bound is empty, so it is before everything but an empty key.
  const size_t at = LowerBound(page, key, id);
  if (!before && at < page.size() && CompareEntry(page.key(at), page.ids[at], key, id) == 0) return at;
  return at == 0 ? 0 : at - 1;
}

std::vector<std::byte> EncodeTreePage(const TreeContent& content, size_t first, size_t count) {
  ByteWriter out;
  out.Reserve(kTreePageBytes);
  out.U8(static_cast<uint8_t>(content.level));
  out.Varint(count);
  std::string_view previous;
  uint64_t previous_id = 0;
  for (size_t i = first; i < first + count; ++i) {
    // The first bound of an inner page is the page's own, which its parent has.
    const bool implied = content.level > 0 && i == first;
    const std::string_view key = implied ? std::string_view() : content.key(i);
    const uint64_t id = implied ? 0 : content.ids[i];
    const auto shared = static_cast<size_t>(std::mismatch(previous.begin(), previous.end(), key.begin(), key.end()).first - previous.begin());
    out.Varint(shared);
    out.Varint(key.size() - shared);
    out.Bytes(AsBytes(key.substr(shared)));
    out.SignedVarint(static_cast<int64_t>(id - previous_id));
    if (content.level > 0) {
      out.Varint(content.children[i].page);
      out.Varint(content.children[i].pages);
      out.Varint(content.children[i].seq);
    }
    previous = key;
    previous_id = id;
  }
  return out.Take();
}

Status DecodeTreePage(std::span<const std::byte> bytes, uint32_t level, TreeContent* content) {
  if (bytes.empty()) return Corruption("the index page is empty");
  if (const auto found = static_cast<uint32_t>(bytes[0]); found != level) {
    return Corruption("the index page is of level " + std::to_string(found) + ", expected " + std::to_string(level));
  }
  Varints in(bytes.subspan(1));
  const uint64_t count = in.Next();
  if (count == 0 || count > in.left() / kEntryBytesMin) return Corruption("the index page has a count of " + std::to_string(count) + " entries");
  content->level = level;
  content->offsets.assign(1, 0);
  content->offsets.reserve(count + 1);
  content->keys.clear();
  content->keys.reserve(bytes.size() * 2);
  content->ids.clear();
  content->ids.reserve(count);
  content->children.clear();
  if (level > 0) content->children.reserve(count);
  uint64_t id = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t shared = in.Next(), length = in.Next();
    const std::string_view rest = in.Take(length);
    id += static_cast<uint64_t>(UnZigZag(in.Next()));
    if (!in.ok()) return Bad(i, "it ends too early");
    const size_t begin = content->offsets.back(), before = i == 0 ? 0 : content->offsets[i - 1];
    if (shared > begin - before) return Bad(i, "it shares more of a key than there is");
    if (shared + length > kIndexKeyBytesMax) return Bad(i, "a key of " + std::to_string(shared + length) + " bytes");
    if (begin + shared + length > kTreePageKeyBytes + kIndexKeyBytesMax) return Bad(i, "more bytes of keys than a page may have");
    // Both may move: `shared` bytes of what lies before are appended to the same string.
    content->keys.resize(begin + shared + length);
    std::copy_n(content->keys.data() + before, shared, content->keys.data() + begin);
    std::copy_n(rest.data(), length, content->keys.data() + begin + shared);
    content->offsets.push_back(static_cast<uint32_t>(content->keys.size()));
    content->ids.push_back(id);
    if (level > 0) {
      const uint64_t page = in.Next(), pages = in.Next(), seq = in.Next();
      if (!in.ok() || page < kFirstExtentPage || page > ~uint32_t{0} || pages == 0 || pages > kExtentPagesMax) {
        return Bad(i, "a reference to " + std::to_string(pages) + " pages at page " + std::to_string(page));
      }
      content->children.push_back({static_cast<uint32_t>(page), static_cast<uint32_t>(pages), seq});
    }
    if (i == 0 && level > 0 && (length != 0 || id != 0)) return Bad(i, "a first bound that isn't empty");
    if (i > 0 && CompareEntry(content->key(i - 1), content->ids[i - 1], content->key(i), id) >= 0) return Bad(i, "it isn't after the one before");
  }
  if (in.left() != 0) return Corruption("the index page has " + std::to_string(in.left()) + " bytes too many");
  return Status::Ok();
}

const TreeContent& GetTreePage(const ExtentFile& file, FrameCache& cache, IndexId index, uint32_t level, const ExtentRef& ref) {
  return cache.Get<TreePage>(file, ref, TreeKind(level), TreeOwner(index, level), DecodeFrame, &level).content;
}

TreeContent CopyTreePage(const ExtentFile& file, const FrameCache* cache, IndexId index, uint32_t level, const ExtentRef& ref) {
  if (cache != nullptr) {
    const EpochGuard guard;
    if (const Frame* frame = cache->Find(ref.page, ref.seq)) return static_cast<const TreePage*>(frame)->content;
  }
  const ExtentBytes bytes = ValueOrThrow(file.Read(ref, TreeKind(level), TreeOwner(index, level)));
  TreeContent content;
  const Status status = DecodeTreePage(bytes.bytes, level, &content);
  if (!status.ok()) throw ReadFailure(ExtentDamage(file.path(), ref, status.message()));
  return content;
}

}  // namespace fornix::storage
