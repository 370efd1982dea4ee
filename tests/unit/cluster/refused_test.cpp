// What kubectl says becomes one line with what to do.
#include <gtest/gtest.h>

#include "cluster/kubectl.hpp"

namespace muster::cluster {
namespace {

TEST(Refused, NamesUserVerbAndNamespace) {
  const Refused one = refused(
      "Error from server (Forbidden): error when creating \"STDIN\": secrets is forbidden: User "
      "\"ann\" cannot create resource \"secrets\" in API group \"\" in the namespace \"team\"\n",
      {"", "team"});
  EXPECT_EQ(one.kind, Refusal::forbidden);
  EXPECT_EQ(one.error.what, "the user ann may not create secrets in the namespace team");
  EXPECT_NE(one.error.hint.find("role.yaml"), std::string::npos);
}

TEST(Refused, TellsAQuotaFromARight) {
  const Refused one = refused(
      "Error from server (Forbidden): pods \"x\" is forbidden: exceeded quota: small, requested: "
      "cpu=2, used: cpu=3, limited: cpu=4\n",
      {"", "team"});
  EXPECT_EQ(one.kind, Refusal::quota);
  EXPECT_EQ(one.error.fault, base::Fault::no_slots);
  EXPECT_EQ(one.error.hint, "kubectl describe quota -n team");
}

TEST(Refused, KnowsThatNobodyAnswers) {
  for (const char* said :
       {"The connection to the server 127.0.0.1:6443 was refused - did you specify the right host "
        "or port?\n",
        "Unable to connect to the server: dial tcp 10.0.0.1:443: i/o timeout\n",
        "Error from server (ServiceUnavailable): the server is currently unable to handle the "
        "request\n",
        "error: http2: client connection lost\n"}) {
    EXPECT_EQ(refused(said, {}).kind, Refusal::unreachable) << said;
  }
}

TEST(Refused, KnowsThatThereIsNoConfiguration) {
  const Refused one = refused(
      "The connection to the server localhost:8080 was refused - did you specify the right "
      "host or port?\n",
      {});
  EXPECT_NE(one.error.hint.find("KUBECONFIG"), std::string::npos);
}

TEST(Refused, KnowsNamesThatAreMissingOrTaken) {
  EXPECT_EQ(refused("Error from server (NotFound): jobs.batch \"x\" not found\n", {}).kind,
            Refusal::absent);
  EXPECT_EQ(refused("Error from server (AlreadyExists): error when creating \"STDIN\": secrets "
                    "\"x\" already exists\n",
                    {})
                .kind,
            Refusal::exists);
  EXPECT_EQ(refused("error: context \"lab\" does not exist\n", {"lab", ""}).error.fault,
            base::Fault::usage);
  EXPECT_EQ(refused("Error from server (NotFound): error when creating \"STDIN\": namespaces "
                    "\"team\" not found\n",
                    {})
                .error.fault,
            base::Fault::usage);
}

TEST(Refused, KeepsTheServersWords) {
  const Refused one = refused(
      "Warning: old\nThe Job \"x\" is invalid: spec.template: Required value: must be set\n", {});
  EXPECT_EQ(one.kind, Refusal::invalid);
  EXPECT_EQ(one.error.what,
            "the cluster does not take it: The Job \"x\" is invalid: spec.template: Required "
            "value: must be set");
  EXPECT_EQ(refused("", {}).error.what, "kubectl: it failed and said nothing");
}

TEST(Kubectl, SaysThatItIsNotThere) {
  const Kubectl kubectl({}, {"PATH=/nowhere"});
  const auto answer = kubectl.ask({"get", "pods"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Refusal::no_program);
  EXPECT_EQ(answer.error().error.what, "there is no kubectl here");
}

}  // namespace
}  // namespace muster::cluster
