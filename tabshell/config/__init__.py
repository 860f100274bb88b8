"""A person's defaults: ``config.toml`` to settings that know their line. What they mean is decided in ``cli/``."""
