"""The stand-in for a Qdrant server over gRPC: the calls that this program's client makes, over the same shards as over REST."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from qdrant_client import grpc as pb
from qdrant_client import models
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc
from qdrant_client.grpc.collections_service_pb2_grpc import CollectionsServicer, add_CollectionsServicer_to_server
from qdrant_client.grpc.points_service_pb2_grpc import PointsServicer, add_PointsServicer_to_server

from support.certificates import Certificate
from support.qdrant_double import QdrantDouble

_DONE = pb.PointsOperationResponse(result=pb.UpdateResult(operation_id=0, status=pb.UpdateStatus.Completed))
_KINDS = {pb.FieldType.FieldTypeUuid: "uuid", pb.FieldType.FieldTypeInteger: "integer", pb.FieldType.FieldTypeKeyword: "keyword"}


class Points(PointsServicer):
    """What is asked about points. Messages become the bodies that REST has."""

    def __init__(self, double: QdrantDouble) -> None:
        self._double = double

    def Upsert(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        points = [GrpcToRest.convert_point_struct(point).model_dump() for point in request.points]
        self._act(request, context, "/points", lambda name: self._double._shards.upsert(name, {"points": points}))
        return _DONE

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        chosen = GrpcToRest.convert_points_selector(request.points)
        self._act(request, context, "/points/delete", lambda name: self._double._shards.drop(name, chosen.model_dump()))
        return _DONE

    def SetPayload(self, request: Any, context: Any) -> Any:  # noqa: N802
        asked = GrpcToRest.convert_points_selector(request.points_selector).model_dump(exclude_none=True)
        body = {"payload": GrpcToRest.convert_payload(request.payload), **asked}
        self._act(request, context, "/points/payload", lambda name: self._double._shards.set_payload(name, body))
        return _DONE

    def Get(self, request: Any, context: Any) -> Any:  # noqa: N802
        body = {"ids": [each.num for each in request.ids]}
        found = self._act(request, context, "/points", lambda name: self._double._shards.retrieve(name, body))
        return pb.GetResponse(result=[RestToGrpc.convert_record(models.Record(**record)) for record in found])

    def Query(self, request: Any, context: Any) -> Any:  # noqa: N802
        body = {
            "limit": request.limit,
            "query": list(request.query.nearest.dense.data),
            "using": request.using,
            "filter": _filter(request),
            "params": {"exact": request.params.exact},
        }
        found = self._act(request, context, "/points/query", lambda name: self._double._shards.query(name, body))
        return pb.QueryResponse(result=[RestToGrpc.convert_scored_point(models.ScoredPoint(**each)) for each in found["points"]])

    def Count(self, request: Any, context: Any) -> Any:  # noqa: N802
        body = {"filter": _filter(request)}
        found = self._act(request, context, "/points/count", lambda name: self._double._shards.count(name, body))
        return pb.CountResponse(result=pb.CountResult(count=found["count"]))

    def CreateFieldIndex(self, request: Any, context: Any) -> Any:  # noqa: N802
        body = {"field_name": request.field_name, "field_schema": {"type": _KINDS[request.field_type]}}
        self._act(request, context, "/index", lambda name: self._double._shards.index(name, body))
        return _DONE

    def _act(self, request: Any, context: Any, path: str, act: Callable[[str], Any]) -> Any:
        return answered(self._double, request.collection_name, context, path, act)


class Collections(CollectionsServicer):
    """What is asked about collections."""

    def __init__(self, double: QdrantDouble) -> None:
        self._double = double

    def CollectionExists(self, request: Any, context: Any) -> Any:  # noqa: N802
        known = request.collection_name in self._double._shards.described
        return pb.CollectionExistsResponse(result=pb.CollectionExists(exists=known))

    def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        vectors = GrpcToRest.convert_vectors_config(request.vectors_config)
        body = {"vectors": {name: each.model_dump(mode="json", exclude_none=True) for name, each in vectors.items()}}
        with self._double._turn:
            return pb.CollectionOperationResponse(result=self._double._shards.make(request.collection_name, body))

    def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        with self._double._turn:
            return pb.CollectionOperationResponse(result=self._double._shards.delete(request.collection_name))


def answered(double: QdrantDouble, name: str, context: Any, path: str, act: Callable[[str], Any]) -> Any:
    """Return what is answered about a collection, or end the call as a server does."""
    key = dict(context.invocation_metadata()).get("api-key")
    refusal = double.weather.refusal(key, "GRPC", path)
    if refusal is not None:
        if "retry-after" in refusal.headers:
            context.set_trailing_metadata((("retry-after", refusal.headers["retry-after"]),))
        context.abort(_CODES[refusal.status_code], "as the test wants")
    with double._turn:
        if name not in double._shards.described:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such collection")
        return act(name)


_CODES = {
    401: grpc.StatusCode.UNAUTHENTICATED,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
    503: grpc.StatusCode.UNAVAILABLE,
    500: grpc.StatusCode.INTERNAL,
}


def _filter(request: Any) -> Any:
    asked = GrpcToRest.convert_filter(request.filter).model_dump(exclude_none=True)
    return asked or None


@contextmanager
def grpc_beside(double: QdrantDouble, certificate: Certificate | None = None) -> Iterator[int]:
    """Answer over gRPC, too; yields the port."""
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    add_PointsServicer_to_server(Points(double), server)
    add_CollectionsServicer_to_server(Collections(double), server)
    if certificate is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        pair = certificate.key.read_bytes(), certificate.certificate.read_bytes()
        port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait()
