#include <map>
#include <string>
#include <vector>
struct Point { double x, y; };
struct Shape { virtual ~Shape() = default; virtual double area() const = 0; std::string name; };
struct Polygon : Shape {
  std::vector<Point> points;
  double area() const override {
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) { auto& a = points[i]; auto& b = points[(i + 1) % points.size()]; sum += a.x * b.y - b.x * a.y; }
    return sum / 2;
  }
  void move(double x, double y) { for (auto& p : points) { p.x += x; p.y += y; } }
};
double total(std::map<std::string, Polygon*>& all) { double sum = 0; for (auto& [name, each] : all) { each->move(1, 2); sum += each->area() + name.size(); } return sum; }
int main(int argc, char** argv) { std::map<std::string, Polygon*> all; Polygon p; p.name = argv[0]; p.points.push_back({1, 2}); all[p.name] = &p; return int(total(all)); }
