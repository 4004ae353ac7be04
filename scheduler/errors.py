"""Every exception that Paperboy raises on purpose, drawn once.

PaperboyError                 root; `str(error)` is one line that says what happened and what to do next
├── PersonError               somebody in a chat asked for something that cannot be done; told in their language
│   ├── QueryError            a query that cannot be read; carries the query, the place and a query that works
│   └── NotAPaperId           a text that holds no paper id
├── OperatorError             the person who runs Paperboy must change something; exit status 2
│   ├── SettingsError         a wrong or missing setting; names the variable, what was given, what is allowed
│   ├── DatabaseTooNew        the database was written by a newer Paperboy
│   ├── SiteError             the folder of the static site cannot be written; names it and why
│   └── UnknownInput          a file of a kind that no parser knows, or that is not what it was said to be
├── SourceError               a source of papers failed; carries the source; exit status 1
│   ├── SourceUnavailable     not reachable, or a server error; worth trying again
│   ├── SourceThrottled       told to slow down; carries how long, in seconds, where it was said
│   ├── SourceRefused         the request itself was refused (unknown category, date out of range)
│   └── SourceChanged         the answer is not what this parser knows; names what was missing
├── ProviderError             a model or a translation service failed; carries the provider
│   ├── ProviderRefused       key, account, model or address is wrong: useless to go on before it is mended
│   ├── ProviderThrottled     told to slow down; carries how long, in seconds, where it was said
│   ├── ProviderUnavailable   not reachable, too slow, or a server error; worth trying again
│   └── PaperTooLong          the paper does not fit into the model's context
└── StoreError                the database cannot be used (locked, read-only, damaged); exit status 1
    └── AlreadyRunning        another process does this work on this database; says which, and since when

A message never holds a token or a key: whoever raises passes only what may be read by anybody.
"""

from __future__ import annotations


class PaperboyError(Exception):
    """Root of everything raised on purpose."""


class PersonError(PaperboyError):
    """A request that cannot be done as asked."""


class QueryError(PersonError):
    """A query that cannot be read.

    `problem` is a short stable key (see `scheduler.query.PROBLEMS`), `query` the text as given, `position` the
    0-based place of the fault in it, `suggestion` a query that works, and `detail` the piece of text that the
    problem is about ("" where there is none).
    """

    def __init__(self, problem: str, query: str, position: int, suggestion: str, detail: str = "") -> None:
        super().__init__(f"{problem} at {position} in {query!r}; try {suggestion!r}")
        self.problem = problem
        self.query = query
        self.position = position
        self.suggestion = suggestion
        self.detail = detail


class NotAPaperId(PersonError):
    """A text that holds no paper id; `text` is what was given."""

    def __init__(self, text: str) -> None:
        super().__init__(f"no paper id in {text!r}; one looks like 2609.31644 or hep-th/9901001")
        self.text = text


class OperatorError(PaperboyError):
    """Something the operator must change."""


class SettingsError(OperatorError):
    """A wrong or missing setting."""


class DatabaseTooNew(OperatorError):
    """The database was written by a newer Paperboy than this one."""


class SiteError(OperatorError):
    """The folder of the static site cannot be written."""


class UnknownInput(OperatorError):
    """A file of a kind that no parser knows."""


class SourceError(PaperboyError):
    """A source of papers failed; `source` names it."""

    def __init__(self, source: str, message: str) -> None:
        super().__init__(message)
        self.source = source


class SourceUnavailable(SourceError):
    """Not reachable, or a server error."""


class SourceThrottled(SourceError):
    """Told to slow down; `retry_after` in seconds, None where the server did not say."""

    def __init__(self, source: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(source, message)
        self.retry_after = retry_after


class SourceRefused(SourceError):
    """The request itself was refused; `body` is the answer, which may say why in the source's own form."""

    def __init__(self, source: str, message: str, body: bytes = b"") -> None:
        super().__init__(source, message)
        self.body = body


class SourceChanged(SourceError):
    """The answer is not what this parser knows."""


class ProviderError(PaperboyError):
    """A model or a translation service failed; `provider` names it."""

    def __init__(self, provider: str, message: str) -> None:
        super().__init__(message)
        self.provider = provider


class ProviderRefused(ProviderError):
    """The key, the account, the model's name or the address is wrong; the message names the setting to mend."""


class ProviderThrottled(ProviderError):
    """Told to slow down; `retry_after` in seconds, None where the server did not say."""

    def __init__(self, provider: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(provider, message)
        self.retry_after = retry_after


class ProviderUnavailable(ProviderError):
    """Not reachable, too slow, or a server error. `may_be_billed` is true when the request did reach the server."""

    def __init__(self, provider: str, message: str, *, may_be_billed: bool = False) -> None:
        super().__init__(provider, message)
        self.may_be_billed = may_be_billed


class PaperTooLong(ProviderError):
    """The paper does not fit into the model's context."""


class StoreError(PaperboyError):
    """The database cannot be used."""


class AlreadyRunning(StoreError):
    """Another process does the same work on the same database."""
