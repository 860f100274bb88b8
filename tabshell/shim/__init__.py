"""A program named ``bash``: the same run as the real one, and its raw record."""
