"""Each operation as data: what is sent, and how the answer is read. Both clients run these."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generic, List, Optional, Tuple, TypeVar, Union, cast
from urllib.parse import quote

from . import models
from .exceptions import DataFreshnessError, LiveDataError
from .freshness import Fresh, members_of

Answer = TypeVar("Answer")
Parameters = Tuple[Tuple[str, str], ...]


@dataclass(frozen=True)
class Call(Generic[Answer]):
    method: str
    path: str
    read: Callable[[Any], Answer]
    params: Parameters = ()
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    lines: bool = False  # the answer is a line of JSON per row


def path_of(*segments: str) -> str:
    """`/v1/a/b` with whatever a segment holds."""
    return "/v1/" + "/".join(quote(segment, safe="") for segment in segments)


def moment(as_of: dt.datetime | str | None) -> Parameters:
    """UTC to the second; what is no moment is for the service to refuse."""
    if as_of is None:
        return ()
    if isinstance(as_of, str):
        try:
            as_of = models.parse_time(as_of)
        except ValueError:
            return (("as_of", str(as_of)),)
    if as_of.tzinfo is None:
        as_of = as_of.replace(tzinfo=dt.timezone.utc)
    text = as_of.astimezone(dt.timezone.utc).replace(microsecond=0, tzinfo=None).isoformat()
    return (("as_of", text + "Z"),)


def keyed(idempotency_key: str | None) -> Dict[str, str]:
    return {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}


def _mapping(value: Any, what: str) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise LiveDataError(f"Unexpected answer: {what} is {value!r}")
    return cast(Dict[str, Any], value)


def _reader(model: type[Answer]) -> Callable[[Any], Answer]:
    return lambda value: models.parse(model, value)


def _bounds(fresh: Fresh) -> Parameters:
    return tuple(members_of(fresh).items())


def get_entity(entity_type: str, entity_id: str, as_of: dt.datetime | str | None,
               fresh: Fresh = None) -> Call[models.EntityEnvelope]:
    params = (*moment(as_of), *_bounds(fresh))
    return Call("GET", path_of("entity", entity_type, entity_id), _reader(models.EntityEnvelope), params)


def get_metric(name: str, window: str, as_of: dt.datetime | str | None,
               fresh: Fresh = None) -> Call[models.MetricResult]:
    params = (("window", window), *moment(as_of), *_bounds(fresh))
    return Call("GET", path_of("metrics", name), _reader(models.MetricResult), params)


def read_query(value: Any) -> models.QueryResult:
    """Paging stands at the top level of the answer and in its metadata."""
    body = _mapping(value, "query")
    metadata = dict(_mapping(body.get("metadata") or {}, "metadata"))
    for name in ("total_count", "next_cursor", "has_more", "page_size"):
        if name in body:
            metadata[name] = body[name]
    answer = body.get("answer")
    if answer is None:
        answer = body.get("rows")
    return models.parse(models.QueryResult, {"answer": answer or [], "sql": body.get("sql"), "metadata": metadata,
                                               "freshness": body.get("freshness"), "plan": body.get("plan"),
                                               "interpretation": body.get("interpretation")})


# A question in words, or a plan instead of one: that of an answer, changed or not.
Question = Union[str, Mapping[str, Any]]


def _asked(question: Question) -> Dict[str, Any]:
    return {"question": question} if isinstance(question, str) else {"plan": dict(question)}


def query(question: Question, limit: int | None, cursor: str | None, idempotency_key: str | None,
          fresh: Fresh = None) -> Call[models.QueryResult]:
    body = _asked(question)
    if limit is not None:
        body["limit"] = limit
    if cursor is not None:
        body["cursor"] = cursor
    body.update(members_of(fresh))
    return Call("POST", path_of("query"), read_query, json=body, headers=keyed(idempotency_key))


def explain_query(question: Question, contract_version: str | None) -> Call[models.QueryExplanation]:
    body = _asked(question)
    if contract_version is not None:
        body["contract_version"] = contract_version
    return Call("POST", path_of("query", "explain"), _reader(models.QueryExplanation), json=body)


def search(terms: str, limit: int, entity_types: Sequence[str] | None) -> Call[models.SearchResults]:
    params = (("q", terms), ("limit", str(limit)), *(("entity_types", each) for each in entity_types or ()))
    return Call("GET", path_of("search"), _reader(models.SearchResults), params)


def list_contracts() -> Call[List[models.ContractSummary]]:
    def read(value: Any) -> List[models.ContractSummary]:
        items = _mapping(value, "contracts").get("contracts") or []
        return [models.parse(models.ContractSummary, item) for item in cast(List[Any], items)]

    return Call("GET", path_of("contracts"), read)


def get_contract(entity: str, version: str | None) -> Call[models.EntityContract]:
    segments = ["contracts", entity] + ([version] if version is not None else [])
    return Call("GET", path_of(*segments), _reader(models.EntityContract))


def diff_contracts(entity: str, from_version: str, to_version: str) -> Call[models.ContractDiff]:
    return Call("GET", path_of("contracts", entity, "diff", from_version, to_version), _reader(models.ContractDiff))


def validate_contract(entity: str, payload: Mapping[str, Any],
                      idempotency_key: str | None) -> Call[models.ContractValidation]:
    return Call("POST", path_of("contracts", entity, "validate"), _reader(models.ContractValidation),
                json=dict(payload), headers=keyed(idempotency_key))


def get_lineage(entity_type: str, entity_id: str) -> Call[models.Lineage]:
    return Call("GET", path_of("lineage", entity_type, entity_id), _reader(models.Lineage))


def get_changelog() -> Call[models.Changelog]:
    return Call("GET", path_of("changelog"), _reader(models.Changelog))


def read_health(value: Any) -> models.HealthStatus:
    status = models.parse(models.HealthStatus, value)
    for component in status.components:
        if component.name == "freshness":
            age = component.metrics.get("last_event_age_seconds")
            status.freshness_seconds = None if age is None else float(age)
    return status


def health() -> Call[models.HealthStatus]:
    return Call("GET", path_of("health"), read_health)


def _is_only_old(status: models.HealthStatus) -> bool:
    """Whether nothing but the age of the data is wrong: then the age itself can be trusted."""
    unwell = [each.name for each in status.components if each.status != "healthy"]
    return unwell == ["freshness"]


def judge_freshness(status: models.HealthStatus, max_age_seconds: float) -> bool:
    if status.freshness_seconds is not None and status.freshness_seconds >= max_age_seconds:
        return False
    if status.status != "healthy" and not _is_only_old(status):
        raise DataFreshnessError(f"Pipeline is {status.status}; freshness check cannot be trusted")
    if status.freshness_seconds is None:
        raise DataFreshnessError("Pipeline freshness metric is unavailable")
    return status.freshness_seconds < max_age_seconds


def catalog() -> Call[models.CatalogResponse]:
    return Call("GET", path_of("catalog"), _reader(models.CatalogResponse))


def slo() -> Call[Dict[str, Any]]:
    return Call("GET", path_of("slo"), lambda value: _mapping(value, "slo"))


def batch(requests: Sequence[Mapping[str, Any]], idempotency_key: str | None,
          fresh: Fresh = None) -> Call[Dict[str, Any]]:
    return Call("POST", path_of("batch"), lambda value: _mapping(value, "batch"),
                json={"requests": [dict(each) for each in requests], **members_of(fresh)}, headers=keyed(idempotency_key))


FeatureRow = Union[Mapping[str, Any], Tuple[str, Union[dt.datetime, str, None]]]
FEATURES_AT_ONCE = 10000


def _feature_row(row: FeatureRow) -> Dict[str, Any]:
    """{"entity_id", "at"?}; a time without a zone is UTC."""
    entity_id, at = (row["entity_id"], row.get("at")) if isinstance(row, Mapping) else row
    if isinstance(at, dt.datetime):
        at = (at if at.tzinfo else at.replace(tzinfo=dt.timezone.utc)).isoformat()
    return {"entity_id": entity_id} if at is None else {"entity_id": entity_id, "at": at}


def features(entity_type: str, rows: Sequence[FeatureRow], columns: Sequence[str] | None) -> Call[List[Dict[str, Any]]]:
    body: Dict[str, Any] = {"entity_type": entity_type, "rows": [_feature_row(each) for each in rows]}
    if columns is not None:
        body["columns"] = list(columns)

    def read(value: Any) -> List[Dict[str, Any]]:
        if len(value) != len(rows):
            raise LiveDataError(f"Unexpected answer: {len(value)} lines for {len(rows)} rows")
        return cast(List[Dict[str, Any]], value)

    return Call("POST", path_of("features"), read, json=body, lines=True)


def _complete(event: Mapping[str, Any]) -> Dict[str, Any]:
    now = dt.datetime.now(dt.timezone.utc).isoformat()
    return {"event_id": str(uuid.uuid4()), "timestamp": now, **event}


def send_heartbeat(source: str, watermark: dt.datetime | str | None, feeds: Sequence[str] | None,
                   retired: bool) -> Call[models.SentEvents]:
    beat: Dict[str, Any] = {"source": source, "retired": retired}
    if watermark is not None:
        beat["watermark"] = watermark if isinstance(watermark, str) else watermark.isoformat()
    if feeds is not None:
        beat["feeds"] = list(feeds)
    return Call("POST", path_of("events"), _reader(models.SentEvents), json={"heartbeats": [beat]},
                headers=keyed(str(uuid.uuid4())))


def send_events(events: Sequence[Mapping[str, Any]], idempotency_key: str | None) -> Call[models.SentEvents]:
    """The key makes an attempt safe to repeat: the service answers as it did at first."""
    return Call("POST", path_of("events"), _reader(models.SentEvents),
                json={"events": [_complete(each) for each in events]},
                headers=keyed(idempotency_key or str(uuid.uuid4())))


def _item(kind: str, request_id: str | None, params: Dict[str, Any]) -> Dict[str, Any]:
    return {"id": request_id or f"{kind}-{uuid.uuid4().hex[:8]}", "type": kind, "params": params}


class BatchItems:
    """Makers of the items of a batch; they send nothing."""

    @staticmethod
    def batch_entity(entity_type: str, entity_id: str, request_id: Optional[str] = None) -> Dict[str, Any]:
        return _item("entity", request_id, {"entity_type": entity_type, "entity_id": entity_id})

    @staticmethod
    def batch_metric(name: str, window: str = "1h", request_id: Optional[str] = None) -> Dict[str, Any]:
        return _item("metric", request_id, {"name": name, "window": window})

    @staticmethod
    def batch_query(question: str, context: Optional[Mapping[str, Any]] = None,
                    request_id: Optional[str] = None) -> Dict[str, Any]:
        params: Dict[str, Any] = {"question": question}
        if context is not None:
            params["context"] = dict(context)
        return _item("query", request_id, params)
