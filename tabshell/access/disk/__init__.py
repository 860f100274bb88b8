"""The machine itself: the real ``Files``, and the witness of opened files. The only part that is not pure."""
