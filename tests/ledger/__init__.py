"""Small inputs over all kinds, and the queries that each takes (tests/ledger.csv)."""

#: A row may take so many times its queries, and all rows so many in the geometric mean.
MOST_OF_ROW, MOST_OF_ALL = 1.10, 1.01
