#!/bin/sh
# c_test.sh MESSAGE COMMAND: exit 0: gcc accepts small.c, and COMMAND prints a MESSAGE about it.
# MESSAGE is a regular expression. COMMAND gets small.c as its last argument.
# Some of the compilers hash addresses, which setarch keeps the same in every run.
gcc-12 -w -fsyntax-only small.c || exit 1
# shellcheck disable=SC2086 # a command is several words
setarch -R timeout -s KILL 30 $2 small.c >output.txt 2>&1
grep -q -e "$1" output.txt
