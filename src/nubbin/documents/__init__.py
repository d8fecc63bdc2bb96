"""What are the elements? Bytes, lines, characters, tokens, syntax trees, and edits of them."""
