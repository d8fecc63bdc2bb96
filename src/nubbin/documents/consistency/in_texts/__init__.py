"""Find dependent numbers in texts.

Sources yield lists: those that a number before them counts (`counted_lists`), and those that are
found without one (`listed`, `arrays`). Numbers are read once, as the text is: in lines outside of
lists, and in columns of lists. `join` relates the lists with the numbers: a number counts a list, a
column has positions in one, or names. What may be chance is left out, by its evidence in bits.

Names that are numbers in sequence (`sequences`) and lengths in bytes (`lengths`) need no lists.
"""
