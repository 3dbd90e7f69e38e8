"""Golden answers: one scenario as data, run over any transport, held to one recorded text."""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recordance.errors import Refusal
from recordance_adapters.bootstrap import Service
from recordance_adapters.driving.mcp_server.callers import started_for
from recordance_adapters.sections import FixedSettings
from recordance_adapters.settings import Settings
from recordance_adapters.wire.catalogue import ALL, tools_of
from recordance_adapters.wire.failure import failure_of
from recordance_adapters.wire.tool import Call
from support import checkout
from support.stdio_peer import Era, Peer

WIRE = checkout.ROOT / "tests" / "wire"
FIXED = {"clock": "2026-03-01T12:00:00Z", "store_id": "golden-store", "store_key": "00112233445566778899aabbccddeeff"}
"""What makes two runs the same: the clock's reading, and the identity and key of the new store (O11)."""
ACTOR = "golden"
_REFERENCE = re.compile(r"\$\{(?P<step>.+)\.(?P<field>\w+)\}")

Outcome = dict[str, Any]
"""`{"answer": …}` or `{"error": {code, message, data}}`."""
Calls = Callable[[str, dict[str, Any]], Outcome]
"""Calls a tool by name with raw arguments."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the scenario, and what it is to show."""

    name: str
    tool: str
    arguments: dict[str, Any]


def scenario() -> Iterator[Step]:
    """Yield the steps in order."""
    for step in json.loads((WIRE / "scenario.json").read_text(encoding="utf-8")):
        yield Step(step["step"], step["tool"], step["arguments"])


def play(call: Calls) -> list[dict[str, Any]]:
    """Run the scenario and return each step with its outcome; `${step.field}` takes a field of an earlier answer."""
    answers: dict[str, Any] = {}
    played = []
    for step in scenario():
        outcome = call(step.tool, {name: _filled(value, answers) for name, value in step.arguments.items()})
        answers[step.name] = outcome.get("answer", {})
        played.append({"step": step.name, "tool": step.tool, "arguments": step.arguments, **outcome})
    return played


def _filled(value: Any, answers: dict[str, Any]) -> Any:
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return value if found is None else answers[found["step"]][found["field"]]


def written(value: Any) -> str:
    """Return the text that a golden file holds: every field in the order in which it was sent."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def golden(name: str) -> Path:
    """Return where a golden text lies."""
    return WIRE / "golden" / f"{name}.json"


def fixed_settings(store: Path) -> Settings:
    """Return settings under which every run of the scenario is the same."""
    fixed = FixedSettings.model_validate(FIXED)
    return Settings(store=store, actor=ACTOR, tools=(ALL,), fixed=fixed)


def fixed_configuration(folder: Path) -> Path:
    """Write the same settings as a configuration file for a process, and return it."""
    fixed = "\n".join(f'{name} = "{value}"' for name, value in FIXED.items())
    path = folder / "golden.toml"
    path.write_text(f'store = "store"\nactor = "{ACTOR}"\ntools = ["{ALL}"]\n[fixed]\n{fixed}\n', encoding="utf-8")
    return path


def calls_of(service: Service) -> Calls:
    """Return a caller that runs the tools in this process, over the adapters of `service`."""
    tools = {tool.name: tool for tool in tools_of([ALL])}

    def asking() -> Call:
        caller = service.caller("")
        started = started_for(caller, None, tools.values())
        return Call(destinations=service.destinations, caller=caller, started=started)

    def call(name: str, arguments: dict[str, Any]) -> Outcome:
        try:
            return {"answer": tools[name].handle(asking(), arguments)}
        except Refusal as refusal:
            failure = failure_of(refusal)
            return {"error": {"code": failure.code, "message": failure.message, "data": dict(failure.data)}}

    return call


_RENDERS = {tool.name: tool.render for tool in tools_of([ALL])}


def text_of(name: str, answer: Outcome, arguments: dict[str, Any]) -> str:
    """Return the text block of an answer: what people read of it, or else the object as JSON (O10)."""
    render = _RENDERS[name]
    read = None if render is None else render(answer, arguments)
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")) if read is None else read


def calls_over(peer: Peer, era: Era) -> Calls:
    """Return a caller that sends each call to a server process; the text must be the same object, or what people read of it."""
    ids = itertools.count(1)

    def call(name: str, arguments: dict[str, Any]) -> Outcome:
        message = peer.answer(era.call(next(ids), name, arguments))
        if "error" in message:
            return {"error": message["error"]}
        (block,) = message["result"]["content"]
        answer = message["result"]["structuredContent"]
        assert block["text"] == text_of(name, answer, arguments)
        return {"answer": answer}

    return call
