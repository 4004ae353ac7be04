"""/status: how the sources stand, and when the next announcement is expected."""

from __future__ import annotations

from bot.commands.standing import deliveries
from bot.commands.visit import Visit
from bot.markup import Block
from bot.ports import Reply
from bot.render.status import source_block
from scheduler import harvesting
from scheduler import status as standing
from scheduler.planning import wanted_categories


def status(visit: Visit) -> Reply:
    """A section about the sources; every section is a block of its own."""
    return Reply((deliveries(visit), sources(visit)))


def sources(visit: Visit) -> Block:
    """Per category the last announcement with its counts and state, what is missing, the other sources, and what is
    expected next."""
    wanted = wanted_categories(visit.store, visit.house.categories)
    others = harvesting.states(visit.store, visit.house.sources)
    return source_block(standing.sources(visit.store, wanted, visit.now), others, visit.view, visit.now)
