"""Which font of this machine has Chinese, for the words in pictures."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

FOLDERS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path("/Library/Fonts"),
    Path("/System/Library/Fonts"),
    Path("C:/Windows/Fonts"),
)
NAMES = (
    *(
        "NotoSansSC-Regular.otf",
        "NotoSansSC-Regular.ttf",
        "NotoSansCJKsc-Regular.otf",
        "NotoSansCJK-Regular.ttc",
    ),
    *("SourceHanSansSC-Regular.otf", "SourceHanSansCN-Regular.otf", "SourceHanSans-Regular.ttc"),
    *("wqy-microhei.ttc", "wqy-zenhei.ttc", "DroidSansFallbackFull.ttf", "DroidSansFallback.ttf"),
    *("PingFang.ttc", "Hiragino Sans GB.ttc", "STHeiti Medium.ttc", "msyh.ttc", "simhei.ttf"),
)
"""Fonts that Linux distributions, macOS and Windows bring, the best first."""

MOST_FACES = 16


def installed(folders: Iterable[Path] = FOLDERS) -> Path | None:
    """The best of `NAMES` that is in one of these folders or below it and can be read; None where none is."""
    found = {file.name: file for folder in folders for file in folder.rglob("*.[ot]t[cf]")}
    return next((found[name] for name in NAMES if name in found and face(found[name]) is not None), None)


@lru_cache(maxsize=16)
def face(path: Path) -> int | None:
    """Which face of a font file to write with: in a collection the one for simplified Chinese; None for no font."""
    names: list[str] = []
    for index in range(MOST_FACES if path.suffix.lower() == ".ttc" else 1):
        try:
            names.append(str(ImageFont.truetype(str(path), 12, index=index).getname()[0]))
        except OSError:
            break
    fitting = (index for index, name in enumerate(names) if {"SC", "CN"} & set(name.split()))
    return next(fitting, 0) if names else None
