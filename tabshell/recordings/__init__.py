"""One module per foreign recording format: file -> records; and sessions -> foreign formats."""
