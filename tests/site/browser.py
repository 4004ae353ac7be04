"""Headless Chromium on pages in a folder: what it makes of them, and what they look like."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed here")

PHONE = (360, 740)
DESKTOP = (1280, 900)
_ALONE = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --allow-file-access-from-files"
).split()
_PROBE = """<!doctype html><meta charset="utf-8"><body><pre id="said"></pre><script>
const frames = {frames};
const look = {look};
Promise.all(frames.map(([address, width, height]) => new Promise((resolve) => {{
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = height; frame.style.border = 0; frame.src = address;
  frame.onload = () => setTimeout(() => resolve(look(frame.contentDocument, frame.contentWindow)), 300);
  document.body.append(frame);
}}))).then((said) => {{ document.getElementById("said").textContent = JSON.stringify(said); }});
</script>"""


@dataclass(frozen=True)
class Browser:
    """Chromium with a profile of its own in `folder`."""

    folder: Path

    def sees(
        self, look: str, frames: Sequence[tuple[str, tuple[int, int]]], *, dark: bool = False
    ) -> list[Any]:
        """What the JavaScript function `look(document, window)` returns in each page, half a second after it is there.

        Pages are addresses relative to `folder`, each with the size of its window.
        """
        probe = self.folder / "probe.html"
        asked = json.dumps([[address, *size] for address, size in frames])
        probe.write_text(_PROBE.format(frames=asked, look=look), encoding="utf-8")
        dumped = self._run("--virtual-time-budget=15000", "--dump-dom", probe.as_uri(), dark=dark)
        said = re.search(r'<pre id="said">(.*?)</pre>', dumped, re.DOTALL)
        assert said, dumped[:2000]
        assert said[1], "the pages were not ready in time"
        found: list[Any] = json.loads(html.unescape(said[1]))
        return found

    def picture(self, page: Path, target: Path, size: tuple[int, int], *, dark: bool = False) -> None:
        """Writes what the page looks like as a PNG."""
        window = f"--window-size={size[0]},{size[1]}"
        self._run(
            "--virtual-time-budget=4000",
            f"--screenshot={target}",
            window,
            page.absolute().as_uri(),
            dark=dark,
        )

    def _run(self, *arguments: str, dark: bool) -> str:
        assert CHROMIUM is not None
        look = ["--blink-settings=preferredColorScheme=0"] if dark else []
        profile = f"--user-data-dir={self.folder / 'profile'}"
        done = subprocess.run(
            [CHROMIUM, *_ALONE, profile, *look, *arguments], capture_output=True, timeout=120, check=True
        )
        return done.stdout.decode("utf-8")
