"""A person's own chats from a private chat: the buttons that pick one, and who may do what in it.

Bot API, KeyboardButtonRequestChat: Telegram's app offers only chats that fit, and lets an administrator add the bot
with the rights that it asks for. What came of that is asked for again: a client is not to be believed.
"""

from __future__ import annotations

from typing import Any

from telegram import (
    Bot,
    ChatAdministratorRights,
    ChatMember,
    ChatMemberAdministrator,
    ChatShared,
    KeyboardButton,
    KeyboardButtonRequestChat,
    ReplyKeyboardMarkup,
)
from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from bot.adapters.telegram.outcomes import outcome_of
from bot.adapters.telegram.updates import standing_as
from bot.ports import Gone, Paused, Pick, Picked, Picker, Rights, RightsUnknown
from scheduler.models import ChatKind, ChatRef, Platform

_LEAST_RIGHTS: dict[str, Any] = {
    "is_anonymous": False,
    "can_manage_chat": True,
    "can_delete_messages": False,
    "can_manage_video_chats": False,
    "can_restrict_members": False,
    "can_promote_members": False,
    "can_change_info": False,
    "can_invite_users": False,
    "can_post_stories": False,
    "can_edit_stories": False,
    "can_delete_stories": False,
}
"""Any administrator has "can_manage_chat" (Bot API, ChatAdministratorRights)."""


def keyboard_of(picker: Picker) -> ReplyKeyboardMarkup:
    """The buttons below the text field, gone again after one press."""
    rows = [[KeyboardButton(pick.label, request_chat=_wanted(pick))] for pick in picker.picks]
    return ReplyKeyboardMarkup(rows, resize_keyboard=True, one_time_keyboard=True)


def _wanted(pick: Pick) -> KeyboardButtonRequestChat:
    """In a channel both of us must be able to post; in a group we need only be a member."""
    is_channel = pick.kind is ChatKind.CHANNEL
    rights = ChatAdministratorRights(**_LEAST_RIGHTS, can_post_messages=True if is_channel else None)
    return KeyboardButtonRequestChat(
        request_id=2 * pick.number + is_channel,
        chat_is_channel=is_channel,
        user_administrator_rights=rights,
        bot_administrator_rights=rights if is_channel else None,
        bot_is_member=None if is_channel else True,
        request_title=True,
    )


def picked_chat(shared: ChatShared) -> Picked:
    """The chat that was picked, with the number of its button."""
    number, is_channel = divmod(shared.request_id, 2)
    return Picked(
        number,
        ChatRef(Platform.TELEGRAM, str(shared.chat_id)),
        ChatKind.CHANNEL if is_channel else ChatKind.GROUP,
        shared.title or "",
    )


async def rights_in(bot: Bot, chat: ChatRef, kind: ChatKind, user: str) -> Rights:
    """What Telegram says of a person and of the bot in a group or channel; raises RightsUnknown."""
    ours = await _member(bot, chat, bot.id)
    if not isinstance(ours, ChatMember):
        return Rights(False, ours or Gone("not_member"))
    theirs = await _member(bot, chat, int(user)) if user.isdecimal() else None
    return Rights(isinstance(theirs, ChatMember) and _manages(theirs, kind), standing_as(ours, kind))


async def _member(bot: Bot, chat: ChatRef, user: int) -> ChatMember | Gone | Paused | None:
    """The member; what keeps us from asking; None for somebody whom Telegram does not find there."""
    try:
        return await bot.get_chat_member(int(chat.chat_id), user)
    except TelegramError as error:
        match outcome_of(error, chat):
            case Gone() | Paused() as obstacle:
                return obstacle
            case None:
                return None
        raise RightsUnknown(f"{type(error).__name__}: {error.message}") from error


def _manages(member: ChatMember, kind: ChatKind) -> bool:
    """An owner or administrator; in a channel one who may post, since that is what follows."""
    if member.status == ChatMemberStatus.OWNER:
        return True
    if not isinstance(member, ChatMemberAdministrator):
        return False
    return kind is not ChatKind.CHANNEL or bool(member.can_post_messages)
