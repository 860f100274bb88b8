"""What commands have in common: options, their defaults, what a shell may complete."""
