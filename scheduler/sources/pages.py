"""What arXiv's pages have in common: labelled fields, links behind "this https URL", subject lists."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

SAME_CATEGORY = {
    "cs.SY": "eess.SY",
    "cs.NA": "math.NA",
    "math.MP": "math-ph",
    "math.IT": "cs.IT",
    "math.ST": "stat.TH",
    "q-fin.EC": "econ.GN",
}
"""Two names of one category (arXiv category taxonomy, "is an alias for"): the other name to the page's
name."""

_OTHER_NAME = {same: other for other, same in SAME_CATEGORY.items()}
_SUBJECT = re.compile(r"\(([a-z-]+(?:\.[A-Za-z-]+)?)\)")


def field_of(node: LexborNode, selector: str) -> str:
    """A field's words without its label ("Title:")."""
    found = node.css_first(selector)
    if found is None:
        return ""
    for label in found.css("span.descriptor"):
        label.decompose()
    return words_of(found)


def words_of(node: LexborNode | None) -> str:
    """A node's words; a link that the page shows as "this https URL" is its address again."""
    if node is None:
        return ""
    for link in node.css("a"):
        address = link.attributes.get("href") or ""
        if link.text().strip().startswith("this http") and address:
            link.replace_with(address)
    return node.text().strip()


def subjects_of(node: LexborNode | None) -> list[str]:
    """A paper's categories, the primary first, from "Machine Learning (cs.LG); Optics (physics.optics)".

    Pages leave out the second name of a category that has two; it is put back behind the first.
    """
    if node is None:
        return []
    primary = node.css_first("span.primary-subject")
    first = _SUBJECT.findall(primary.text()) if primary else []
    shown = dict.fromkeys([*first[-1:], *_SUBJECT.findall(node.text())])
    return [name for one in shown for name in (one, _OTHER_NAME.get(one, one))]


def heading_of(body: bytes) -> str:
    """The first heading of a page, "" without one: what an error page says."""
    page = LexborHTMLParser(body.decode("utf-8", errors="replace"))
    heading = page.css_first("h1") or page.css_first("title")
    return " ".join(heading.text().split())[:200] if heading else ""
