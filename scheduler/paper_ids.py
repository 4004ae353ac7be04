"""Paper ids: one normaliser for everything a person pastes or a source sends, and the links that an id gives.

An arXiv id is `YYMM.NNNN` (0704 to 1412), `YYMM.NNNNN` (since 1501; six digits are announced as possible) or
`archive/YYMMNNN` (to 0703), with an optional `vN` (arXiv help, "Understanding the arXiv identifier"). The old
form's subject class is no part of it (`math.GT/0309136` is `math/0309136`), its archive is:
`quant-ph/0112019` and `astro-ph/0112019` are two papers. Ids of other sources are `doi:10.…` in lower case
(DOI names ignore case), and `url:…` for a feed's entry that has no id of its own.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, unquote, urlsplit

from scheduler.errors import NotAPaperId
from scheduler.models import PaperId

_ARCHIVES = """
acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas cond-mat cs dg-ga
funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics
plasm-ph q-alg q-bio quant-ph solv-int supr-con
"""
OLD_ARCHIVES = frozenset(_ARCHIVES.split())
"""Every archive that gave out old-style ids (arXiv help, "Archives", with the subsumed ones)."""

PAPER_HOSTS = (
    "arxiv.org",
    "alphaxiv.org",
    "ar5iv.org",
    "huggingface.co",
    "hf.co",
    "papers.cool",
    "scirate.com",
    "semanticscholar.org",
    "doi.org",
    "biorxiv.org",
    "medrxiv.org",
)
"""Sites whose addresses hold paper ids; their subdomains count too (`export.arxiv.org`)."""

_NEW = r"(?P<yymm>\d{4})\.(?P<number>\d{4,6})"
_OLD = r"(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2}|\.[a-z]+-[a-z]+)?/(?P<old>\d{7})"
_CORE = rf"(?:{_NEW}|{_OLD})(?:v(?P<version>[1-9]\d{{0,3}}))?(?![0-9])"
_FLAGS = re.IGNORECASE | re.ASCII
_ID = re.compile(rf"(?:arxiv\s*[:.]?\s*|oai:arxiv\.org:)?{_CORE}", _FLAGS)
_IN_PATH = re.compile(rf"(?:^|[/:.=])(?:arxiv[.:])?{_CORE}(?=$|[/?#&.])", _FLAGS)
_DOI = re.compile(r"(?:doi\s*[:.]?\s*)?(10\.\d{4,9}/[^\s<>\"]+)", _FLAGS)
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.{_CORE}", _FLAGS)
_PREPRINT = re.compile(r"(10\.\d{4,9}/\d[\d.]+\d)(?:v([1-9]\d{0,2}))?", _FLAGS)
_CATEGORY_TAIL = re.compile(r"\s*\[[a-z.-]{2,20}\]$", _FLAGS)
_HOSTS = "|".join(re.escape(host) for host in PAPER_HOSTS)
_MENTION = re.compile(
    rf"""(?P<url>(?:https?://|(?<![\w@./-])(?:[a-z0-9-]+\.){{0,3}}(?:{_HOSTS})/)[^\s<>"'，。；、（）「」]+)"""
    rf"""|(?<![A-Za-z0-9./_-])(?P<doi>(?:doi:\s*)?10\.\d{{4,9}}/[^\s<>"，。；、（）「」]+)"""
    rf"""|(?<![A-Za-z0-9./_-])(?P<id>(?:arxiv:\s*|oai:arxiv\.org:)?{_CORE}(?![A-Za-z0-9/_]))""",
    _FLAGS,
)
_LONGEST = 1000
"""No id, and no address of a paper, is longer than this; what is longer is not looked at."""
_WRAPPING = " \t\r\n\u00a0\u3000<>\"'`“”‘’「」【】（），。；、,;!?！？*_|"


def parse(text: str) -> tuple[PaperId, int | None]:
    """The id in `text` and its version, None where none is written.

    Understands bare ids, `arXiv:` and `oai:arXiv.org:` forms, DOIs, and addresses of the PAPER_HOSTS,
    with blanks, brackets, punctuation or a query string around, in any case and in full-width characters
    (`arXiv：1810.04805`). Raises NotAPaperId.
    """
    named = _ID.fullmatch(text)
    if named is not None and (known := _arxiv(named)) is not None:
        return known
    bare = _unwrap(unicodedata.normalize("NFKC", text)) if len(text) <= _LONGEST else ""
    found = _from_url(bare) if _is_url(bare) else _from_name(bare)
    if found is None:
        raise NotAPaperId(text)
    return found


def find_all(text: str) -> list[tuple[PaperId, int | None]]:
    """Every id that a longer text mentions (a pasted message), in order, each paper once.

    A later mention adds a version that an earlier one of the same paper lacks.
    """
    found: dict[PaperId, int | None] = {}
    for mention in _MENTION.finditer(unicodedata.normalize("NFKC", text)):
        try:
            paper_id, version = parse(mention.group())
        except NotAPaperId:
            continue
        found[paper_id] = found.get(paper_id) or version
    return list(found.items())


def is_arxiv(paper_id: PaperId) -> bool:
    """True for an id of arXiv, False for `doi:…`, `url:…` and anything else."""
    match = _ID.fullmatch(paper_id)
    return match is not None and _arxiv(match) is not None


def links(paper_id: PaperId, version: int | None = None, source: str = "arxiv") -> dict[str, str]:
    """The addresses of a paper: "abs", "pdf" and "html" for arXiv, "abs" alone for every other id.

    With `version` (1 or more) they point to that version, without to the newest one. `source` names a paper's
    source; an id that is not arXiv's and belongs to none of our forms has no link ({}).
    """
    kind, _, rest = paper_id.partition(":")
    if kind == "doi" and rest:
        return {"abs": f"https://doi.org/{quote(rest, safe='/:;().-_')}"}
    if kind == "url" and rest:
        return {"abs": rest}
    if source == "arxiv" or is_arxiv(paper_id):
        name = f"{paper_id}v{version}" if version else paper_id
        return {form: f"https://arxiv.org/{form}/{name}" for form in ("abs", "pdf", "html")}
    return {}


def _unwrap(text: str) -> str:
    """`text` without blanks, quotes, brackets that do not belong to it, and the "[cs.LG]" of a citation."""
    bare = text
    while True:
        shorter = _CATEGORY_TAIL.sub("", bare.strip(_WRAPPING)).rstrip(".:")
        if shorter[:1] in "([{" and shorter:
            shorter = shorter[1:]
        if shorter[-1:] in ")]}" and shorter and not _balanced(shorter):
            shorter = shorter[:-1]
        if shorter == bare:
            return bare
        bare = shorter


def _balanced(text: str) -> bool:
    return all(text.count(left) >= text.count(right) for left, right in ("()", "[]", "{}"))


def _is_url(bare: str) -> bool:
    return "://" in bare or _host(f"//{bare}") != ""


def _host(address: str) -> str:
    """The entry of PAPER_HOSTS that `address` belongs to, "" for any other site."""
    try:
        name = (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""
    return next((host for host in PAPER_HOSTS if name == host or name.endswith(f".{host}")), "")


def _from_url(bare: str) -> tuple[PaperId, int | None] | None:
    address = bare if "://" in bare else f"https://{bare}"
    host = _host(address)
    if not host:
        return None
    parts = urlsplit(address)
    path = unquote(parts.path)
    if host in ("biorxiv.org", "medrxiv.org"):
        return _from_preprint(path)
    if host == "doi.org":
        return _from_doi(path.lstrip("/"))
    for place in (path, unquote(parts.query)):
        for match in _IN_PATH.finditer(place):
            if (found := _arxiv(match)) is not None:
                return found
    return None


def _from_preprint(path: str) -> tuple[PaperId, int | None] | None:
    """bioRxiv and medRxiv write the version behind the DOI: /content/10.1101/2026.07.13.738145v3.full."""
    match = _PREPRINT.search(path)
    if match is None:
        return None
    return PaperId(f"doi:{match.group(1).lower()}"), int(match.group(2)) if match.group(2) else None


def _from_name(bare: str) -> tuple[PaperId, int | None] | None:
    match = _ID.fullmatch(bare.removesuffix(".pdf"))
    return _arxiv(match) if match else _from_doi(bare)


def _from_doi(bare: str) -> tuple[PaperId, int | None] | None:
    match = _DOI.fullmatch(bare)
    if match is None:
        return None
    own = _ARXIV_DOI.fullmatch(match.group(1))
    if own is not None:
        return _arxiv(own)
    return PaperId(f"doi:{match.group(1).lower()}"), None


def _arxiv(match: re.Match[str]) -> tuple[PaperId, int | None] | None:
    """The arXiv id of a match of `_CORE`; None when its month, its length or its archive cannot be."""
    version = int(match["version"]) if match["version"] else None
    if match["yymm"] is not None:
        name = f"{match['yymm']}.{match['number']}"
        return (PaperId(name), version) if _is_new(match["yymm"], match["number"]) else None
    archive, number = match["archive"].lower(), match["old"]
    return (PaperId(f"{archive}/{number}"), version) if _is_old(archive, number) else None


def _is_new(yymm: str, number: str) -> bool:
    if not "01" <= yymm[2:] <= "12" or yymm < "0704" or int(number) == 0:
        return False
    return len(number) == 4 if yymm < "1501" else len(number) in (5, 6)


def _is_old(archive: str, number: str) -> bool:
    """Old ids run from 9108 (August 1991) to 0703 (March 2007)."""
    yymm = number[:4]
    in_time = "9108" <= yymm <= "9912" or "0001" <= yymm <= "0703"
    return archive in OLD_ARCHIVES and "01" <= yymm[2:] <= "12" and in_time and number[4:] != "000"
