// Paths of outputs that name the run, or lie in a store.
#include "job/output_names.hpp"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

TEST(OutputNames, ExpressionsAreReplacedAndOthersStay) {
  const OutputNames names{"r.s", "blob"};
  EXPECT_EQ(with_names("a/${{name}}/b", names), "a/r.s/b");
  EXPECT_EQ(with_names("${{ default_datastore }}-${{name}}", names), "blob-r.s");
  EXPECT_EQ(with_names("${{name}}${{parent.outputs.x}}${{name}}", names),
            "r.s${{parent.outputs.x}}r.s");
  for (const char* text : {"", "plain", "${{", "${{name", "}}${{name", "${{names}}", "$[[name]]"}) {
    EXPECT_EQ(with_names(text, names), text);
  }
  EXPECT_EQ(other_expression("a/${{name}}"), "");
  EXPECT_EQ(other_expression("${{name}}/${{ parent.outputs.x }}/y"), "${{ parent.outputs.x }}");
  EXPECT_EQ(other_expression("a/${{name"), "${{name");
}

TEST(OutputNames, AStoreIsWhereItIsKnownToBe) {
  std::string asked;
  const FindData find = [&](const std::string& name) -> base::Result<DataFound> {
    asked = name;
    if (name.starts_with("azureml://datastores/blob/"))
      return DataFound{Reached{"/mnt/" + name.substr(26)}};
    if (name.starts_with("wasbs://")) return DataFound{Reached{"https://host/x"}};
    if (name.starts_with("azureml:wrong"))
      return base::fail(base::Fault::bad_file, "h", "it leads nowhere");
    return DataFound{};
  };
  const auto led = [&](const std::string& path) {
    Complaints complaints("f");
    const Text text = led_output({path, {1, 1}, {1, 1}, false}, {"r", "blob"}, find, complaints);
    return complaints.empty() ? text.text : std::move(complaints).take().front().what;
  };
  EXPECT_EQ(led("azureml://datastores/${{default_datastore}}/${{name}}/o"), "/mnt/r/o");
  EXPECT_EQ(asked, "azureml://datastores/blob/r/o");
  EXPECT_EQ(led("azureml://datastores/other/${{name}}"), "azureml://datastores/other/${{name}}");
  EXPECT_EQ(led("out/${{name}}"), "out/r");
  EXPECT_EQ(led("wasbs://c@s/o"),
            "'wasbs://c@s/o' leads to 'https://host/x', where no output can go");
  EXPECT_EQ(led("azureml:wrong"), "it leads nowhere");
  EXPECT_EQ(store_of("azureml:blob"), "blob");
}

}  // namespace
}  // namespace muster::job
