"""One record in, accesses out: which files were read, searched, listed, written, and why.

Two sides meet in ``classify``: what the command *says* (``syntax`` walks the tree and asks
``utilities`` what each simple command does; the result are ``acts``) and what the output *shows*
(``listing`` finds paths, ``attribute`` finds content). All of it is pure; the disk is asked through
``model.files.Files``.
"""
