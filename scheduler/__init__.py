"""Everything that would still be true with no chat platform: sources, archive, matching, digests, timetable."""
