#!/bin/sh
# exit 0: gcc accepts the program, and tcc rejects the initializer of a vector.
gcc-12 -w -fsyntax-only small.c || exit 1
tcc -w -c small.c -o small.o 2>tcc.txt && exit 1
grep -q "error: '}' expected (got \",\")" tcc.txt
