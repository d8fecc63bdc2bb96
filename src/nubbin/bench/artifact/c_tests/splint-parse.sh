#!/bin/sh
# exit 0: gcc and tcc accept the program, and splint says that it does not parse.
gcc-12 -w -fsyntax-only small.c || exit 1
tcc -w -c small.c -o small.o >/dev/null 2>&1 || exit 1
timeout -s KILL 30 splint -weak small.c >splint.txt 2>&1
grep -q 'Parse Error' splint.txt
