"""Sentences, dates, numbers and lists in one language."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from itertools import groupby
from pathlib import Path

from babel import Locale
from babel.dates import format_date
from babel.lists import format_list
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

LANGUAGES = ("en", "zh")
"""The interface's languages; any other one is answered in the first."""

PSEUDO = "pseudo"
"""A language for tests: English with every sentence in ⟦…⟧, so that what bypasses the catalogue shows."""

_FOLDER = Path(__file__).parent
_LOCALES = {"en": Locale("en"), "zh": Locale("zh", script="Hans")}
# British lists have no comma before their "and".
_LIST_LOCALES = {"en": Locale("en", "GB"), "zh": Locale("zh", script="Hans")}
_LONG_DAY = {"en": "EEEE, d MMMM y", "zh": "y年M月d日 EEEE"}
_SHORT_DAY = {"en": "d MMM", "zh": "M月d日"}
_SHORT_DAY_YEAR = {"en": "d MMM y", "zh": "y年M月d日"}
_MONTH = {"en": "MMMM y", "zh": "y年M月"}
_SHORT_MONTH = {"en": "MMM y", "zh": "y年M月"}
_WEEKDAY_DAY = {"en": "EEE d", "zh": "d日EEE"}
_WEEKDAY_DAY_MONTH = {"en": "EEE d MMMM", "zh": "M月d日EEE"}
_CLAUSES = {"en": ", ", "zh": "，"}
_BETWEEN = {"en": ", ", "zh": "、"}


def N_(sentence: str) -> str:  # noqa: N802 - gettext's name for it
    """The sentence as it is, marked for the catalogue: `t(sentence)` translates it later."""
    return sentence


# The same days and counts stand in the digests of many, and Babel takes its time.
@lru_cache(maxsize=1024)
def _date(day: dt.date, pattern: str, locale: Locale) -> str:
    return format_date(day, pattern, locale=locale)


@lru_cache(maxsize=1024)
def _number(number: int, locale: Locale) -> str:
    return format_decimal(number, locale=locale)


class Translator:
    """Says everything in one language. Sentences take their values by name, as `str.format` does."""

    def __init__(self, lang: str, catalogue: NullTranslations, pseudo: bool = False) -> None:
        self.lang = lang
        self._catalogue = catalogue
        self._pseudo = pseudo
        self._locale = _LOCALES[lang]

    def __call__(self, sentence: str, **values: object) -> str:
        """The sentence in this language, with its values put in."""
        return self._marked(self._catalogue.gettext(sentence).format(**values))

    def n(self, singular: str, plural: str, count: int, **values: object) -> str:
        """The form for `count`, which is also a value (written as `number` does)."""
        sentence = self._catalogue.ngettext(singular, plural, count)
        return self._marked(sentence.format(count=self.number(count), **values))

    def number(self, number: int) -> str:
        """1204 as "1,204"."""
        return _number(number, self._locale)

    def date(self, day: dt.date) -> str:
        """ "Tuesday, 29 September 2026" or "2026年9月29日 星期二"."""
        return self._day(day, _LONG_DAY)

    def short_date(self, day: dt.date, year: bool = False) -> str:
        """ "29 Sep" or "9月29日"; with the year "29 Sep 2026" or "2026年9月29日"."""
        return self._day(day, _SHORT_DAY_YEAR if year else _SHORT_DAY)

    def month(self, day: dt.date) -> str:
        """ "September 2026" or "2026年9月"."""
        return self._day(day, _MONTH)

    def short_month(self, day: dt.date) -> str:
        """ "Sep 2026" or "2026年9月"."""
        return self._day(day, _SHORT_MONTH)

    def weekday(self, day: dt.date) -> str:
        """ "Mon" or "周一"."""
        return self._marked(_date(day, "EEE", self._locale))

    def weekday_long(self, day: dt.date) -> str:
        """ "Monday" or "星期一"."""
        return self._marked(_date(day, "EEEE", self._locale))

    def dates(self, days: Iterable[dt.date]) -> str:
        """Several days in order: "Thu 24, Fri 25, Mon 28 September" or "9月24日周四、25日周五、28日周一"."""
        months = [list(run) for _, run in groupby(sorted(days), key=lambda day: (day.year, day.month))]
        named = [self._month_of(run) for run in months]
        return self._marked(_BETWEEN[self.lang].join(named))

    def time(self, moment: dt.datetime) -> str:
        """The clock time of an aware moment in its own zone: "08:00"."""
        return f"{moment:%H:%M}"

    def names(self, names: Sequence[str]) -> str:
        """ "A, B and C" or "A、B和C"."""
        return self._marked(format_list(list(names), locale=_LIST_LOCALES[self.lang])) if names else ""

    def either(self, names: Sequence[str]) -> str:
        """ "A, B or C" or "A、B或C"."""
        if not names:
            return ""
        return self._marked(format_list(list(names), style="or", locale=_LIST_LOCALES[self.lang]))

    def row(self, names: Iterable[str]) -> str:
        """ "A, B, C" or "A、B、C"."""
        return _BETWEEN[self.lang].join(names)

    def clauses(self, clauses: Iterable[str]) -> str:
        """Half-sentences in a row: with ", " or "，"."""
        return _CLAUSES[self.lang].join(clauses)

    def _day(self, day: dt.date, patterns: dict[str, str]) -> str:
        return self._marked(_date(day, patterns[self.lang], self._locale))

    def _month_of(self, days: list[dt.date]) -> str:
        """Days of one month; it is named once: last in English, first in Chinese."""
        named = len(days) - 1 if self.lang == "en" else 0
        return _BETWEEN[self.lang].join(
            _date(day, (_WEEKDAY_DAY_MONTH if place == named else _WEEKDAY_DAY)[self.lang], self._locale)
            for place, day in enumerate(days)
        )

    def _marked(self, text: str) -> str:
        return f"⟦{text}⟧" if self._pseudo else text


@lru_cache
def translator(lang: str) -> Translator:
    """The translator for "en", "zh" or a tag that begins so ("zh-Hans"); English for every other language."""
    if lang == PSEUDO:
        return Translator("en", NullTranslations(), pseudo=True)
    base = lang.lower().replace("_", "-").partition("-")[0]
    if base == "zh":
        return Translator("zh", read_catalogue(_FOLDER / "zh.po"))
    return Translator("en", NullTranslations())


def read_catalogue(path: Path) -> GNUTranslations:
    """The catalogue of a .po file, compiled in memory."""
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.stem)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)
