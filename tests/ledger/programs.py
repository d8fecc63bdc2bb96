"""Programs in many languages: functions that call others, of which a few matter."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ledger.readers import case, nested


@dataclass(frozen=True)
class Language:
    """How a language writes a function, and the whole of a program.

    `function` has the places {f}, {g} (a function before it) and {n}; `program` has {body} and
    {last}; `head` stands before the name of a function where it is defined.
    """

    file: str
    function: str
    program: str
    head: str


LANGUAGES = [
    Language(
        "calls.c",
        "static int {f}(int a) {{\n  int b = a * {n};\n  if (b > {n}) {{ b -= {g}(a + 1); }}\n"
        "  return b;\n}}\n",
        "#include <stdio.h>\nint f0(int a) {{ return a; }}\n{body}int main(void) {{\n"
        '  printf("%d", {last}(3));\n  return 0;\n}}\n',
        "int ",
    ),
    Language(
        "boxes.cpp",
        "template <class T> struct {f} : {g}<T> {{\n  T value = {n};\n"
        "  auto get() const {{ return value + {g}<T>::size; }}\n}};\n",
        "template <class T> struct f0 {{ static const int size = 1; T value; }};\n{body}"
        "int main() {{ {last}<int> box; return box.get(); }}\n",
        "struct ",
    ),
    Language(
        "Calls.java",
        "  static int {f}(int a) {{\n    for (int i = 0; i < {n}; i++) a += {g}(i);\n"
        "    return a;\n  }}\n",
        "class Calls {{\n  static int f0(int a) {{ return a; }}\n{body}"
        "  public static void main(String[] args) {{ System.out.println({last}(1)); }}\n}}\n",
        "int ",
    ),
    Language(
        "calls.js",
        "function {f}(a, b = {n}) {{\n  const c = [a, b].map((x) => {g}(x));\n"
        "  return c.length > {n} ? c : {{ key: c }};\n}}\n",
        'function f0(a) {{ return a; }}\n{body}console.log({last}("text"));\n',
        "function ",
    ),
    Language(
        "calls.ts",
        "export function {f}(a: number): number {{\n  const b: number[] = [a, {n}];\n"
        "  return {g}(b.length);\n}}\n",
        "function f0(a: number): number {{ return a; }}\n{body}const last: number = {last}(4);\n",
        "function ",
    ),
    Language(
        "calls.go",
        "func {f}(a int) int {{\n\tif a > {n} {{\n\t\treturn {g}(a - 1)\n\t}}\n\treturn a\n}}\n",
        "package main\n\nfunc f0(a int) int {{ return a }}\n{body}\n"
        "func main() {{\n\tprintln({last}(9))\n}}\n",
        "func ",
    ),
    Language(
        "calls.rs",
        "fn {f}(a: u32) -> u32 {{\n    let b = vec![a, {n}];\n    match b.len() {{\n"
        "        {n} => {g}(a),\n        _ => a,\n    }}\n}}\n",
        'fn f0(a: u32) -> u32 {{ a }}\n{body}fn main() {{ println!("{{}}", {last}(7)); }}\n',
        "fn ",
    ),
    Language(
        "calls.rb",
        "def {f}(a)\n  b = [a, {n}].map do |x| {g}(x) end\n  b.size\nend\n",
        "def f0(a)\n  a\nend\n{body}puts {last}(2)\n",
        "def ",
    ),
    Language(
        "calls.php",
        "function {f}($a) {{\n  $b = ['k' => $a, 'n' => {n}];\n  return {g}($b['n']);\n}}\n",
        "<?php\nfunction f0($a) {{ return $a; }}\n{body}echo {last}(3);\n",
        "function ",
    ),
    Language(
        "calls.lua",
        "local function {f}(a)\n  local t = {{ a, {n}, key = {g}(a) }}\n  return #t\nend\n",
        "local function f0(a) return a end\n{body}print({last}(5))\n",
        "function ",
    ),
    Language(
        "Calls.cs",
        "  static int {f}(int a) {{\n    var b = new[] {{ a, {n} }};\n"
        "    return {g}(b.Length);\n  }}\n",
        "class Calls {{\n  static int f0(int a) {{ return a; }}\n{body}"
        "  static void Main() {{ System.Console.Write({last}(1)); }}\n}}\n",
        "int ",
    ),
    Language(
        "Calls.kt",
        "fun {f}(a: Int): Int {{\n  val b = listOf(a, {n})\n"
        "  return if (a > {n}) {g}(b.size) else a\n}}\n",
        "fun f0(a: Int): Int {{ return a }}\n{body}fun main() {{ println({last}(1)) }}\n",
        "fun ",
    ),
    Language(
        "calls.swift",
        "func {f}(_ a: Int) -> Int {{\n  let b = [a, {n}]\n"
        "  guard b.count > {n} else {{ return a }}\n"
        "  return {g}(b[0])\n}}\n",
        "func f0(_ a: Int) -> Int {{ return a }}\n{body}print({last}(1))\n",
        "func ",
    ),
    Language(
        "Calls.scala",
        "  def {f}(a: Int): Int = {{\n    val b = List(a, {n})\n    b.map(x => {g}(x)).sum\n  }}\n",
        "object Calls {{\n  def f0(a: Int): Int = a\n{body}"
        "  def main(args: Array[String]): Unit = println({last}(1))\n}}\n",
        "def ",
    ),
    Language(
        "calls.pl",
        "sub {f} {{\n  my ($a) = @_;\n  my %h = (k => $a, n => {n});\n  return {g}($h{{n}});\n}}\n",
        "use strict;\nsub f0 {{ return $_[0]; }}\n{body}print {last}(1);\n",
        "sub ",
    ),
    Language(
        "calls.sh",
        '{f}() {{\n  local a=$1\n  if [ "$a" -gt {n} ]; then\n    {g} "$a"\n  fi\n}}\n',
        "f0() {{ echo done; }}\n{body}{last} 9\n",
        r"\n",
    ),
    Language(
        "Calls.hs",
        "{f} :: Int -> Int\n{f} a = let b = a + {n} in if b > {n} then {g} b else a\n",
        "module Main where\n\nf0 :: Int -> Int\nf0 a = a\n{body}\nmain = print ({last} 3)\n",
        r"\n",
    ),
    Language(
        "calls.ml",
        "let {f} a =\n  let b = [a; {n}] in\n  match b with\n  | [] -> {n}\n  | x :: _ -> {g} x\n",
        "let f0 a = a\n{body}let () = print_int ({last} 2)\n",
        "let ",
    ),
    Language(
        "calls.f90",
        "integer function {f}(a)\n  integer :: a\n  if (a > {n}) then\n    {f} = {g}(a)\n"
        "  else\n    {f} = {n}\n  end if\nend function\n",
        "integer function f0(a)\n  integer :: a\n  f0 = a\nend function\n{body}"
        "program p\n  print *, {last}(1)\nend program\n",
        "function ",
    ),
    Language(
        "gates.v",
        "module {f}(input a, output b);\n  wire [{n}:0] w;\n  {g} u(a, w[0]);\n"
        "  assign b = w[0] & a;\nendmodule\n",
        "module f0(input a, output b);\n  assign b = a;\nendmodule\n{body}"
        "module top(input a, output b);\n  {last} u(a, b);\nendmodule\n",
        "module ",
    ),
]


def program(language: Language, functions: int = 24) -> str:
    """Return functions that call each another; the last calls the half of them, in a chain."""
    body = "".join(
        language.function.format(f=f"f{i}", g=f"f{i // 2}", n=i) for i in range(1, functions + 1)
    )
    return language.program.format(body=body, last=f"f{functions}")


def calls(language: Language) -> Callable[[bytes], bool]:
    """Return the test: brackets nest, all functions are defined, f12 calls f6, and that f3."""

    def test(data: bytes) -> bool:
        text = nested("\n" + data.decode())
        defined = {*re.findall(rf"{language.head}(f\d+)\b", text)}
        if {*re.findall(r"\bf\d+\b", text)} != defined:
            raise ValueError("a function that nobody defines")
        return bool(re.search(CHAIN, text))

    return test


#: Of f6 its call of f3, and later, of f12 its call of f6.
CHAIN = r"(?s)\bf6\b(?:(?!\bf\d)(?!\n\n).)*\bf3\b.*\bf12\b(?:(?!\bf\d).)*\bf6\b"


def helpers() -> str:
    """Return C with many small functions that only main calls; one writes past its array."""
    made = [f"static int f{i}(int a) {{ return a * {i} + 1; }}" for i in range(100)]
    made[61] = "static int f61(int a) { int b[3]; b[a + 3] = a; return b[0]; }"
    calls = [f"  s += f{i}({i % 7});" for i in range(100)]
    return "\n".join([*made, "int main(void) {", "  int s = 0;", *calls, "  return s;", "}"]) + "\n"


def overrun(data: bytes) -> bool:
    """All that main calls is defined, with the names that it uses; f61 is called, and overruns."""
    text = nested(data.decode())
    functions = dict(re.findall(r"\bint (\w+)\(([^()]*\) ?\{[^{}]*\})", text))
    rest = re.sub(r"(static )?\bint \w+\([^()]*\) ?\{[^{}]*\}", "", text)
    if rest.strip() or not {*re.findall(r"\b(f\d+)\(", functions["main"])} <= {*functions}:
        raise ValueError("not defined")
    for body in functions.values():
        used = (
            {*re.findall(r"[a-z_]\w*", body)} - {"static", "int", "void", "return"} - {*functions}
        )
        if not used <= {*re.findall(r"\bint (\w+)", body)} or re.search(r"[^;{}\s]\s*\}", body):
            raise ValueError("not declared")
    overruns = re.search(r"int b\[(\d)\];.*b\[a ?\+ ?(\d)\]", functions.get("f61", ""))
    called = re.search(r"\bf61\(\d", functions["main"])
    return bool(called and overruns and overruns[1] <= overruns[2])


CASES = [
    case("helpers.c", "program", helpers(), overrun, "equal edits that all succeed"),
    *(case(each.file, "program", program(each), calls(each)) for each in LANGUAGES),
]
