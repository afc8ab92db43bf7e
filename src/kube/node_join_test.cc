#include "kube/node_join.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "=a(i-1),b" the whole list with provider ids, "+a(…)" an upsert, "-a" an erasure.
class Notes final : public ports::NodeObserver {
 public:
  std::vector<std::string> told;
  std::vector<model::NodeView> views;

  void replace_all(std::vector<model::NodeView> nodes) override {
    std::string all = "=";
    for (const auto& node : nodes) {
      all += (all.size() > 1 ? "," : "") + text(node);
    }
    told.push_back(all);
  }
  void upsert(model::NodeView node) override {
    told.push_back("+" + text(node));
    views.push_back(std::move(node));
  }
  void erase(const model::NodeName& name) override { told.push_back("-" + name.str()); }

 private:
  static std::string text(const model::NodeView& node) {
    return node.provider_id.empty() ? node.name.str() : node.name.str() + "(" + node.provider_id + ")";
  }
};

model::NodeView view(const std::string& name, const std::string& instance = "") {
  model::NodeView node;
  node.name = model::NodeName(name);
  node.instance = model::InstanceId(instance);
  return node;
}
NodeFacts facts(const std::string& name, const std::string& provider_id) {
  return {.name = model::NodeName(name), .provider_id = provider_id, .undecodable = ""};
}

class NodeJoinTest : public testing::Test {
 protected:
  void both() {
    join_.replace({view("a"), view("b")});
    join_.replace({facts("a", "p-a"), facts("x", "p-x")});
    notes_.told.clear();
  }

  Notes notes_;
  NodeJoin join_{notes_};
};

TEST_F(NodeJoinTest, says_nothing_until_both_lists_are_there_whichever_comes_first) {
  join_.replace({view("b"), view("a")});
  join_.upsert(view("c"));
  join_.erase(view("b"));
  join_.upsert(facts("c", "early"));
  EXPECT_THAT(notes_.told, IsEmpty());
  join_.replace({facts("a", "p-a")});
  EXPECT_THAT(notes_.told, ElementsAre("=a(p-a),c"));

  Notes notes;
  NodeJoin other(notes);
  other.replace({facts("a", "p-a")});
  other.upsert(facts("b", "p-b"));
  EXPECT_THAT(notes.told, IsEmpty());
  other.replace({view("a"), view("b")});
  EXPECT_THAT(notes.told, ElementsAre("=a(p-a),b(p-b)"));
}

TEST_F(NodeJoinTest, an_empty_cluster_is_told_too) {
  join_.replace(std::vector<model::NodeView>());
  join_.replace(std::vector<NodeFacts>());
  EXPECT_THAT(notes_.told, ElementsAre("="));
}

TEST_F(NodeJoinTest, a_change_of_nothing_in_the_view_is_no_change) {
  both();
  join_.upsert(view("a"));
  join_.upsert(facts("a", "p-a"));
  join_.replace({view("b"), view("a")});
  join_.replace({facts("a", "p-a")});
  EXPECT_THAT(notes_.told, IsEmpty());
}

TEST_F(NodeJoinTest, changes_of_either_half_are_told) {
  both();
  join_.upsert(view("a", "i-1"));
  join_.upsert(facts("b", "p-b"));
  join_.upsert(view("c"));
  join_.erase(facts("a", ""));
  join_.erase(view("b"));
  join_.erase(view("b"));
  EXPECT_THAT(notes_.told, ElementsAre("+a(p-a)", "+b(p-b)", "+c", "+a", "-b"));
}

TEST_F(NodeJoinTest, a_node_without_a_cilium_node_is_not_told_but_remembered) {
  both();
  join_.upsert(facts("y", "p-y"));
  join_.erase(facts("z", ""));
  EXPECT_THAT(notes_.told, IsEmpty());
  join_.upsert(view("x"));
  join_.upsert(view("y"));
  EXPECT_THAT(notes_.told, ElementsAre("+x(p-x)", "+y(p-y)"));
}

TEST_F(NodeJoinTest, a_second_list_is_told_as_what_it_changes) {
  both();
  join_.replace({view("b", "i-2"), view("c"), view("c", "i-9")});
  EXPECT_THAT(notes_.told, ElementsAre("-a", "+b", "+c"));
  notes_.told.clear();
  join_.replace({facts("c", "p-c")});
  EXPECT_THAT(notes_.told, ElementsAre("+c(p-c)"));
}

TEST_F(NodeJoinTest, either_half_can_make_a_view_undecodable_and_mend_it) {
  both();
  model::NodeView broken = view("a");
  broken.undecodable = "spec is wrong";
  join_.upsert(broken);
  join_.upsert(view("a"));
  join_.upsert(
      NodeFacts{.name = model::NodeName("a"), .provider_id = "", .undecodable = "the Node is wrong"});
  join_.upsert(facts("a", "p-a"));
  ASSERT_EQ(notes_.views.size(), 4U);
  EXPECT_EQ(notes_.views[0], broken);
  EXPECT_EQ(notes_.views[1].undecodable, "");
  EXPECT_EQ(notes_.views[2].undecodable, "the Node is wrong");
  EXPECT_EQ(notes_.views[3].provider_id, "p-a");
}

}  // namespace
}  // namespace berth::kube
