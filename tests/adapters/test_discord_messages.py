"""Parts as Discord messages: every keyboard within Discord's limits, every action back as it was."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord.commands import argument_text, slash_commands
from bot.adapters.discord.messages import as_edit, new_message, panel_of, plain_message, pressed_action
from bot.markup import Card
from bot.ports import ACTION_LIMIT, Attachment, Button, CommandSpec, Keyboard, Parameter, Part
from tests.judges import discord_spec

ACTIONS = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), max_size=ACTION_LIMIT)
BUTTONS = st.one_of(
    st.builds(Button, label=st.text(max_size=120), action=ACTIONS),
    st.builds(Button, label=st.text(max_size=120), url=st.just("https://arxiv.org/abs/2609.31644")),
)
KEYBOARDS = st.builds(
    Keyboard,
    rows=st.lists(st.lists(BUTTONS, min_size=1, max_size=8).map(tuple), max_size=7).map(tuple),
    choices=st.lists(BUTTONS, max_size=60).map(tuple),
    prompt=st.text(max_size=200),
)


def rows_of(keyboard: Keyboard) -> list[list[dict[str, Any]]]:
    panel = panel_of(keyboard)
    rows: Any = panel.to_components() if panel else []
    return [row["components"] for row in rows]


def action_of(component: dict[str, Any], value: str = "") -> str:
    data = {"custom_id": component["custom_id"], **({"values": [value]} if value else {})}
    interaction: Any = SimpleNamespace(data=data)
    return pressed_action(interaction)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(KEYBOARDS)
def test_every_keyboard_is_within_the_limits(keyboard: Keyboard) -> None:
    rows = rows_of(keyboard)
    components = [component for row in rows for component in row]
    ids = [component["custom_id"] for component in components if "custom_id" in component]
    assert len(rows) <= 5
    assert all(len(row) <= 5 for row in rows)
    assert len(ids) == len(set(ids))
    assert all(1 <= len(custom_id) <= 100 for custom_id in ids)
    assert all(1 <= units(one["label"].strip()) <= 80 for one in components if "label" in one)
    for select in (component for component in components if "options" in component):
        values = [option["value"] for option in select["options"]]
        assert 1 <= len(values) == len(set(values)) <= 25
        assert all(1 <= units(option["label"]) <= 100 for option in select["options"])


@pytest.mark.skipif(not discord_spec.is_here(), reason="shared/specs/discord-openapi.json is not here")
@given(KEYBOARDS)
def test_discord_describes_every_keyboard(keyboard: Keyboard) -> None:
    rows = rows_of(keyboard)
    body = {"content": "x", "components": [{"type": 1, "components": row} for row in rows]}
    assert discord_spec.problems_of("POST", "/channels/1/messages", body) == []


@given(st.lists(ACTIONS.filter(bool), max_size=20))
def test_every_action_comes_back_from_its_button(actions: list[str]) -> None:
    keyboard = Keyboard(rows=tuple((Button(label="x", action=action),) for action in actions))
    shown = [action_of(component) for row in rows_of(keyboard) for component in row]
    assert shown == actions


@given(st.lists(ACTIONS.filter(bool), max_size=100, unique=True))
def test_every_action_comes_back_from_its_choice(actions: list[str]) -> None:
    keyboard = Keyboard(choices=tuple(Button(label="x", action=action) for action in actions))
    shown = [
        action_of(select, option["value"])
        for row in rows_of(keyboard)
        for select in row
        for option in select["options"]
    ]
    assert shown == actions


def test_a_button_without_an_action_cannot_be_pressed() -> None:
    page, next_page = Button(label="1/2"), Button(label="▶", action="page:2")
    ((shown, pressable),) = rows_of(Keyboard(rows=((page, next_page),)))
    assert (shown["label"], shown["disabled"], action_of(shown)) == ("1/2", True, "")
    assert not pressable["disabled"]


def test_a_link_is_a_link() -> None:
    pdf = Button(label="PDF", url="https://arxiv.org/pdf/2609.31644v1")
    (((shown,),)) = rows_of(Keyboard(rows=((pdf,),)))
    assert (shown["style"], shown["url"]) == (5, pdf.url)
    assert "custom_id" not in shown


@pytest.mark.parametrize("custom_id", ["", "page:2", "pb", "pbx:page", "pb-none:3", "other:pb:page"])
def test_other_peoples_buttons_are_not_ours(custom_id: str) -> None:
    assert action_of({"custom_id": custom_id}) == ""


def test_one_embed_per_card() -> None:
    part = Part(cards=(Card("first", "One"), Card("second"), Card("", "Three"), Card("")), plain="x")
    embeds = [embed.to_dict() for embed in new_message(part)["embeds"]]
    assert [(one.get("title"), one.get("description")) for one in embeds] == [
        ("One", "first"),
        (None, "second"),
        ("Three", None),
    ]
    assert not any("url" in embed for embed in embeds)


def test_a_ping_is_a_mention_outside_of_the_cards_and_only_of_who_asked() -> None:
    fields = new_message(Part(cards=(Card("first", "One <@2>"),), plain="x", pings=("7", "8")))
    assert fields["content"] == "<@7> <@8>"
    assert fields["allowed_mentions"].to_dict() == {"parse": [], "users": [7, 8]}
    assert "allowed_mentions" not in new_message(Part(cards=(Card("first"),), plain="x"))


def test_an_edit_leaves_nothing_of_what_was_there() -> None:
    part = Part(cards=(), plain="", attachment=Attachment("a.html", "<p>"))
    edit = as_edit(new_message(part))
    assert (edit["content"], edit["embeds"], edit["view"]) == (None, [], None)
    assert [file.filename for file in edit["attachments"]] == ["a.html"]


@given(st.text(max_size=6000))
def test_plain_text_fits_and_nothing_of_it_is_lost(text: str) -> None:
    fields = plain_message(Part(cards=(), plain=text))
    assert 1 <= units(fields["content"]) <= 2000
    if files := fields.get("files"):
        assert files[0].fp.read().decode() == text


SPEC = CommandSpec(
    "try", {"en": "Try it", "zh": "试一试"}, (Parameter("a", {"en": "A"}), Parameter("b", {"en": "B"}))
)


@pytest.mark.parametrize(
    ("values", "line"),
    [({}, ""), ({"b": " y "}, "y"), ({"b": "y", "a": "x z"}, "x z y"), ({"a": "", "b": "y"}, "y")],
)
def test_arguments_in_the_tables_order(values: dict[str, str], line: str) -> None:
    assert argument_text(SPEC, values) == line


def test_a_table_without_chinese_is_a_table() -> None:
    async def run(*_: object) -> None: ...

    async def complete(*_: object) -> tuple[()]:
        return ()

    command, feed = slash_commands((CommandSpec("help", {"en": "What I can do"}),), run, complete)
    assert (command.name, feed.name) == ("help", "feed")
