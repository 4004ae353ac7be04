"""One normaliser for every way to write a paper's id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler import paper_ids
from scheduler.errors import NotAPaperId
from scheduler.models import PaperId


@pytest.mark.parametrize(
    ("text", "paper_id", "version"),
    [
        ("1706.03762v1", "1706.03762", 1),
        ("solv-int/9901001v2", "solv-int/9901001", 2),
        ("arXiv:1810.04805v2", "1810.04805", 2),
        ("arxiv: 1810.04805", "1810.04805", None),
        ("https://arxiv.org/pdf/1810.04805", "1810.04805", None),
        ("https://arxiv.org/pdf/1810.04805v2.pdf", "1810.04805", 2),
        ("http://www.arxiv.org/abs/1810.04805v3?context=cs#top", "1810.04805", 3),
        ("https://arxiv.org/html/1810.04805v2", "1810.04805", 2),
        ("arxiv.org/abs/hep-th/9901001", "hep-th/9901001", None),
        ("https://export.arxiv.org/abs/math.GT/0309136v1", "math/0309136", 1),
        ("http://export.arxiv.org/api/query?id_list=2611.03005", "2611.03005", None),
        ("https://www.alphaxiv.org/abs/2503.12345v2", "2503.12345", 2),
        ("https://huggingface.co/papers/2607.23193", "2607.23193", None),
        ("https://ar5iv.labs.arxiv.org/html/1706.03762", "1706.03762", None),
        ("oai:arXiv.org:2609.26811v1", "2609.26811", 1),
        ("math.GT/0309136", "math/0309136", None),
        ("cond-mat.str-el/0112019", "cond-mat/0112019", None),
        ("  (HEP-TH/9901001V3). ", "hep-th/9901001", 3),
        ("<https://arxiv.org/abs/1706.03762>", "1706.03762", None),
        ("https://arxiv.org/abs/1706.03762),", "1706.03762", None),
        ("[1706.03762]", "1706.03762", None),
        ("arXiv:1706.03762v5 [cs.CL]", "1706.03762", 5),
        ("arXiv：１８１０．０４８０５", "1810.04805", None),
        ("「1706.03762」", "1706.03762", None),
        ("0704.0001", "0704.0001", None),
        ("1412.8323", "1412.8323", None),
        ("2609.266811", "2609.266811", None),
        ("10.48550/arXiv.2610.03020", "2610.03020", None),
        ("https://doi.org/10.48550/arXiv.2610.03020", "2610.03020", None),
        ("doi:10.1101/2026.07.13.738145", "doi:10.1101/2026.07.13.738145", None),
        ("https://doi.org/10.1016/S0092-8674(00)80595-4", "doi:10.1016/s0092-8674(00)80595-4", None),
        (
            "https://www.biorxiv.org/content/10.64898/2025.12.19.695336v3.full",
            "doi:10.64898/2025.12.19.695336",
            3,
        ),
    ],
)
def test_every_form_of_an_id_is_read(text: str, paper_id: str, version: int | None) -> None:
    assert paper_ids.parse(text) == (paper_id, version)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "not-a-paper",
        "1713.00001",
        "1700.00001",
        "1706.3762",
        "0703.1234",
        "1412.83231",
        "1706.00000",
        "1706.03762v0",
        "1706.037622222",
        "hep-th/0704001",
        "hep-th/9901000",
        "cs.LG",
        "nonsense/9901001",
        "https://arxiv.org/list/cs.LG/new",
        "https://example.org/1706.03762",
        "https://[bad",
        "see 1706.03762 please",
        "doi:",
        "(" * 5000,
    ],
)
def test_what_is_no_id_is_refused_with_a_word_on_what_one_looks_like(text: str) -> None:
    with pytest.raises(NotAPaperId, match="one looks like") as caught:
        paper_ids.parse(text)
    assert caught.value.text == text


def test_ids_in_a_pasted_message_come_in_order_and_once() -> None:
    message = (
        "看看论文1706.03762很好, https://arxiv.org/abs/1810.04805v2, (hep-th/9901001)! It costs 1234.5678 or"
        " https://example.org/2609.11111 [x](https://arxiv.org/pdf/2609.26811). doi:10.1101/abc 2609.26811v3"
    )
    assert paper_ids.find_all(message) == [
        ("1706.03762", None),
        ("1810.04805", 2),
        ("hep-th/9901001", None),
        ("2609.26811", 3),
        ("doi:10.1101/abc", None),
    ]


def test_three_archives_with_one_number_are_three_papers_with_three_links() -> None:
    parsed = [paper_ids.parse(name)[0] for name in ("quant-ph/0112019", "astro-ph/0112019", "math/0112019")]
    assert len(set(parsed)) == 3
    assert [paper_ids.links(paper_id)["abs"] for paper_id in parsed] == [
        "https://arxiv.org/abs/quant-ph/0112019",
        "https://arxiv.org/abs/astro-ph/0112019",
        "https://arxiv.org/abs/math/0112019",
    ]


def test_links_keep_a_version_where_one_is_asked_for() -> None:
    assert paper_ids.links(PaperId("1706.03762"), 3) == {
        "abs": "https://arxiv.org/abs/1706.03762v3",
        "pdf": "https://arxiv.org/pdf/1706.03762v3",
        "html": "https://arxiv.org/html/1706.03762v3",
    }


def test_links_of_other_sources() -> None:
    doi = PaperId("doi:10.1002/(sici)1<2::aid>3")
    assert paper_ids.links(doi, 2) == {"abs": "https://doi.org/10.1002/(sici)1%3C2::aid%3E3"}
    assert paper_ids.links(PaperId("url:https://example.org/a?b=1")) == {"abs": "https://example.org/a?b=1"}
    assert paper_ids.links(PaperId("strange"), source="feed") == {}


def test_only_arxiv_ids_are_arxiv_ids() -> None:
    assert paper_ids.is_arxiv(PaperId("hep-th/9901001"))
    assert not paper_ids.is_arxiv(PaperId("doi:10.48550/abc"))
    assert not paper_ids.is_arxiv(PaperId("1713.00001"))


@given(
    st.integers(15, 30),
    st.integers(1, 12),
    st.integers(1, 99999),
    st.none() | st.integers(1, 30),
    st.sampled_from(["{}", "arXiv:{}", "https://arxiv.org/abs/{}", "oai:arXiv.org:{}", " <{}>. ", "({}),"]),
)
def test_a_written_id_reads_back(year: int, month: int, number: int, version: int | None, form: str) -> None:
    name = f"{year:02}{month:02}.{number:05}"
    written = name if version is None else f"{name}v{version}"
    assert paper_ids.parse(form.format(written)) == (name, version)
    assert paper_ids.find_all(f"see {form.format(written)} and more") == [(name, version)]


@given(st.text(max_size=300))
def test_any_text_is_an_id_or_refused_and_an_id_is_stable(text: str) -> None:
    for paper_id, _ in paper_ids.find_all(text):
        assert paper_ids.parse(paper_id) == (paper_id, None)
    try:
        paper_id, _ = paper_ids.parse(text)
    except NotAPaperId:
        return
    assert paper_ids.parse(paper_id) == (paper_id, None)
