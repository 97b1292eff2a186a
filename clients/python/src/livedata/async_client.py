"""The asynchronous client."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
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
Client = TypeVar("Client", bound="AsyncLiveDataClient")
Moment = Union[dt.datetime, str, None]  # ISO text


class AsyncLiveDataClient(Session):
    """Asks the live-data service without blocking the event loop.

    Every method raises a LiveDataError of livedata.exceptions when the service refuses or cannot be reached.
    """

    def __init__(self, base_url: str, api_key: str, timeout: float = 10.0, contract_version: Optional[str] = None,
                 api_version: Optional[str] = None, *, retry_policy: Optional[RetryPolicy] = None,
                 circuit_breaker: Optional[CircuitBreaker] = None) -> None:
        super().__init__(api_key, contract_version, api_version, retry_policy, circuit_breaker)
        self._http = httpx.AsyncClient(base_url=base_url.rstrip("/"), headers=self._headers, timeout=timeout)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self: Client) -> Client:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        await self.aclose()

    async def _attempt(self, call: Call[Any]) -> httpx.Response:
        """Tries until an answer counts; each pause is the policy's."""
        attempt = 0
        while True:
            response: httpx.Response | None = None
            failure: httpx.HTTPError | None = None
            try:
                response = await self._http.request(call.method, call.path, params=call.params or None,
                                               json=call.json, headers=dict(call.headers))
            except httpx.HTTPError as error:
                failure = error
            if response is None or response.status_code >= 400:
                pause = self._pause_after(call.method, call.headers, attempt, response)
                if pause is not None:
                    await asyncio.sleep(pause)
                    attempt += 1
                    continue
            if response is not None:
                return response
            raise LiveDataError(f"Request failed: {failure}") from failure

    async def _run(self, call: Call[Answer]) -> Answer:
        if self._breaker is not None:
            self._breaker.before_call()
        try:
            response = await self._attempt(call)
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

    async def get_entity(self, entity_type: str, entity_id: str, *, as_of: Moment = None,
                   fresh: Fresh = None) -> models.EntityEnvelope:
        envelope = await self._run(calls.get_entity(entity_type, entity_id, as_of, fresh))
        if not self._wants_contract(entity_type):
            return envelope
        if self._contract is None and self._pin is not None:
            self._contract = await self._run(calls.get_contract(*self._pin))
        return envelope if self._contract is None else self._hold_to_contract(envelope, self._contract)

    async def get_order(self, order_id: str, *, as_of: Moment = None, fresh: Fresh = None) -> models.OrderEntity:
        return parse(models.OrderEntity, (await self.get_entity("order", order_id, as_of=as_of, fresh=fresh)).data)

    async def get_user(self, user_id: str, *, as_of: Moment = None, fresh: Fresh = None) -> models.UserEntity:
        return parse(models.UserEntity, (await self.get_entity("user", user_id, as_of=as_of, fresh=fresh)).data)

    async def get_product(self, product_id: str, *, as_of: Moment = None, fresh: Fresh = None) -> models.ProductEntity:
        return parse(models.ProductEntity, (await self.get_entity("product", product_id, as_of=as_of, fresh=fresh)).data)

    async def get_session(self, session_id: str, *, as_of: Moment = None, fresh: Fresh = None) -> models.SessionEntity:
        return parse(models.SessionEntity, (await self.get_entity("session", session_id, as_of=as_of, fresh=fresh)).data)

    async def get_metric(self, name: str, window: str = "1h", *, as_of: Moment = None,
                   fresh: Fresh = None) -> models.MetricResult:
        return await self._run(calls.get_metric(name, window, as_of, fresh))

    async def query(self, question: calls.Question, limit: Optional[int] = None, cursor: Optional[str] = None,
              idempotency_key: Optional[str] = None, *, fresh: Fresh = None) -> models.QueryResult:
        return await self._run(calls.query(question, limit, cursor, idempotency_key, fresh))

    async def paginate(self, question: calls.Question, page_size: int = 100) -> AsyncIterator[List[Any]]:
        """The rows of the answer, page by page."""
        cursor: Optional[str] = None
        while True:
            page = await self.query(question, limit=page_size, cursor=cursor)
            yield page.answer if isinstance(page.answer, list) else [page.answer]
            cursor = page.metadata.get("next_cursor")
            if not page.metadata.get("has_more") or cursor is None:
                return

    async def explain_query(self, question: calls.Question, contract_version: Optional[str] = None) -> models.QueryExplanation:
        return await self._run(calls.explain_query(question, contract_version))

    async def search(self, query: str, *, limit: int = 10,
               entity_types: Optional[Sequence[str]] = None) -> models.SearchResults:
        return await self._run(calls.search(query, limit, entity_types))

    async def list_contracts(self) -> List[models.ContractSummary]:
        return await self._run(calls.list_contracts())

    async def get_contract(self, entity: str, version: Optional[str] = None) -> models.EntityContract:
        return await self._run(calls.get_contract(entity, version))

    async def diff_contracts(self, entity: str, from_version: str, to_version: str) -> models.ContractDiff:
        return await self._run(calls.diff_contracts(entity, from_version, to_version))

    async def validate_contract(self, entity: str, payload: Mapping[str, Any], *,
                          idempotency_key: Optional[str] = None) -> models.ContractValidation:
        return await self._run(calls.validate_contract(entity, payload, idempotency_key))

    async def get_lineage(self, entity_type: str, entity_id: str) -> models.Lineage:
        return await self._run(calls.get_lineage(entity_type, entity_id))

    async def get_changelog(self) -> models.Changelog:
        return await self._run(calls.get_changelog())

    async def health(self) -> models.HealthStatus:
        return await self._run(calls.health())

    async def is_fresh(self, max_age_seconds: float = 60) -> bool:
        """Whether something arrived within so many seconds; DataFreshnessError where that cannot be told. For a
        bound on one answer, give `fresh` to the read itself."""
        return calls.judge_freshness(await self.health(), max_age_seconds)

    async def catalog(self) -> models.CatalogResponse:
        return await self._run(calls.catalog())

    async def slo(self) -> Dict[str, Any]:
        return await self._run(calls.slo())

    async def batch(self, requests: Sequence[Mapping[str, Any]], *,
              idempotency_key: Optional[str] = None, fresh: Fresh = None) -> Dict[str, Any]:
        """The answer as it came: an item fails by itself. batch_entity() and its like make the items."""
        return await self._run(calls.batch(requests, idempotency_key, fresh))

    async def features(self, entity_type: str, rows: Iterable[calls.FeatureRow],
                 columns: Optional[Sequence[str]] = None) -> models.Features:
        """Columns of many entities, each as of a time of its own, in the order of `rows`: pairs of id and time, or
        mappings with `entity_id` and `at`; without a time, as of now. Any number of rows."""
        return models.Features([row async for row in self.stream_features(entity_type, rows, columns)])

    async def stream_features(self, entity_type: str, rows: Iterable[calls.FeatureRow], columns: Optional[Sequence[str]] = None,
                        *, page_size: int = 1000) -> AsyncIterator[Dict[str, Any]]:
        """The same row by row: `rows` is read, and asked for, in pages."""
        pages = iter(rows)
        while page := list(islice(pages, min(page_size, calls.FEATURES_AT_ONCE))):
            for row in await self._run(calls.features(entity_type, page, columns)):
                yield row

    async def send_event(self, event: Mapping[str, Any], *,
                   idempotency_key: Optional[str] = None) -> models.SentEvent:
        """Sends one event, which gets an id and the present time where it has none, and says what became of it."""
        return (await self.send_events([event], idempotency_key=idempotency_key)).results[0]

    async def send_events(self, events: Sequence[Mapping[str, Any]], *,
                    idempotency_key: Optional[str] = None) -> models.SentEvents:
        """Sends events in one request; each is applied, a duplicate, or a dead letter. It is safe to try again."""
        return await self._run(calls.send_events(events, idempotency_key))

    async def send_heartbeat(self, source: str, watermark: Moment = None, feeds: Optional[Sequence[str]] = None, *,
                       retired: bool = False) -> models.SentEvents:
        """Says that the source has sent everything up to `watermark`, or to now: a quiet source is no silent one.
        `feeds` names the entity types that it changes, all where absent; a retired source is forgotten."""
        return await self._run(calls.send_heartbeat(source, watermark, feeds, retired))

    async def stream_events(self, event_type: Optional[str] = None, entity_id: Optional[str] = None, *,
                      reconnect: bool = True, after: Optional[str] = None) -> AsyncIterator[Dict[str, Any]]:
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
                async with self._http.stream("GET", "/v1/stream/events", params=params, headers=headers,
                                        timeout=httpx.Timeout(10.0, read=60.0)) as response:
                    if response.status_code >= 400:
                        await response.aread()
                        raise error_of(response)
                    async for line in response.aiter_lines():
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
            await asyncio.sleep(self._retry.compute_delay(failures))
