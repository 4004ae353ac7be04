"""The sources of papers: one pure parser per kind of answer, and the one HTTP client that fetches them.

`http | bytes | kinds → a parser → ParsedFeed`. A parser never drops an entry silently: what it cannot
read stands in `ParsedFeed.problems`, and an answer that it does not know raises SourceChanged or
UnknownInput.
"""
