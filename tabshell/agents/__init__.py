"""One module per agent: how to start it, how to unwrap its commands, its hooks in and out."""
