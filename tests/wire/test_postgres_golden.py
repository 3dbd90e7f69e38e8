"""The golden scenario over a truth on Postgres: the same bytes, but for where bytes of what was forgotten may lie (O11, W6)."""

import json
from pathlib import Path
from typing import Any

from recordance_adapters.bootstrap import open_service
from recordance_adapters.sections import FixedSettings, ForgetSettings
from recordance_adapters.settings import Settings
from recordance_adapters.wire.catalogue import ALL
from support.golden import ACTOR, FIXED, calls_of, golden, play, written
from support.postgres_server import session_server

PLACES = {"places", "receipt"}
"""What a forget tells of where the store is kept, and the receipt that names it."""


def test_postgres_answers_the_recorded_bytes(tmp_path: Path) -> None:
    """O11, W6: a change of a URL changes no byte of any answer, but what a forget says of its places."""
    server = session_server()
    name = server.make_database()
    settings = Settings(
        store=tmp_path / "here",
        truth=server.url_of(name),
        actor=ACTOR,
        tools=(ALL,),
        fixed=FixedSettings.model_validate(FIXED),
        forget=ForgetSettings(deadline_ms=60_000),
    )
    with open_service(settings) as service:
        played = play(calls_of(service))
    server.drop_database(name)
    recorded = json.loads(golden("scenario").read_text(encoding="utf-8"))
    assert written([without_places(step) for step in played]) == written([without_places(step) for step in recorded])
    forgets = [step["answer"]["places"] for step in played if "places" in step.get("answer", {})]
    assert [[(each["place"], each["state"]) for each in places] for places in forgets] == [
        [
            ("truth", "purged"),
            ("database server", "outside"),
            ("term index", "purged"),
            ("vector index", "purged"),
            ("idle replicas", "purged"),
            ("exports", "outside"),
            ("copies made by others", "outside"),
        ]
    ] * 2


def without_places(step: dict[str, Any]) -> dict[str, Any]:
    """The step without what a forget says of its places."""
    answer = step.get("answer", {})
    hidden = PLACES if "places" in answer else set()
    return {**step, **({"answer": {key: told for key, told in answer.items() if key not in hidden}} if answer else {})}
