"""`nubbin-bench`, and `python -m nubbin_bench`: where the command starts."""

from nubbin_bench.commands import main

if __name__ == "__main__":
    main()
