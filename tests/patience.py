"""How long tests wait for what must happen: as long as the slowest machine may need, for waiting ends when it has."""

PATIENCE = 60.0
"""Seconds."""
