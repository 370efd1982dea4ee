// Whatever values are written as YAML, a reader of YAML finds the same values.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "job/yaml.hpp"
#include "kubernetes/text.hpp"

namespace muster::kubernetes {
namespace {

using Kind = Value::Kind;

// Words that YAML takes for something else, and letters that it has a use for.
rc::Gen<std::string> texts() {
  const auto awkward = rc::gen::element<std::string>(
      "", "true", "No", "on", "y", "~", "null", "NULL", "<<", "=", "1", "-7", "0x1f", "0o17", "1e3",
      "1_000", "12:30:45", "2026-11-22", ".5", ".inf", ".NaN", "- a", "a: b", "#", "a #b", " a",
      "a ", "*a", "&a", "!a", "@", "`", "%", "{", "[a]", "? a", "|", ">", "'", "\"", "a\nb\n",
      "\na", " a\nb", "a\n\n", "a\tb", "\t", "\\", "\r", "a\r\nb", "ä", "日本", "---", "...",
      "--- a", "\x7f", "\x01", "a\n b\n  c", "a\nb ", "#!/bin/sh\nx: 'y'\n");
  const auto letters = rc::gen::container<std::string>(
      rc::gen::element('a', 'Z', '0', ' ', '\n', ':', '#', '-', '\'', '"', '{', ',', '\t', '.'));
  return rc::gen::oneOf(awkward, letters);
}

Value draw(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 6 : 4);
  switch (kind) {
    case 0:
      return *rc::gen::arbitrary<bool>();
    case 1:
      return *rc::gen::inRange<std::int64_t>(-100'000, 100'000);
    case 2:
    case 3:
      return *texts();
    case 4: {
      std::vector<Value> items;
      for (int left = *rc::gen::inRange(0, 4); left > 0; --left) items.push_back(draw(depth - 1));
      return items;
    }
    default: {
      Value map = object();
      for (int left = *rc::gen::inRange(0, 4); left > 0; --left) {
        const std::string name = *texts();
        if (map.find(name) == nullptr) map.add(name, draw(depth - 1));
      }
      return map;
    }
  }
}

RC_GTEST_PROP(KubernetesText, IsReadBackAsItWasWritten, ()) {
  Value value = object();
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) value.add(name, draw(4));
  const auto text = to_yaml({value});
  RC_ASSERT(text.has_value());
  const job::Document read = job::read_yaml(*text, "f");
  RC_LOG() << *text;
  for (const base::Error& error : read.complaints) RC_LOG() << base::to_string(error) << "\n";
  RC_ASSERT(read.complaints.empty());
  RC_ASSERT(value_of(*read.root) == value);
}

RC_GTEST_PROP(KubernetesText, JsonIsYaml, ()) {
  Value value = object();
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) value.add(name, draw(4));
  const job::Document read = job::read_yaml(to_json(value), "f");
  for (const base::Error& error : read.complaints) RC_LOG() << base::to_string(error) << "\n";
  RC_ASSERT(read.complaints.empty());
  RC_ASSERT(value_of(*read.root) == value);
}

}  // namespace
}  // namespace muster::kubernetes
