#include <algorithm>
#include <deque>
#include <iomanip>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>
struct Node {
  std::string name;
  std::vector<std::unique_ptr<Node>> children;
  explicit Node(std::string n) : name(std::move(n)) {}
  Node* add(std::string n) { children.push_back(std::make_unique<Node>(std::move(n))); return children.back().get(); }
};
using Value = std::variant<int, double, std::string>;
struct Printer {
  std::ostream& out;
  void operator()(int i) const { out << std::setw(4) << i; }
  void operator()(double d) const { out << std::fixed << d; }
  void operator()(const std::string& s) const { out << std::quoted(s); }
};
std::optional<int> depth(const Node& node, const std::string& name, int at = 0) {
  if (node.name == name) return at;
  for (const auto& child : node.children)
    if (auto found = depth(*child, name, at + 1)) return found;
  return std::nullopt;
}
template <class T> std::vector<T> sorted(std::vector<T> all) { std::sort(all.begin(), all.end()); return all; }
struct Forest {
  std::deque<Node> trees;
  std::vector<std::unique_ptr<Node>> spare;
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& tree : trees) all.insert(tree.name);
    return all;
  }
  std::unique_ptr<Node> last() const { std::unique_ptr<Node> copy = spare.back(); return copy; }
};
int main() {
  Forest forest;
  forest.trees.emplace_back("root").add("leaf")->add("deep");
  std::ostringstream text;
  for (const Value& each : std::vector<Value>{1, 2.5, std::string("x")}) std::visit(Printer{text}, each);
  int later = depth(forest.trees[0], "deep").value_or(-1);
  std::unordered_set<int> seen{1, 2, 3};
  auto numbers = sorted(std::vector<int>(seen.begin(), seen.end()));
  text << std::accumulate(numbers.begin(), numbers.end(), 0) << later << forest.last()->name;
  return text.str().empty();
}
