"""Digests, papers, searches and queries as blocks, and a digest as text, Markdown, HTML or JSON. Pure."""
