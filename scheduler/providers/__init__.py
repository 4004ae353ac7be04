"""Models and translation services behind one port. They know HTTP, and nothing of the archive or the budget."""
