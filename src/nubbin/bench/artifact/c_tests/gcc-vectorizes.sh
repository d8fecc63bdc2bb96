#!/bin/sh
# exit 0: gcc vectorizes a loop of the program: the pass that failed on it in 2014.
gcc-12 -w -O3 -fopt-info-vec-optimized -c small.c -o small.o 2>gcc.txt || exit 1
grep -q 'optimized: loop vectorized' gcc.txt
