"""An endpoint of models over a real socket on this machine, which answers, dawdles or fails as a test says."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from recordance.domain.embedding import Vector
from support.word_hashing import hashed

Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class ModelEndpoint:
    """What was asked of it, and how it answers from now on; `over` is set at the end, for whoever dawdles."""

    url: str = ""
    answer: Answer = lambda handler, body: None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def model_endpoint(answer: Answer) -> Iterator[ModelEndpoint]:
    """Serve on a free port until the end."""
    endpoint = ModelEndpoint(answer=answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.bodies.append(body)
            endpoint.headers.append(dict(self.headers))
            endpoint.answer(self, body)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1/embeddings"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def reply(handler: BaseHTTPRequestHandler, value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
    """Answer with JSON, or with bytes as they are."""
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    handler.send_response(status)
    for name, each in {"Content-Length": str(len(text)), **(headers or {})}.items():
        handler.send_header(name, each)
    handler.end_headers()
    handler.wfile.write(text)


def embeddings(*vectors: Any) -> dict[str, Any]:
    """An answer with these vectors, in order."""
    shown = [list(each.values) if isinstance(each, Vector) else each for each in vectors]
    return {"data": [{"index": place, "embedding": each} for place, each in enumerate(shown)]}


def hashing(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Embed by the hashes of words, and answer in the opposite order, as an endpoint may."""
    answer = embeddings(*map(hashed, body["input"]))
    answer["data"].reverse()
    reply(handler, answer)
