"""`paperboy fetch --record` and `paperboy replay`: the answers of a fetch, kept in a folder and read from it again.

The folder's form is described in docs/recordings.md. A replay runs the very code of the network path, with the time
and the addresses of the recording, and a wire that answers from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from bot import app
from bot.config import Settings
from scheduler import harvesting, jobs
from scheduler.errors import UnknownInput
from scheduler.harvesting import Others, SourceState
from scheduler.models import Batch
from scheduler.sources import recording
from scheduler.sources.http import SourceClient, Surface, WebClient, agent_of
from scheduler.sources.recording import RecordedRun, RecordingWire, ReplayWire
from scheduler.sources.wire import HttpWire
from scheduler.store.thread import StoreThread

Outcome = Batch | SourceState


def recording_wire(settings: Settings, folder: Path) -> RecordingWire:
    """The network, with everything that passes kept in `folder`. Raises StoreError where that cannot be."""
    return RecordingWire(HttpWire(agent=agent_of(settings.contact)), folder, app.clock)


async def fetch_category(
    client: SourceClient, store: StoreThread, category: str, now: datetime, record: RecordingWire | None
) -> Batch:
    """One category's newest announcement, archived; with `record` under a mark that a replay understands."""
    if record is not None:
        addresses = {str(surface): address for surface, address in client.addresses.items()}
        run = {"job": "category", "category": category, "now": now.isoformat(), "addresses": addresses}
        record.begin(run)
    return await jobs.fetch_category(client, store, category, now)


async def fetch_other(
    client: WebClient,
    store: StoreThread,
    wanted: Others,
    name: str,
    now: datetime,
    record: RecordingWire | None,
) -> SourceState:
    """One other source's news, archived; with `record` under a mark that a replay understands."""
    first = harvesting.first_day(await store.call(lambda store: harvesting.state_of(store, name)), now)
    if record is not None:
        addresses = {"biorxiv": wanted.biorxiv_url, "huggingface": wanted.huggingface_url}
        run = {"job": "other", "name": name, "now": now.isoformat(), "addresses": addresses}
        record.begin(run | {"first": first.isoformat()})
    return await harvesting.fetch_source(client, store, wanted, name, now, first)


async def replay(store: StoreThread, folder: Path) -> tuple[Outcome, ...]:
    """Archives the recording in `folder`, run after run, without any network; what came of each run.

    Raises UnknownInput for what is no recording.
    """
    return tuple([await _replayed(store, run) for run in recording.runs(folder)])


async def _replayed(store: StoreThread, run: RecordedRun) -> Outcome:
    wire = ReplayWire(run.exchanges)
    try:
        now = datetime.fromisoformat(run.run["now"])
        if run.run["job"] == "category":
            client = _arxiv(run.run["addresses"], wire)
            return await jobs.fetch_category(client, store, run.run["category"], now)
        if run.run["job"] == "other":
            addresses = run.run["addresses"]
            wanted = Others((), (), addresses["biorxiv"], addresses["huggingface"], pace=0.0)
            first = date.fromisoformat(run.run["first"])
            web = WebClient(wire=wire)
            return await harvesting.fetch_source(web, store, wanted, run.run["name"], now, first)
    except (KeyError, ValueError, TypeError) as error:
        raise UnknownInput(f"the recording has a run that cannot be read: {error}") from error
    raise UnknownInput(f"the recording has a run of a kind that is not known here: {run.run['job']!r}")


def _arxiv(addresses: Mapping[str, Any], wire: ReplayWire) -> SourceClient:
    return SourceClient(
        feed_url=addresses[Surface.FEED],
        listing_url=addresses[Surface.PAGES],
        api_url=addresses[Surface.API],
        oai_url=addresses[Surface.OAI],
        pace=0.0,
        page_pace=0.0,
        wire=wire,
    )
