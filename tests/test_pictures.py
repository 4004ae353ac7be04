"""Pictures of counts: real PNG files, readable on a phone, in colours that anybody tells apart."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFont

from bot.locale import translator
from bot.render import fonts
from bot.render.charts import DailyCounts, axis_names, daily_picture, finding, number_lines, rate_words
from bot.render.pictures import COLOURS, HEIGHT, WIDTH, Axes, Named, Pen, _shortened, bars, lines, writable
from scheduler.trends import Trend, trend

MONDAY = date(2026, 8, 31)
DAYS = tuple(day for n in range(30) if (day := MONDAY + timedelta(days=n)).weekday() < 5)


def picture(png: bytes) -> Image.Image:
    shown = Image.open(BytesIO(png))
    assert shown.format == "PNG"
    assert shown.size == (WIDTH, HEIGHT)
    return shown.convert("RGB")


def pixels(png: bytes, colour: str) -> list[tuple[int, int]]:
    """Where a colour stands, give or take what a palette of few colours changes."""
    shown = picture(png)
    wanted = tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return [
        (x, y)
        for x in range(0, WIDTH, 2)
        for y in range(0, HEIGHT, 2)
        if all(abs(had - want) < 12 for had, want in zip(_colour(shown, x, y), wanted, strict=True))
    ]


def _colour(shown: Image.Image, x: int, y: int) -> tuple[int, ...]:
    value = shown.getpixel((x, y))
    assert isinstance(value, tuple)
    return value


def test_bars_are_as_high_as_their_counts() -> None:
    png = bars(Axes("About 3 a day", "papers a day", [(0, "31 Aug"), (3, "3 Sep")]), [1, 4, 2, 0])
    heights: Counter[int] = Counter()
    for x, _ in pixels(png, COLOURS[0]):
        heights[(x - 70) * 4 // (WIDTH - 90)] += 1
    assert heights[3] == 0
    assert 3.4 < heights[1] / heights[0] < 4.6
    assert 1.7 < heights[2] / heights[0] < 2.3


def test_each_line_has_its_colour_and_is_named_at_its_end() -> None:
    series = [Named(f"line {n}", [float(n), float(n + 1), None, float(2 * n)]) for n in range(5)]
    png = lines(Axes("Five lines", "papers a day", [(0, "Aug"), (3, "Sep")]), series)
    for colour in COLOURS:
        found = pixels(png, colour)
        assert found
        assert max(x for x, _ in found) > WIDTH * 0.6


@given(
    st.lists(st.lists(st.none() | st.floats(0, 1e6), max_size=40), min_size=1, max_size=5),
    st.text(max_size=80),
    st.lists(st.integers(0, 100_000), max_size=40),
)
@example([[5e-324]], "", [])
@settings(max_examples=25)
def test_whatever_the_numbers_and_names_there_is_a_picture(
    values: list[list[float | None]], name: str, counts: list[int]
) -> None:
    shown = writable(name, None)
    picture(lines(Axes(shown, shown, [(0, shown)]), [Named(shown, each) for each in values]))
    picture(bars(Axes(shown, shown, [(n, shown) for n in range(9)], 1), counts))


def test_the_built_in_font_writes_ascii_and_what_folds_to_it() -> None:
    assert writable("Søgaard’s naïve “rl” – π", None) == ""
    assert writable("Søgaard’s naïve “rl” – α"[:-1], None) == 'Sogaard\'s naive "rl" - '
    assert writable("强化学习", None) == ""


def test_a_font_of_the_machine_writes_chinese() -> None:
    font = fonts.installed()
    if font is None:
        pytest.skip("no font with Chinese is installed here")
    assert writable("强化学习：每天", font) == "强化学习：每天"
    counts = DailyCounts("强化学习", DAYS, tuple(range(len(DAYS))), Trend.RISING, 30)
    with_words = daily_picture(counts, translator("zh"), font).png
    assert (
        picture(with_words).tobytes() != picture(daily_picture(counts, translator("zh"), None).png).tobytes()
    )


def test_the_best_font_is_found_below_a_folder_and_what_is_none_is_passed_over(tmp_path: Path) -> None:
    assert fonts.installed([tmp_path / "missing", tmp_path]) is None
    (tmp_path / "NotoSansSC-Regular.otf").write_bytes(b"no font")
    assert fonts.installed([tmp_path]) is None
    own = ImageFont.load_default(12)
    assert isinstance(own, ImageFont.FreeTypeFont)
    inside = tmp_path / "truetype" / "droid"
    inside.mkdir(parents=True)
    (inside / "DroidSansFallback.ttf").write_bytes(own.font_bytes)
    assert fonts.installed([tmp_path]) == inside / "DroidSansFallback.ttf"
    assert fonts.face(inside / "DroidSansFallback.ttf") == 0


def test_letters_are_large_enough_for_360_pixels() -> None:
    pen = Pen(None)
    assert pen.width("n" * 10, 26) / 2 > 60  # ten small letters, at half the size
    assert pen.width("n" * 10, 34) > pen.width("n" * 10, 26)


def test_a_title_that_is_too_long_loses_of_its_subject_first() -> None:
    pen = Pen(None)
    subject = "(policy OR robot OR learning) cat:cs.RO -survey"
    title = _shortened(pen, f"{subject}: about 3.5 a day, rising", subject)
    assert title.startswith("(poli")
    assert title.endswith("...: about 3.5 a day, rising")
    assert pen.width(title, 34) <= 680
    assert _shortened(pen, "rl: about 2 a day", "rl") == "rl: about 2 a day"
    assert _shortened(pen, "m" * 90, "") == _shortened(pen, "m" * 90, "absent")


def test_months_are_named_as_months() -> None:
    months = [date(2026, month, 1) for month in range(5, 10)]
    assert axis_names(months, translator("en"), None, 3, of_months=True) == [
        (0, "May 2026"),
        (2, "Jul 2026"),
        (4, "Sep 2026"),
    ]


@pytest.mark.parametrize(
    ("rate", "en", "zh"),
    [
        (64, "About 64 a day", "每天约64篇"),
        (3.44, "About 3.4 a day", "每天约3.4篇"),
        (2.0, "About 2 a day", "每天约2篇"),
        (0.5, "About 2.5 a week", "每周约2.5篇"),
        (0.1, "Less than one a week", "每周不到一篇"),
    ],
)
def test_rates_in_words(rate: float, en: str, zh: str) -> None:
    assert rate_words(rate, translator("en")) == en
    assert rate_words(rate, translator("zh")) == zh


def test_the_words_of_a_picture() -> None:
    counts = tuple(n // 3 for n in range(len(DAYS)))
    shown = DailyCounts("diffusion policy", DAYS, counts, trend(counts), 30)
    t = translator("en")
    assert finding(shown, t) == "About 3.2 a day, rising"
    made = daily_picture(shown, t, None)
    assert made.description == (
        "Bars: how many papers “diffusion policy” finds on each day from 31 Aug to 29 Sep 2026. "
        "About 3.2 a day, rising."
    )
    assert made.bars[0] == "08-31 Mon  0"
    assert made.bars[-1] == "09-29 Tue  7  ████████████████████████"
    assert number_lines(shown)[:2] == ("08-31  0  0  0  1  1", "09-07  1  2  2  2  3")
    picture(made.png)
    # Without a font for Chinese the words stay in the text, and the arrow says what the trend is.
    picture(daily_picture(shown, translator("zh"), None).png)
    one = DailyCounts("rl", DAYS[:1], (64,), trend((64,)), 1)
    assert finding(one, t) == "About 64 a day"
