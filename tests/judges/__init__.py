"""Judges that are not ours: the platforms' own readers of what we write."""
