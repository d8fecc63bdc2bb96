"""Trees without a grammar: what columns, indents, records and brackets show."""
