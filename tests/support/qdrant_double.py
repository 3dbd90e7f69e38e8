"""A stand-in for a Qdrant server: the REST paths that this program's client calls, over shards of the embedded engine.

It proves the shape of requests, what filters mean, and what is made of errors. It has one shard and one process: it proves
nothing of clusters, of consistency between replicas, of gRPC, or of other versions of a server.
"""

import json
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import qdrant_edge as edge
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from support.certificates import Certificate

Body = Mapping[str, Any]

BOUND = 30.0
"""How many seconds an answer is held back at most, should a test forget to let it go."""


@dataclass
class Weather:
    """What goes wrong at a server; `asked` are the requests that reached it, as (method, the path below the
    collection's), and `queries` what followed the path of each.
    """

    api_key: str | None = None
    refusals: list[tuple[int, Mapping[str, str]]] = field(default_factory=list)
    only: str = ""
    released: threading.Event = field(default_factory=threading.Event)
    asked: list[tuple[str, str]] = field(default_factory=list)
    queries: list[tuple[str, str]] = field(default_factory=list)
    met: Callable[[str, str], None] = lambda _method, _path: None

    def __post_init__(self) -> None:
        self.released.set()

    def refuse(self, status: int, times: int = 1, only: str = "", **headers: str) -> None:
        """Answer the next so many requests, of those whose path ends so, with this status."""
        self.only = only
        self.refusals = [(status, {name.replace("_", "-"): value for name, value in headers.items()})] * times

    def hang(self) -> None:
        """Hold every answer back until `released` is set."""
        self.released.clear()

    def refusal(self, key: str | None, method: str, path: str) -> JSONResponse | None:
        """Return what a request is refused with, if it is."""
        self.asked.append((method, path))
        self.met(method, path)
        self.released.wait(BOUND)
        if self.api_key is not None and key != self.api_key:
            return _refused(401, "Must provide an API key or an Authorization bearer token")
        if self.refusals and path.endswith(self.only):
            status, headers = self.refusals.pop()
            return _refused(status, "as the test wants", headers)
        return None


class Shards:
    """The collections of a server, below a folder. For one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0
        self.described: dict[str, dict[str, Any]] = {}
        self._open: dict[str, edge.EdgeShard] = {}
        self._paths: dict[str, Path] = {}

    def make(self, name: str, body: Body) -> bool:
        self._made += 1
        path = self._folder / str(self._made)
        path.mkdir()
        vectors = {
            each: edge.EdgeVectorParams(size=params["size"], distance=getattr(edge.Distance, params["distance"]))
            for each, params in _named(body["vectors"]).items()
        }
        self._open[name] = edge.EdgeShard.create(str(path), edge.EdgeConfig(vectors=vectors, wal_enabled=False))
        self._paths[name] = path
        self.described[name] = {"params": dict(body), "payload_schema": {}}
        return True

    def delete(self, name: str) -> bool:
        if (shard := self._open.pop(name, None)) is None:
            return False
        shard.close()
        shutil.rmtree(self._paths.pop(name))
        del self.described[name]
        return True

    def close(self) -> None:
        for name in list(self._open):
            self.delete(name)

    def info(self, name: str) -> dict[str, Any]:
        known, count = self.described[name], self._open[name].count(edge.CountRequest(exact=True))
        return {
            "status": "green",
            "optimizer_status": "ok",
            "points_count": count,
            "segments_count": 1,
            "config": {
                "params": {"vectors": known["params"]["vectors"]},
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                "optimizer_config": {
                    "deleted_threshold": 0.2,
                    "vacuum_min_vector_number": 1000,
                    "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
            },
            "payload_schema": {key: {"data_type": kind, "points": count} for key, kind in known["payload_schema"].items()},
        }

    def index(self, name: str, body: Body) -> Any:
        kind = body["field_schema"]["type"]
        rest = {key: value for key, value in body["field_schema"].items() if key != "type"}
        params = {"uuid": edge.UuidIndexParams, "integer": edge.IntegerIndexParams, "keyword": edge.KeywordIndexParams}[kind]
        self._open[name].update(edge.UpdateOperation.create_field_index(body["field_name"], params(**rest)))
        self.described[name]["payload_schema"][body["field_name"]] = kind
        return _UPDATED

    def upsert(self, name: str, body: Body) -> Any:
        points = [edge.Point(point["id"], point["vector"], point.get("payload") or {}) for point in body["points"]]
        self._open[name].update(edge.UpdateOperation.upsert_points(points))
        return _UPDATED

    def drop(self, name: str, body: Body) -> Any:
        self._open[name].update(edge.UpdateOperation.delete_points(body["points"]))
        return _UPDATED

    def set_payload(self, name: str, body: Body) -> Any:
        self._open[name].update(edge.UpdateOperation.set_payload_by_filter(_filter(body["filter"]), body["payload"], None))
        return _UPDATED

    def retrieve(self, name: str, body: Body) -> Any:
        found = self._open[name].retrieve(body["ids"], body.get("with_payload", True), False)
        return [{"id": record.id, "payload": record.payload} for record in found]

    def query(self, name: str, body: Body) -> Any:
        request = edge.QueryRequest(
            limit=body["limit"],
            query=edge.Query.Nearest(
                body["query"]["nearest"] if isinstance(body["query"], dict) else body["query"], body["using"]
            ),
            filter=_filter(body.get("filter")),
            params=edge.SearchParams(exact=body["params"]["exact"]),
            with_payload=False,
            with_vector=False,
        )
        return {"points": [{"id": found.id, "version": 0, "score": found.score} for found in self._open[name].query(request)]}

    def count(self, name: str, body: Body) -> Any:
        return {"count": self._open[name].count(edge.CountRequest(filter=_filter(body.get("filter")), exact=True))}


_UPDATED = {"operation_id": 0, "status": "completed"}


def _named(vectors: Body) -> Body:
    return {"": vectors} if "size" in vectors else vectors


def _filter(asked: Body | None) -> edge.Filter | None:
    if asked is None:
        return None
    return edge.Filter(**{kind: [_condition(each) for each in asked[kind]] for kind in ("must", "must_not") if asked.get(kind)})


def _condition(asked: Body) -> Any:
    if (numbers := asked.get("has_id")) is not None:
        return edge.HasIdCondition(set(numbers))
    if (bounds := asked.get("range")) is not None:
        return edge.FieldCondition(asked["key"], range=edge.RangeFloat(gte=bounds.get("gte"), lte=bounds.get("lte")))
    match = asked["match"]
    wanted = edge.MatchAny(match["any"]) if "any" in match else edge.MatchValue(match["value"])
    return edge.FieldCondition(asked["key"], match=wanted)


def _refused(status: int, error: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"status": {"error": error}, "time": 0.0}, status, dict(headers or {}))


class QdrantDouble:
    """A running server; `url` is where."""

    def __init__(self, folder: Path, port: int, certificate: Certificate | None = None) -> None:
        self.weather = Weather()
        self._shards = Shards(folder)
        self._turn = threading.Lock()
        # Named as TCP, else the event loop leaves small packets waiting for each other, 40 ms at a time.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self._socket.listen()
        encrypted = {} if certificate is None else {"ssl_certfile": certificate.certificate, "ssl_keyfile": certificate.key}
        self.url = f"http{'s' if encrypted else ''}://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            self._application(), log_config=None, lifespan="off", access_log=False, timeout_graceful_shutdown=1, **encrypted
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()

    def delete(self, name: str) -> None:
        """Delete a collection, as somebody may who has the server."""
        with self._turn:
            self._shards.delete(name)

    def empty(self, name: str) -> None:
        """Take every point out of a collection, the position included."""
        with self._turn:
            described = self._shards.described.get(name)
            if described is None:
                return  # a writer is making it anew at this moment
            self._shards.delete(name)
            self._shards.make(name, described["params"])
            for key, kind in described["payload_schema"].items():
                self._shards.index(name, {"field_name": key, "field_schema": {"type": kind}})

    def make(self, name: str, size: int, vector: str = "") -> None:
        """Make a collection of somebody else's, with one point that is no vector of ours."""
        params = {"size": size, "distance": "Cosine"}
        with self._turn:
            self._shards.make(name, {"vectors": {vector: params} if vector else params})
            self._shards.upsert(name, {"points": [{"id": 7, "vector": {vector: [1.0] * size}, "payload": {"theirs": 1}}]})

    def stop(self) -> None:
        """Stop the server and let everything go."""
        self.weather.released.set()
        self._server.should_exit = True
        self._thread.join(BOUND)
        self._socket.close()
        self._shards.close()

    def _application(self) -> Starlette:
        shards, at = self._shards, "/collections/{name}"
        return Starlette(
            routes=[
                self._route("GET", f"{at}/exists", lambda name, _: {"exists": name in shards.described}, anywhere=True),
                self._route("GET", at, lambda name, _: shards.info(name)),
                self._route("PUT", at, shards.make, anywhere=True),
                self._route("DELETE", at, lambda name, _: shards.delete(name), anywhere=True),
                self._route("PUT", f"{at}/index", shards.index),
                self._route("PUT", f"{at}/points", shards.upsert),
                self._route("POST", f"{at}/points", shards.retrieve),
                self._route("POST", f"{at}/points/delete", shards.drop),
                self._route("POST", f"{at}/points/payload", shards.set_payload),
                self._route("POST", f"{at}/points/query", shards.query),
                self._route("POST", f"{at}/points/count", shards.count),
            ]
        )

    def _route(self, method: str, path: str, act: Callable[[str, Body], Any], *, anywhere: bool = False) -> Route:
        """Return a route; `anywhere` is one that does not need the collection to be there."""

        def answer(name: str, key: str | None, below: str, body: Body) -> JSONResponse:
            if (refusal := self.weather.refusal(key, method, below)) is not None:
                return refusal
            with self._turn:
                if not anywhere and name not in self._shards.described:
                    return _refused(404, f"Not found: Collection `{name}` doesn't exist!")
                return JSONResponse({"result": act(name, body), "status": "ok", "time": 0.0})

        async def endpoint(request: Request) -> JSONResponse:
            name, content = request.path_params["name"], await request.body()
            below = request.url.path.removeprefix(f"/collections/{name}")
            self.weather.queries.append((below, request.url.query))
            body = json.loads(content) if content else {}
            return await run_in_threadpool(answer, name, request.headers.get("api-key"), below, body)

        return Route(path, endpoint, methods=[method])


@contextmanager
def qdrant_double(port: int = 0, certificate: Certificate | None = None) -> Iterator[QdrantDouble]:
    """A stand-in for a server, at any free port if none is given, stopped at the end."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        double = QdrantDouble(Path(folder), port, certificate)
        try:
            yield double
        finally:
            double.stop()
