"""Names of languages: in the endings of files, in whole file names, and in what people write."""

from __future__ import annotations

from typing import Final

#: Languages that outlines read: they have no grammar, or trees without the columns of tables.
OUTLINED: Final = frozenset({"csv", "dimacs", "dot", "psv", "smtlib", "tsv"})

_NAMED_LIKE_THEIR_ENDING: Final = (
    "cmake css csv dart dockerfile elm fish gleam go hcl ispc java lua meson ninja nix odin "
    "org pony prisma properties proto r rego rst scss smali smithy svelte swift tcl thrift "
    "toml tsx vim vue wast wat wgsl yuck"
)
#: The endings of file names. For one that several languages have, a parse decides.
ENDINGS: Final = {
    **{name: f".{name}" for name in _NAMED_LIKE_THEIR_ENDING.split()},
    "ada": ".adb .ads",
    "asm": ".s .asm",
    "bash": ".sh .bash .zsh .ksh .ebuild",
    "bibtex": ".bib",
    "c": ".c .h .i",
    "clojure": ".clj .cljs .cljc .edn",
    "cobol": ".cob .cbl",
    "commonlisp": ".lisp .lsp .cl",
    "cpp": ".cc .cpp .cxx .c++ .hh .hpp .hxx .h .ii .ipp .inl .tpp .cppm .ixx",
    "csharp": ".cs",
    "cuda": ".cu .cuh",
    "d": ".d .di",
    "dimacs": ".cnf .dimacs .wcnf .qdimacs",
    "dot": ".dot .gv",
    "dtd": ".dtd .ent",
    "elisp": ".el",
    "elixir": ".ex .exs",
    "erlang": ".erl .hrl",
    "firrtl": ".fir",
    "fortran": ".f90 .f95 .f03 .f08 .f .for .ftn .f77",
    "fsharp": ".fs .fsx",
    "glsl": ".glsl .vert .frag .comp .geom .tesc .tese .rgen",
    "graphql": ".graphql .gql",
    "groovy": ".groovy .gradle",
    "hare": ".ha",
    "haskell": ".hs",
    "hlsl": ".hlsl .fx",
    "html": ".html .htm .xhtml",
    "ini": ".ini .cfg .conf",
    "javascript": ".js .mjs .cjs .jsx",
    "json": ".json .geojson .ipynb .har .webmanifest",
    "jsonl": ".jsonl .ndjson",
    "jsonnet": ".jsonnet .libsonnet",
    "julia": ".jl",
    "kotlin": ".kt .kts",
    "latex": ".tex .sty .cls",
    "linkerscript": ".ld .lds",
    "llvm": ".ll",
    "make": ".mk .mak",
    "markdown": ".md .markdown .mkd",
    "matlab": ".m",
    "nim": ".nim .nims",
    "objc": ".m .mm",
    "ocaml": ".ml",
    "ocaml_interface": ".mli",
    "pascal": ".pas .pp .dpr .lpr",
    "perl": ".pl .pm .t",
    "php": ".php .phtml",
    "powershell": ".ps1 .psm1 .psd1",
    "puppet": ".pp",
    "purescript": ".purs",
    "python": ".py .pyi .pyw",
    "racket": ".rkt",
    "ruby": ".rb .rake .gemspec",
    "rust": ".rs",
    "scala": ".scala .sbt .sc",
    "scheme": ".scm .ss .sld",
    "smtlib": ".smt2 .smt .sy",
    "solidity": ".sol",
    "sparql": ".rq .sparql",
    "sql": ".sql .ddl .dml",
    "starlark": ".bzl .star",
    "tablegen": ".td",
    "terraform": ".tf .tfvars",
    "tsv": ".tsv .tab",
    "typescript": ".ts .mts .cts",
    "typst": ".typ",
    "verilog": ".v .sv .vh .svh",
    "vhdl": ".vhd .vhdl",
    "xml": ".xml .xsd .xsl .xslt .svg .rss .atom .xul .plist .pom .xmi .wsdl .kml .gpx",
    "yaml": ".yaml .yml",
    "zig": ".zig .zon",
}

#: Names of files without an ending, and of a few with one.
WHOLE_NAMES: Final = {
    "build": "starlark",
    "build.bazel": "starlark",
    "cmakelists.txt": "cmake",
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "go.mod": "gomod",
    "go.sum": "gosum",
    "gnumakefile": "make",
    "kconfig": "kconfig",
    "makefile": "make",
    "meson.build": "meson",
    "rakefile": "ruby",
    "requirements.txt": "requirements",
    "workspace": "starlark",
}

#: Other words for a language: in --format, and after #!, without a version. So are endings.
ALIASES: Final = {
    "c#": "csharp",
    "dash": "bash",
    "golang": "go",
    "graphviz": "dot",
    "node": "javascript",
    "nodejs": "javascript",
    "objective-c": "objc",
    "rscript": "r",
    "shell": "bash",
    "smt-lib": "smtlib",
    "systemverilog": "verilog",
    "tclsh": "tcl",
}
