"""Make the large inputs that `peers/equal_queries` is given as cases in FOLDER.

    bench/run.py peers/large_inputs FOLDER [--only NAME ...]

Needs g++, clang-14, binutils, node, npm, pip, Debian's fonts-liberation, and in JAVA_HOME a JDK 21
or later with its src.zip. Our programs are in peers/large. Packages come from PyPI and npm by name
and version, into FOLDER/packages.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.experiment import BENCH
from nubbin_bench.cases import Case, write_case

#: The programs of ours that inputs are made of.
PROGRAMS = BENCH / "peers" / "large"
_FONT = "/usr/share/fonts/truetype/liberation/LiberationSerif-Italic.ttf"
_GGML = "llama_cpp_python-0.3.36/vendor/llama.cpp/ggml"
#: What fetches a package into the folder of packages, unless it is there.
_WHEEL = "[ -d {0} ] || pip -q install --no-compile --no-deps --target . {0}=={1}"
_NPM = (
    "[ -d {0} ] || {{ npm pack {1} && mkdir {0} && tar xf {0}-*.tgz -C {0} --strip-components 1; }}"
)
_SOURCE = """[ -d llama_cpp_python-0.3.36 ] || {
  pip -q download --no-deps --no-binary llama-cpp-python llama-cpp-python==0.3.36
  tar xf llama_cpp_python-0.3.36.tar.gz
  printf '#define GGML_VERSION "0"\\n#define GGML_COMMIT "0"\\n' >$GGML/src/ggml-version.h
}
ggml="-D_GNU_SOURCE -I $GGML/include -I $GGML/src $GGML/src/ggml.c"
"""
_BUNDLED = """#!/bin/sh
out=$(mktemp -d)
$PACKAGES/esbuild-linux-x64/bin/esbuild src/{0}.ts --bundle --define:__DEV__=true \\
  --platform=node --log-level=error --outfile=$out/it.js &&
  node -e 'const it = require(process.argv[1]); {1}' $out/it.js 2>&1 | grep '{2}'
status=$?
rm -r $out
exit $status
"""
_PYTEST = """#!/bin/sh
export PYTHONPATH=$PWD:$PACKAGES/tools PYTHONDONTWRITEBYTECODE=1
python3 -m pytest -p no:cacheprovider -q {0} 2>&1 | grep '{1}'
"""
_OPT = """#!/bin/sh
/usr/lib/llvm-14/bin/opt -passes='function(slp-vectorizer)' -pass-remarks=slp-vectorizer \\
  -disable-output {0} 2>&1 | grep 'Stores SLP vectorized with cost {1}'
"""
_JAVAC = """#!/bin/sh
out=$(mktemp -d)
trap 'rm -r $out' EXIT
$JAVA_HOME/bin/javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -proc:none -Xlint:this-escape \
  -d $out --patch-module {0}=src $(find src -name '*.java') 2>&1 | grep "{1}"
"""
_WARNED = """#!/bin/sh
export LC_ALL=C
{0} -fsyntax-only {1} 2>&1 | grep '{2}'
"""


class Recipe(NamedTuple):
    """How a case is made.

    `fetch` is a shell script that runs in the folder of packages, `make` one that runs there after
    it and makes `$INPUT`. `$PROGRAMS` is the folder of our programs.
    """

    input: str
    make: str
    test: str
    fetch: str = ""


RECIPES = {
    "unique_ptr": Recipe(
        "vec.ii",
        "g++ -std=c++17 -E -P $PROGRAMS/unique_ptr.cc -o $INPUT",
        _WARNED.format(
            "g++ -std=c++17",
            "vec.ii",
            "use of deleted function .std::unique_ptr<_Tp, _Dp>::unique_ptr(const",
        ),
    ),
    "list_sort": Recipe(
        "lists.ii",
        "clang-14 -x c++ -std=c++17 -E $PROGRAMS/list_sort.cc -o $INPUT",
        _WARNED.format(
            "clang-14 -x c++ -std=c++17",
            "lists.ii",
            "invalid operands to binary expression (.std::_List_iterator<int>. and "
            ".std::_List_iterator<int>.)",
        ),
    ),
    "wrapt_cast": Recipe(
        "wrappers.i",
        "gcc -E $(python3-config --includes) wrapt/_wrappers.c -o $INPUT",
        _WARNED.format(
            "gcc -Wextra",
            "wrappers.i",
            "cast between incompatible function types from .PyObject [*] ([*])"
            "(WraptFunctionWrapperObject [*], PyObject [*], PyObject [*])",
        ),
        _WHEEL.format("wrapt", "2.1.2"),
    ),
    "ggml_half": Recipe(
        "ggml.i",
        "gcc -E -P $ggml -o $INPUT",
        _WARNED.format(
            "gcc -Wconversion",
            "ggml.i",
            "conversion from .uint32_t. {aka .unsigned int.} to .ggml_fp16_t. {aka .short unsigned "
            "int.} may change value",
        ),
        _SOURCE,
    ),
    "slp_ggml": Recipe(
        "ggml.ll",
        "clang-14 -S -emit-llvm -g -O1 -w $ggml -o $INPUT",
        _OPT.format("ggml.ll", "-5 and with tree size 15"),
        _SOURCE,
    ),
    "slp_shapes": Recipe(
        "small.ll",
        "clang-14 -x c++ -S -emit-llvm -g -O1 -std=c++17 $PROGRAMS/slp_shapes.cc -o $INPUT",
        _OPT.format("small.ll", "-4 and with tree size 4"),
    ),
    "toolz_sample": Recipe(
        "toolz",
        "cp -r toolz $INPUT",
        _PYTEST.format("toolz", "TypeError: The only supported seed types are"),
        _WHEEL.format("toolz", "0.11.1"),
    ),
    "mpmath_numpy": Recipe(
        "mpmath",
        "cp -r mpmath $INPUT",
        _PYTEST.format("mpmath/tests/test_con*.py", "assert np.float16"),
        _WHEEL.format("mpmath", "1.2.1"),
    ),
    "mobx_set": Recipe(
        "src",
        "cp -r mobx/src $INPUT",
        _BUNDLED.format(
            "mobx",
            "it.observable.set([1]).intersection(new Map())",
            "TypeError: .*intersection is not a function",
        ),
        _NPM.format("mobx", "mobx@7.1.3"),
    ),
    "immer_map": Recipe(
        "src",
        "cp -r immer/src $INPUT",
        _BUNDLED.format(
            "immer",
            "it.produce({a: {b: new Map([[1, {c: 2}]])}}, (draft) => { draft.a.b.get(1).c = 3 })",
            "Error: .*MapSet",
        ),
        _NPM.format("immer", "immer@11.2.10"),
    ),
    "java_logging": Recipe(
        "src",
        "unzip -q $JAVA_HOME/lib/src.zip 'java.logging/*' && mv java.logging $INPUT",
        _JAVAC.format("java.logging", "FileHandler.java:.*possible .this. escape before"),
    ),
    "serif_kern": Recipe(
        "serif.ttf",
        f"cp {_FONT} $INPUT",
        "#!/bin/sh\nexport PYTHONPATH=$PACKAGES/tools\n"
        "python3 $PROGRAMS/kerning.py serif.ttf | grep '^kerned'\n",
    ),
    "dwarf_cpy": Recipe(
        "ggml.o",
        "gcc -g -O1 -c -w $ggml -o $INPUT",
        "#!/bin/sh\nreadelf --debug-dump=info ggml.o 2>/dev/null | grep -A 9 DW_TAG_subprogram |\n"
        "  grep 'DW_AT_name .*: ggml_graph_cpy$'\n",
        _SOURCE,
    ),
}

#: What tests run: the packages are for the Python that is first on the PATH.
_TOOLS = f"""[ -d tools ] || pip -q install --target tools pytest==8.3.3 pillow
{_NPM.format("esbuild-linux-x64", "@esbuild/linux-x64@0.21.5")}"""


def made(folder: Path, name: str) -> Case:
    """Make a case in `folder`; CalledProcessError if a command of its recipe fails."""
    recipe, case, packages = RECIPES[name], folder / name, folder / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    test = recipe.test.replace("$PACKAGES", str(packages)).replace("$PROGRAMS", str(PROGRAMS))
    names = {"GGML": _GGML, "PROGRAMS": str(PROGRAMS), "INPUT": str(case / recipe.input)}
    case.mkdir(exist_ok=True)
    subprocess.run(
        ["bash", "-ec", "\n".join([_TOOLS, recipe.fetch, recipe.make])],
        cwd=packages,
        env=os.environ | names,
        check=True,
    )
    return write_case(
        case, recipe.input, None, test, about="made by bench/run.py peers/large_inputs"
    )


def experiment(folder: Path, *, only: Sequence[str] = ()) -> Iterator[str]:
    for name in only or RECIPES:
        case = made(folder.resolve(), name)
        yield f"{name}: {case.input}"
