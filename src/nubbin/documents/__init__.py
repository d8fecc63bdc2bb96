"""What are the elements? Bytes, lines, characters, tokens."""
