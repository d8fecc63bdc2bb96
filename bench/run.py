#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Run an experiment: bench/run.py NAME [OPTION ...]; without a name, list them all."""

import sys

from harness.experiment import main

if __name__ == "__main__":
    main(sys.argv[1:])
