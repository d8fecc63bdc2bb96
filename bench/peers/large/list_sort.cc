#include <algorithm>
#include <array>
#include <condition_variable>
#include <functional>
#include <iostream>
#include <iterator>
#include <list>
#include <locale>
#include <map>
#include <mutex>
#include <queue>
#include <regex>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
namespace jobs {
struct Job {
  int priority;
  std::string label;
  std::function<void()> work;
  bool operator<(const Job& other) const { return priority < other.priority; }
};
class Pool {
 public:
  explicit Pool(std::size_t size) {
    for (std::size_t at = 0; at < size; ++at) workers_.emplace_back([this] { loop(); });
  }
  ~Pool() {
    { std::lock_guard<std::mutex> hold(mutex_); done_ = true; }
    ready_.notify_all();
    for (auto& worker : workers_) worker.join();
  }
  void add(Job job) {
    { std::lock_guard<std::mutex> hold(mutex_); waiting_.push(std::move(job)); }
    ready_.notify_one();
  }
 private:
  void loop() {
    for (;;) {
      std::unique_lock<std::mutex> hold(mutex_);
      ready_.wait(hold, [this] { return done_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      auto job = waiting_.top();
      waiting_.pop();
      hold.unlock();
      job.work();
    }
  }
  std::vector<std::thread> workers_;
  std::priority_queue<Job> waiting_;
  std::mutex mutex_;
  std::condition_variable ready_;
  bool done_ = false;
};
}  // namespace jobs
template <class Container> void in_order(Container& all) { std::sort(std::begin(all), std::end(all)); }
std::map<std::string, int> words(const std::string& text) {
  static const std::regex word("[[:alpha:]]+");
  std::map<std::string, int> counted;
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) ++counted[at->str()];
  return counted;
}
int main() {
  std::list<int> numbers;
  std::generate_n(std::back_inserter(numbers), 20, [&] { return int(numbers.size() * 37 % 11); });
  std::array<double, 4> fixed{3, 1, 2, 0};
  in_order(fixed);
  jobs::Pool pool(2);
  pool.add({1, "count", [] { for (auto& [word, times] : words("a b a")) std::cout << word << times << '\n'; }});
  in_order(numbers);
  std::cout << numbers.front() << '\n';
}
