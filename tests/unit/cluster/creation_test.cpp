// What kubectl prints of objects that it has made, and what is missing in them.
#include "cluster/creation.hpp"

#include <gtest/gtest.h>

#include "kubernetes/state.hpp"

namespace muster::cluster {
namespace {

TEST(Creation, ReadsTheServersVersion) {
  const Server old = read_server(
      "{\n  \"major\": \"1\",\n  \"minor\": \"20+\",\n  \"gitVersion\": \"v1.20.5\"\n}");
  EXPECT_EQ(old.version, "v1.20.5");
  EXPECT_FALSE(old.indexed_jobs);
  EXPECT_TRUE(read_server("{\"minor\": \"22\"}").indexed_jobs);
  EXPECT_FALSE(read_server("").indexed_jobs);
}

TEST(Creation, ReadsOneDocumentAfterTheOther) {
  const auto two = read_documents("{\n    \"a\": {\n    }\n}\n{\n    \"a\": \"}\"\n}\n");
  ASSERT_TRUE(two);
  ASSERT_EQ(two->size(), 2U);
  EXPECT_EQ(kubernetes::text_at(two->at(1), "a"), "}");
  EXPECT_EQ(read_documents("").value().size(), 0U);
  EXPECT_FALSE(read_documents("{\n"));
}

TEST(Creation, NamesWhatAServerHasDropped) {
  const auto sent = kubernetes::read_json(
      R"({"kind": "Job", "metadata": {"name": "j"}, "spec": {"ttlSecondsAfterFinished": 9}})");
  const auto stored =
      kubernetes::read_json(R"({"kind": "Job", "metadata": {"name": "j"}, "spec": {"x": 1}})");
  ASSERT_TRUE(sent && stored);
  const auto error = dropped({"v1.20.5"}, *sent, *stored);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->what,
            "the server (v1.20.5) does not know spec.ttlSecondsAfterFinished of Job j, and has "
            "left it out");
  EXPECT_FALSE(dropped({"v1.20.5"}, *sent, *sent));
}

}  // namespace
}  // namespace muster::cluster
