"""What real people's bots got wrong about papers, people and words (shared cases 5 to 10), asked for in a chat."""

from __future__ import annotations

from bot.locale import Translator
from scheduler.models import Author, Paper, PaperId
from tests.builders import TUESDAY, feed
from tests.e2e.conversation import NOW, Ada, Office

TITLES = (
    "RL-based grasping",
    "A world early on",
    "World-Models at sea",
    "Multi-Agents and a multiagent sea",
    "Text-to-speech with CI/CD in C++ and C# on .NET",
    "Diffusion Policies in 3D",
    "Storing H₂ safely",
    "RLHF without tears",
)
FOUND = (
    ("RL", (0,)),
    ("deep-RL OR RL's", (0,)),
    ("world model", (2,)),
    ('"world\n  model"', (2,)),
    ("multi-agent sea", (3,)),
    ('"multi agent"', (3,)),
    ("multiagent", (3,)),
    ('"text to speech"', (4,)),
    ("CI/CD", (4,)),
    ("C++", (4,)),
    ("c#", (4,)),
    (".NET", (4,)),
    ('"diffusion policy"', (5,)),
    ("3D", (5,)),
    ("H$_2$", (6,)),
    ("RLH*", (7,)),
    ("type:new RL", (0,)),
    ("type:cross RL", ()),
)
IDS = ("quant-ph/0112019", "astro-ph/0112019", "math/0112019")
NAMES = ("Sogaard", "Søgaard", r"S{\o}gaard", "SØGAARD")


def paper(number: int, title: str, *authors: Author) -> Paper:
    """A paper that is in nobody's seeds."""
    return Paper(PaperId(f"2609.9{number:04}"), 1, title, "", authors or (Author("Ada Byron"),), ("cs.LG",))


class Finding:
    """The cases; a subclass has the fixtures `ada`, `office` and `t`."""

    async def test_words_are_found_as_written_by_authors(
        self, ada: Ada, office: Office, t: Translator
    ) -> None:
        office.store.archive.store(feed(*(paper(n, title) for n, title in enumerate(TITLES))), now=NOW)
        for typed, expected in FOUND:
            seen = await ada.says("search", f"au:byron ({typed})")
            assert [title for title in TITLES if title in seen.text] == [
                TITLES[place] for place in expected
            ], typed

    async def test_papers_are_opened_by_any_form_of_their_id(
        self, ada: Ada, office: Office, t: Translator
    ) -> None:
        old = [
            Paper(PaperId(name), 1, f"Old {number}", "", (Author("Ada"),), ("quant-ph",))
            for number, name in enumerate(IDS)
        ]
        known = [Paper(PaperId("1706.03762"), 1, "Known", "", (Author("Ada"),), ("cs.CL",)), *old]
        office.store.archive.store(feed(*known), now=NOW)
        for typed in ("1706.03762v1", "https://arxiv.org/pdf/1706.03762", "arXiv:1706.03762v1"):
            assert "Known" in (await ada.says("paper", typed)).text
        for number, name in enumerate(IDS):
            assert f"Old {number}" in (await ada.says("paper", name)).text
        assert "not-a-paper" in (await ada.says("paper", "not-a-paper")).text

    async def test_a_name_is_found_however_it_is_written(
        self, ada: Ada, office: Office, t: Translator
    ) -> None:
        office.store.archive.store(feed(paper(50, "Parsing Danish", Author("Anders Søgaard"))), now=NOW)
        for typed in NAMES:
            assert "Parsing Danish" in (await ada.says("search", f"au:{typed}")).text
        assert "Parsing Danish" in (await ada.says("search", 'au:"Søgaard, A."')).text

    async def test_a_subject_is_tried_and_followed(self, ada: Ada, office: Office, t: Translator) -> None:
        office.store.archive.store(feed(*(paper(n, "Zeppelin policies") for n in range(60, 64))), now=NOW)
        seen = await ada.says("try", "zeppelin policy")
        assert t("About {count} a day", count=4) in seen.text
        assert "Zeppelin policies" in seen.text
        await ada.presses(t("Subscribe to this"))
        assert '"zeppelin policy"' in office.follows(ada)

    async def test_subjects_are_compared(self, ada: Ada, office: Office, t: Translator) -> None:
        office.store.archive.store(feed(*(paper(n, "Zeppelin policies") for n in range(60, 64))), now=NOW)
        seen = await ada.says("trends", "zeppelin policy, xyzzy, 30d")
        assert "1 ● zeppelin policy" in seen.text
        assert "2 ■ xyzzy" in seen.text
        again = await ada.presses(t("Share of all papers"))
        assert "1 ● zeppelin policy" in again.text
        assert "%" in again.text
        assert TUESDAY.strftime("%m-%d") in again.text
