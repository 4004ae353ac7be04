"""`paperboy site`: the archive as a folder of static pages and feeds.

archive ─ fingerprint | days ─▶ pages, feeds, search index ─▶ folder (only what changed)
"""
