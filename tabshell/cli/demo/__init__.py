"""The demo: a scripted agent in an example workspace."""
