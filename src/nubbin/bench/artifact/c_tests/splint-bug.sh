#!/bin/sh
# exit 0: gcc accepts the program, and splint stops with an internal error.
gcc-12 -w -fsyntax-only small.c || exit 1
timeout -s KILL 30 splint -weak small.c >splint.txt 2>&1
grep -q '\*\*\* Internal Bug at llerror.c' splint.txt
