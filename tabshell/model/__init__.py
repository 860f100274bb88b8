"""The types that pass between rooms. No dict crosses a wall; everything here is frozen.

``records``   what a door hands in: one command or one file-tool call, with what was shown
``accesses``  what the classifier says of a record: read, searched, listed, wrote, and why
``facts``     what the store keeps, insert-only; ids and turns are numbered by the store
``state``     what the facts add up to: the tab, its turns, entries, candidates
``files``     the one Protocol through which pure code asks the disk
"""
