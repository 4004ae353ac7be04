"""Measurements against named peers: `python -m tests.bench [NAME …]`. Never a timed test of the suite."""
