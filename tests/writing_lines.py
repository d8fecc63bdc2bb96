"""Command lines that write files of every form, and a folder of files that they could hit."""

from __future__ import annotations

_SCRIPT = "#!/bin/sh\n"
# Programs and files of a user's folder, some of an earlier run.
FILES = {
    "in.txt": "bug\nno bug\n",
    "copy.sh": 'cat "$1" > "$2"; grep -q bug "$2" && exit 3\n',
    "check.sh": 'cat "$1" >/dev/null && . "${0%/*}/lib.sh"\n',
    "lib.sh": "exit 3\n",
    "tool": f'{_SCRIPT}cat "$1"; exit 3\n',
    "words.conf": "bug\n",
    "data.db": "bug\n",
    "add.sh": 'grep -q bug "$2" || exit 1; cat "$1" >>"$2"; exit 3\n',
    "a.out": f"{_SCRIPT}echo old\nexit 3\n",
    "build/out": f"{_SCRIPT}echo old\nexit 3\n",
    "report.out": "mine\n",
    "log.txt": "mine\n",
}
# A compiler: what it makes prints the input and fails.
_CC = "{ echo 'cat <<E'; cat in.txt; echo E; echo exit 3; } > OUT && chmod +x OUT && OUT"


def compiled(out: str, run: str | None = None) -> str:
    return _CC.replace("&& OUT", f"&& {run or out}").replace("OUT", out)


# A command line, and the user's files of which its runs are given copies.
LINES = [
    ("./tool {}", "tool"),
    ("./tool in.txt > log.txt; exit 3", "tool"),
    ("./tool in.txt >> log.txt; exit 3", "tool"),
    ("./tool in.txt > 'log.txt' 2>&1; exit 3", "tool"),
    ("./tool in.txt 2> report.out >/dev/null; exit 3", "tool"),
    ("./tool in.txt | tee log.txt; exit 3", "tool"),
    ("./tool in.txt | tee -a log.txt ./report.out; exit 3", "tool"),
    ("sh copy.sh {} report.out", "copy.sh"),
    ("sh ./copy.sh in.txt ./build/out", "copy.sh"),
    ("sh copy.sh {} build/out && cat build/out; exit 3", "copy.sh"),
    ("cp {} log.txt && ! grep -q bug log.txt", ""),
    ("cp in.txt x.txt && mv x.txt log.txt; grep bug log.txt && exit 3", ""),
    ("OUT=report.out; sh copy.sh in.txt $OUT; cat ./$OUT; exit 3", "copy.sh"),
    ("dd if=in.txt of=report.out status=none; exit 3", ""),
    ("sort --output=report.out in.txt; exit 3", ""),
    ("sort -o report.out in.txt; exit 3", ""),
    ("sort -oreport.out in.txt; exit 3", ""),
    ("cat > report.out <<E\nbug\nE\ngrep -f report.out in.txt && exit 3", ""),
    (compiled("./a.out"), ""),
    (compiled("a.out", "./a.out"), ""),
    (compiled("build/out"), ""),
    ("cat in.txt > $(echo a.out); ! grep -q bug ./a.out", ""),
    ("sed -i s/bug/BUG/ words.conf && ! grep -qi -f words.conf in.txt", "words.conf"),
    ("sh add.sh in.txt data.db", "add.sh data.db"),
    ("D=./data.db; sh add.sh in.txt $D", "add.sh data.db"),
    ("sh check.sh in.txt", "check.sh"),
    ("grep -v -f words.conf in.txt; exit 3", "words.conf"),
]
