"""A few lines of real code in many languages."""

from __future__ import annotations

SNIPPETS = {
    "c": b"#include <stdio.h>\nstatic int add(int a, int b) { return a + b; }\n"
    b'int main(void) {\n  if (add(1, 2) > 2) { printf("%d", add(3, 4)); }\n  return 0;\n}\n',
    "cpp": b"template <class T> struct Box { T value; int size() const { return 1; } };\n"
    b"int main() { Box<int> box{42}; for (int i = 0; i < box.size(); ++i) box.value += i; }\n",
    "python": b"import os\n\n\ndef greet(name, times=2):\n    for _ in range(times):\n"
    b"        print('hello', name, sep=', ')\n\n\nif os.name:\n    greet('you')\n",
    "javascript": b"const xs = [1, 2, 3];\nfunction twice(f, x) { return f(f(x)); }\n"
    b"console.log(twice((y) => y * xs[1], { a: 1, b: [true, null] }.a));\n",
    "typescript": b"interface P { x: number; y?: string }\ntype Q = P | null;\n"
    b"export const f = (p: P, q: Q): number => (q ? p.x : 0);\n",
    "java": b"class A { int f(int x, int y) { while (x > y) { x--; } return g(x, y, 3); }\n"
    b"  static int g(int... xs) { return xs.length; } }\n",
    "rust": b'fn main() { let v = vec![1, 2, 3]; if v.len() > 2 { println!("{}", v[0] + 1); } }\n',
    "go": b"package main\n\nfunc add(a int, b int) int { return a + b }\n\n"
    b"func main() { if add(1, 2) > 2 { println(add(3, 4)) } }\n",
    "json": b'{"a": [1, 2.5, "three"], "b": {"c": null, "d": [true, false]}, "e": -1}\n',
    "xml": b'<root a="1"><item id="2">text</item><item/><deep><er>x</er></deep></root>\n',
    "yaml": b"a: 1\nlist:\n  - one\n  - two: [x, y]\nmap: {k: v, l: w}\n",
    "css": b"a, b > c { color: red; margin: 0 1px; }\n@media print { p { top: 1px } }\n",
    "sql": b"SELECT a, b + 1 FROM t WHERE x IN (1, 2, 3) ORDER BY a;\nDROP TABLE t;\n",
    "verilog": b"module m(input a, output b);\n  wire w;\n  assign b = a & w;\nendmodule\n",
}
