"""The console as a chat: lines are read, replies are printed, buttons are pressed by their number (`#2`)."""

from __future__ import annotations

import itertools
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from bot.locale import translator
from bot.markup import dialect_for
from bot.parts import reply_parts
from bot.ports import (
    Answer,
    Attachment,
    Button,
    Keyboard,
    Outcome,
    Part,
    Picture,
    Reply,
    Request,
    Rights,
    RightsUnknown,
    Sent,
)
from scheduler.models import ChatKind, ChatRef, Platform

logger = logging.getLogger(__name__)

_KEEP_PICTURE = "console:picture"


class ConsoleAdapter:
    """One person at a terminal. `write` prints a text; `lines` gives what is typed, line by line.

    `save` keeps a file and gives what is shown of it. A picture is shown as bars of letters and kept when it is asked
    for.
    """

    platform = Platform.CONSOLE
    start_link = ""

    def __init__(
        self,
        answer: Answer,
        lines: AsyncIterator[str],
        write: Callable[[str], None],
        *,
        user: str = "you",
        kind: ChatKind = ChatKind.PRIVATE,
        lang: str = "",
        colour: bool = False,
        save: Callable[[Attachment | Picture], str] = lambda file: file.name,
    ) -> None:
        self._answer = answer
        self._lines = lines
        self._write = write
        self._kind = kind
        self._user = user
        self._lang = lang
        self._colour = colour
        self._save = save
        self._dialect = dialect_for(Platform.CONSOLE, colour=colour)
        self._buttons: tuple[Button, ...] = ()
        self._picture: Picture | None = None
        self._numbers = itertools.count(1)

    @property
    def chat(self) -> ChatRef:
        """The address of the chat that is typed into."""
        return ChatRef(Platform.CONSOLE, self._user if self._kind is ChatKind.PRIVATE else str(self._kind))

    async def run(self) -> None:
        """Answers every line until there are no more."""
        async for typed in self._lines:
            if typed.strip():
                await self.handle(typed.strip())

    async def handle(self, typed: str) -> None:
        """Answers one line: a command, the number of a button, or plain text."""
        try:
            if typed.startswith("#") and typed[1:].isdecimal():
                await self._press(int(typed[1:]))
            else:
                await self._ask(typed)
        except BrokenPipeError:
            # Nobody reads any more (a pipe into head): nothing of ours went wrong.
            raise
        except Exception:
            t = translator(self._lang)
            logger.exception("answering a line failed")
            self._write(
                t(
                    "Something went wrong on my side, and it is noted. Nothing of yours is lost; try again later."
                )
            )

    async def _press(self, number: int) -> None:
        if not 1 <= number <= len(self._buttons):
            t = translator(self._lang)
            self._write(t("There is no button #{number} now.", number=number))
            return
        button = self._buttons[number - 1]
        if button.url:
            self._write(button.url)
            return
        if button.action == _KEEP_PICTURE and self._picture is not None:
            self._write(f"📎 {self._save(self._picture)}")
            return
        await self._show(await self._answer(self._request(action=button.action)))

    async def _ask(self, typed: str) -> None:
        if typed.startswith("/"):
            command, _, text = typed[1:].partition(" ")
            await self._show(await self._answer(self._request(command=command.strip(), text=text.strip())))
        elif self._kind is ChatKind.PRIVATE:
            await self._show(await self._answer(self._request(text=typed)))
        else:
            t = translator(self._lang)
            self._write(t("In a group or channel I read commands only, such as {command}.", command="/help"))

    def _request(self, *, command: str = "", text: str = "", action: str = "") -> Request:
        return Request(
            chat=self.chat,
            kind=self._kind,
            user=self._user,
            command=command,
            text=text,
            action=action,
            chat_title=self.chat.chat_id,
            lang=self._lang,
            user_name=self._user,
        )

    async def _show(self, reply: Reply) -> None:
        if reply.toast:
            self._write(reply.toast)
        for part in reply_parts(reply, self.platform):
            self._print(part)
        if reply.later is not None:
            await self._show(await reply.later())

    def _print(self, part: Part) -> None:
        text = "\n\n".join(card.text for card in part.cards) if self._colour else part.plain
        pieces = [text] if text else []
        keyboard = part.keyboard
        if part.picture is not None:
            self._picture = part.picture
            pieces.insert(0, "\n".join(part.picture.bars) or part.picture.description)
            t = translator(self._lang)
            keep = Button(t("Save the picture"), _KEEP_PICTURE)
            keyboard = replace(keyboard, rows=(*keyboard.rows, (keep,)))
        if part.attachment is not None:
            pieces.append(f"📎 {self._save(part.attachment)}")
        if not keyboard.is_empty:
            pieces.append(self._labels(keyboard))
        self._write("\n\n".join(pieces) + "\n")

    def _labels(self, keyboard: Keyboard) -> str:
        """The buttons in their rows, each with the number that presses it; choices in one row of short labels."""
        rows = [list(keyboard.choices), *(list(row) for row in keyboard.rows)]
        self._buttons = tuple(button for row in rows for button in row)
        numbers = itertools.count(1)
        lines = []
        for place, row in enumerate(rows):
            labels = [_label(button, next(numbers), is_choice=place == 0) for button in row]
            if labels:
                prompt = f"{keyboard.prompt}  " if place == 0 and keyboard.prompt else ""
                lines.append(prompt + "  ".join(labels))
        shown = "\n".join(lines)
        return f"\x1b[2m{shown}\x1b[0m" if self._colour else shown

    async def send(self, chat: ChatRef, part: Part, key: str) -> Outcome:
        """Prints a delivered part, and its buttons become the ones that a number presses."""
        self._print(part)
        return Sent(str(next(self._numbers)))

    async def rights(self, chat: ChatRef, kind: ChatKind, user: str) -> Rights:
        """A terminal has no administrators whom one could ask for."""
        raise RightsUnknown("the console knows one chat at a time")


def _label(button: Button, number: int, *, is_choice: bool) -> str:
    """A button as "[#2 Undo]"; a paper of a page whose own number presses it as "[#2]"."""
    words = (button.short if is_choice else "") or button.label
    return f"[#{number}]" if words == str(number) else f"[#{number} {words}]"
