#include "base/utf8.h"

#include <catch2/catch.hpp>
#include <string>

using namespace fornix;

TEST_CASE("UTF-8: what is cut short, too long for its number, a surrogate or too large is none") {
  for (std::string_view good : {"", "abc", "12345678\xc3\xa5", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xef\xbf\xbf"}) CHECK(IsUtf8(good));
  for (std::string_view bad : {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "12345678\xe2\x82"}) {
    CHECK(!IsUtf8(bad));
    // The place of what is wrong is found behind anything that is right.
    for (const std::string before : {"", "a", "1234567", "\xc3\xa5\xe2\x82\xac", "12345678\xf0\x9f\x98\x80z"}) {
      const std::string text = before + std::string(bad);
      CHECK(Utf8Prefix(text) == before.size() + (bad.starts_with("12345678") ? 8 : 0));
    }
  }
}
