"""What a command says it does: the abstract walk over its statements -> ``acts.Doings``."""
