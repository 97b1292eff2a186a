"""The client.

Made from async_client.py by tools/make_sync.py: change that one.
"""

from __future__ import annotations

import time
import datetime as dt
from collections.abc import Iterator, Iterable, Mapping, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, Dict, List, Optional, Type, TypeVar, Union

import httpx

from . import calls, models
from .calls import Call
from .circuit_breaker import CircuitBreaker
from .exceptions import LiveDataError
from .freshness import Fresh
from .models import parse
from .retry import RetryPolicy
from .session import Frames, Session, body_of, error_of, lines_of

Answer = TypeVar("Answer")
Client = TypeVar("Client", bound="LiveDataClient")
Moment = Union[dt.datetime, str, None]  # ISO text


class LiveDataClient(Session):
    """Asks the live-data service.

    Every method raises a LiveDataError of livedata.exceptions when the service refuses or cannot be reached.
    """

    def __init__(self, base_url: str, api_key: str, timeout: float = 10.0, contract_version: Optional[str] = None,
                 api_version: Optional[str] = None, *, retry_policy: Optional[RetryPolicy] = None,
                 circuit_breaker: Optional[CircuitBreaker] = None) -> None:
        super().__init__(api_key, contract_version, api_version, retry_policy, circuit_breaker)
        self._client = httpx.Client(base_url=base_url.rstrip("/"), headers=self._headers, timeout=timeout)

    def close(self) -> None:
        self._client.close()

    def __enter__(self: Client) -> Client:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def _attempt(self, call: Call[Any]) -> httpx.Response:
        """Tries until an answer counts; each pause is the policy's."""
        attempt = 0
        while True:
            response: httpx.Response | None = None
            failure: httpx.HTTPError | None = None
            try:
                response = self._client.request(call.method, call.path, params=call.params or None,
                                               json=call.json, headers=dict(call.headers))
            except httpx.HTTPError as error:
                failure = error
            if response is None or response.status_code >= 400:
                pause = self._pause_after(call.method, call.headers, attempt, response)
                if pause is not None:
                    time.sleep(pause)
                    attempt += 1
                    continue
            if response is not None:
                return response
            raise LiveDataError(f"Request failed: {failure}") from failure

    def _run(self, call: Call[Answer]) -> Answer:
        if self._breaker is not None:
            self._breaker.before_call()
        try:
            response = self._attempt(call)
        except LiveDataError:
            self._record(None)
            raise
        except BaseException:
            if self._breaker is not None:
                self._breaker.release()
            raise
        self._record(response)
        self._note_versions(response)
        return call.read(lines_of(response) if call.lines else body_of(response))

    def get_entity(self, entity_type: str, entity_id: str, *, as_of: Moment = None,
                   fresh: Fresh = None) -> models.EntityEnvelope:
        envelope = self._run(calls.get_entity(entity_type, entity_id, as_of, fresh))
        if not self._wants_contract(entity_type):
            return envelope
        if self._contract is None and self._pin is not None:
            self._contract = self._run(calls.get_contract(*self._pin))
        return envelope if self._contract is None else self._hold_to_contract(envelope, self._contract)

    def get_order(self, order_id: str, *, as_of: Moment = None, fresh: Fresh = None) -> models.OrderEntity:
        return parse(models.OrderEntity, self.get_entity("order", order_id, as_of=as_of, fresh=fresh).data)

    def get_user(self, user_id: str, *, as_of: Moment = None, fresh: Fresh = None) -> models.UserEntity:
        return parse(models.UserEntity, self.get_entity("user", user_id, as_of=as_of, fresh=fresh).data)

    def get_product(self, product_id: str, *, as_of: Moment = None, fresh: Fresh = None) -> models.ProductEntity:
        return parse(models.ProductEntity, self.get_entity("product", product_id, as_of=as_of, fresh=fresh).data)

    def get_session(self, session_id: str, *, as_of: Moment = None, fresh: Fresh = None) -> models.SessionEntity:
        return parse(models.SessionEntity, self.get_entity("session", session_id, as_of=as_of, fresh=fresh).data)

    def get_metric(self, name: str, window: str = "1h", *, as_of: Moment = None,
                   fresh: Fresh = None) -> models.MetricResult:
        return self._run(calls.get_metric(name, window, as_of, fresh))

    def query(self, question: calls.Question, limit: Optional[int] = None, cursor: Optional[str] = None,
              idempotency_key: Optional[str] = None, *, fresh: Fresh = None) -> models.QueryResult:
        return self._run(calls.query(question, limit, cursor, idempotency_key, fresh))

    def paginate(self, question: calls.Question, page_size: int = 100) -> Iterator[List[Any]]:
        """The rows of the answer, page by page."""
        cursor: Optional[str] = None
        while True:
            page = self.query(question, limit=page_size, cursor=cursor)
            yield page.answer if isinstance(page.answer, list) else [page.answer]
            cursor = page.metadata.get("next_cursor")
            if not page.metadata.get("has_more") or cursor is None:
                return

    def explain_query(self, question: calls.Question, contract_version: Optional[str] = None) -> models.QueryExplanation:
        return self._run(calls.explain_query(question, contract_version))

    def search(self, query: str, *, limit: int = 10,
               entity_types: Optional[Sequence[str]] = None) -> models.SearchResults:
        return self._run(calls.search(query, limit, entity_types))

    def list_contracts(self) -> List[models.ContractSummary]:
        return self._run(calls.list_contracts())

    def get_contract(self, entity: str, version: Optional[str] = None) -> models.EntityContract:
        return self._run(calls.get_contract(entity, version))

    def diff_contracts(self, entity: str, from_version: str, to_version: str) -> models.ContractDiff:
        return self._run(calls.diff_contracts(entity, from_version, to_version))

    def validate_contract(self, entity: str, payload: Mapping[str, Any], *,
                          idempotency_key: Optional[str] = None) -> models.ContractValidation:
        return self._run(calls.validate_contract(entity, payload, idempotency_key))

    def get_lineage(self, entity_type: str, entity_id: str) -> models.Lineage:
        return self._run(calls.get_lineage(entity_type, entity_id))

    def get_changelog(self) -> models.Changelog:
        return self._run(calls.get_changelog())

    def health(self) -> models.HealthStatus:
        return self._run(calls.health())

    def is_fresh(self, max_age_seconds: float = 60) -> bool:
        """Whether something arrived within so many seconds; DataFreshnessError where that cannot be told. For a
        bound on one answer, give `fresh` to the read itself."""
        return calls.judge_freshness(self.health(), max_age_seconds)

    def catalog(self) -> models.CatalogResponse:
        return self._run(calls.catalog())

    def slo(self) -> Dict[str, Any]:
        return self._run(calls.slo())

    def batch(self, requests: Sequence[Mapping[str, Any]], *,
              idempotency_key: Optional[str] = None, fresh: Fresh = None) -> Dict[str, Any]:
        """The answer as it came: an item fails by itself. batch_entity() and its like make the items."""
        return self._run(calls.batch(requests, idempotency_key, fresh))

    def features(self, entity_type: str, rows: Iterable[calls.FeatureRow],
                 columns: Optional[Sequence[str]] = None) -> models.Features:
        """Columns of many entities, each as of a time of its own, in the order of `rows`: pairs of id and time, or
        mappings with `entity_id` and `at`; without a time, as of now. Any number of rows."""
        return models.Features(list(self.stream_features(entity_type, rows, columns)))

    def stream_features(self, entity_type: str, rows: Iterable[calls.FeatureRow], columns: Optional[Sequence[str]] = None,
                        *, page_size: int = 1000) -> Iterator[Dict[str, Any]]:
        """The same row by row: `rows` is read, and asked for, in pages."""
        pages = iter(rows)
        while page := list(islice(pages, min(page_size, calls.FEATURES_AT_ONCE))):
            for row in self._run(calls.features(entity_type, page, columns)):
                yield row

    def send_event(self, event: Mapping[str, Any], *,
                   idempotency_key: Optional[str] = None) -> models.SentEvent:
        """Sends one event, which gets an id and the present time where it has none, and says what became of it."""
        return self.send_events([event], idempotency_key=idempotency_key).results[0]

    def send_events(self, events: Sequence[Mapping[str, Any]], *,
                    idempotency_key: Optional[str] = None) -> models.SentEvents:
        """Sends events in one request; each is applied, a duplicate, or a dead letter. It is safe to try again."""
        return self._run(calls.send_events(events, idempotency_key))

    def send_heartbeat(self, source: str, watermark: Moment = None, feeds: Optional[Sequence[str]] = None, *,
                       retired: bool = False) -> models.SentEvents:
        """Says that the source has sent everything up to `watermark`, or to now: a quiet source is no silent one.
        `feeds` names the entity types that it changes, all where absent; a retired source is forgotten."""
        return self._run(calls.send_heartbeat(source, watermark, feeds, retired))

    def stream_events(self, event_type: Optional[str] = None, entity_id: Optional[str] = None, *,
                      reconnect: bool = True, after: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """Events as they are applied, without end: all after the position `after` (of an answer or of sent events), or from
        the newest ones on. A stream that breaks off goes on where it was."""
        params = {k: v for k, v in (("event_type", event_type), ("entity_id", entity_id)) if v is not None}
        frames = Frames()
        failures = 0
        while True:
            headers = {"Accept": "text/event-stream"}
            if after is not None and frames.last_id is None:
                params["after"] = after
            else:
                params.pop("after", None)
            if frames.last_id is not None:
                headers["Last-Event-ID"] = frames.last_id
            try:
                with self._client.stream("GET", "/v1/stream/events", params=params, headers=headers,
                                        timeout=httpx.Timeout(10.0, read=60.0)) as response:
                    if response.status_code >= 400:
                        response.read()
                        raise error_of(response)
                    for line in response.iter_lines():
                        failures = 0
                        for event in frames.feed(line):
                            yield event
                    for event in frames.end():
                        yield event
            except httpx.HTTPError as error:
                failures += 1
                if not reconnect or failures >= self._retry.max_attempts:
                    raise LiveDataError(f"Failed to read SSE stream: {error}") from error
            if not reconnect:
                return
            time.sleep(self._retry.compute_delay(failures))
