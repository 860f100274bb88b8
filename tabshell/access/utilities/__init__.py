"""What each utility does to files, by kind: readers, searchers, listers, extractors, writers, wrappers."""
