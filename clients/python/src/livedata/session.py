"""What both clients share: headers, what an answer means, pinned contracts, frames of a stream."""

from __future__ import annotations

import datetime as dt
import email.utils
import json
from collections.abc import Iterator, Mapping
from typing import Any, Dict, Optional, TypeVar, cast

import httpx

from .calls import BatchItems
from .circuit_breaker import CircuitBreaker
from .exceptions import (
    AuthError,
    EntityNotFoundError,
    LiveDataError,
    PermissionDeniedError,
    RateLimitError,
    StaleDataError,
)
from .models import EntityContract, EntityEnvelope
from .retry import RETRYABLE_STATUS, RetryPolicy

Self = TypeVar("Self", bound="Session")
VERSION_HEADER = "X-Live-Version"


def retry_after_of(response: httpx.Response) -> float | None:
    """Seconds from now: the header holds seconds or a date."""
    text = response.headers.get("Retry-After")
    if text is None:
        return None
    try:
        return max(float(text), 0.0)
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.timezone.utc)
    return max((moment - dt.datetime.now(dt.timezone.utc)).total_seconds(), 0.0)


def _detail_of(response: httpx.Response) -> str | None:
    try:
        body = response.json()
    except ValueError:
        return None
    detail = cast(Dict[str, Any], body).get("detail") if isinstance(body, dict) else None
    return detail if detail is None or isinstance(detail, str) else json.dumps(detail)


def _stale(response: httpx.Response, detail: str | None) -> StaleDataError:
    body = cast(Dict[str, Any], response.json()) if detail else {}
    return StaleDataError(detail or "Not as fresh as demanded", body.get("code"), body.get("event_age_seconds"))


def error_of(response: httpx.Response) -> LiveDataError:
    """The exception that an answer of 400 or above stands for."""
    status, detail = response.status_code, _detail_of(response)
    segments = [part for part in response.request.url.raw_path.decode("ascii").split("?")[0].split("/") if part]
    if status == 401:
        return AuthError(detail or "Unauthorized")
    if status == 403:
        return PermissionDeniedError(detail or "Forbidden")
    if status == 412:
        return _stale(response, detail)
    if status == 429:
        return RateLimitError(detail or "Rate limit exceeded", retry_after_of(response) or 0)
    if status == 404 and len(segments) >= 4 and segments[1] == "entity":
        entity_type, entity_id = (httpx.URL(path=f"/{part}").path[1:] for part in segments[2:4])
        return EntityNotFoundError(entity_type, entity_id, detail)
    return LiveDataError(detail or f"HTTP {status} {response.reason_phrase}".strip(), status)


def body_of(response: httpx.Response) -> Any:
    if response.status_code >= 400:
        raise error_of(response)
    try:
        return response.json()
    except ValueError:
        kind = response.headers.get("Content-Type")
        raise LiveDataError(f"Expected JSON response but received '{kind}'", response.status_code) from None


def lines_of(response: httpx.Response) -> list[Any]:
    """The rows of an answer that is a line of JSON per row."""
    if response.status_code >= 400:
        raise error_of(response)
    try:
        return [json.loads(line) for line in response.content.decode("utf-8").split("\n") if line]
    except ValueError as error:
        raise LiveDataError(f"Expected lines of JSON: {error}", response.status_code) from None


def parse_pin(contract_version: str | None) -> tuple[str, str] | None:
    """`order:v1` as ("order", "1")."""
    if contract_version is None:
        return None
    entity, colon, version = contract_version.partition(":")
    version = version[1:] if version.startswith("v") else version
    if not (entity and colon and version):
        raise ValueError("contract_version must use '<entity>:<version>' format.")
    return entity, version


class Frames:
    """Puts the lines of an event stream together."""

    def __init__(self) -> None:
        self.last_id: str | None = None
        self._data: list[str] = []

    def feed(self, line: str) -> Iterator[Dict[str, Any]]:
        line = line.rstrip("\r")
        if line.startswith("data:"):
            self._data.append(line[6:] if line[5:6] == " " else line[5:])
        elif line.startswith("id:"):
            self.last_id = line[3:].strip()
        elif not line:
            yield from self.end()

    def end(self) -> Iterator[Dict[str, Any]]:
        """What is there when the stream ends counts as a frame."""
        if not self._data:
            return
        text, self._data = "\n".join(self._data), []
        try:
            event = json.loads(text)
        except ValueError as error:
            raise LiveDataError(f"Failed to read SSE stream: {error}") from error
        yield cast(Dict[str, Any], event)


class Session(BatchItems):
    """State of a client; the transport is the subclass's."""

    def __init__(self, api_key: str, contract_version: Optional[str], api_version: Optional[str],
                 retry_policy: Optional[RetryPolicy], circuit_breaker: Optional[CircuitBreaker]) -> None:
        self._headers = {"X-API-Key": api_key}
        if api_version:
            self._headers[VERSION_HEADER] = api_version
        self._pin = parse_pin(contract_version)
        self._contract: Optional[EntityContract] = None
        self._retry = retry_policy or RetryPolicy()
        self._breaker = circuit_breaker
        self.last_server_version: Optional[str] = None
        self.last_latest_version: Optional[str] = None
        self.last_deprecated: Optional[str] = None
        self.last_deprecation_warning: Optional[str] = None

    @property
    def retry_policy(self) -> RetryPolicy:
        return self._retry

    @property
    def circuit_breaker(self) -> Optional[CircuitBreaker]:
        return self._breaker

    def configure_resilience(self: Self, retry_policy: Optional[RetryPolicy] = None,
                             circuit_breaker: Optional[CircuitBreaker] = None) -> Self:
        """Changes what is given and returns the client."""
        self._retry = retry_policy or self._retry
        self._breaker = circuit_breaker or self._breaker
        return self

    def _note_versions(self, response: httpx.Response) -> None:
        headers = response.headers
        self.last_server_version = headers.get("X-Live-Version")
        self.last_latest_version = headers.get("X-Live-Latest-Version")
        self.last_deprecated = headers.get("X-Live-Deprecated")
        self.last_deprecation_warning = headers.get("X-Live-Deprecation-Warning")

    def _pause_after(self, method: str, headers: Mapping[str, str], attempt: int,
                     response: httpx.Response | None) -> float | None:
        """Seconds until the next attempt; None where there is none. Waiting for longer than the plan
        allows is the caller's decision, so a longer Retry-After ends the attempts."""
        if attempt + 1 >= self._retry.max_attempts or not self._retry.is_retryable_method(method, headers):
            return None
        if response is not None and response.status_code not in RETRYABLE_STATUS:
            return None
        asked = retry_after_of(response) if response is not None else None
        if asked is not None and asked > self._retry.max_delay_s:
            return None
        return self._retry.compute_delay(attempt, asked)

    def _record(self, response: httpx.Response | None) -> None:
        if self._breaker is None:
            return
        if response is None or response.status_code >= 500:
            self._breaker.record_failure()
        else:
            self._breaker.record_success()

    def _wants_contract(self, entity_type: str) -> bool:
        return self._pin is not None and self._pin[0] == entity_type

    def _hold_to_contract(self, envelope: EntityEnvelope, contract: EntityContract) -> EntityEnvelope:
        names = [each.name for each in contract.fields]
        missing = [each.name for each in contract.fields if each.required and each.name not in envelope.data]
        if missing:
            raise LiveDataError(f"Contract validation failed. Missing required fields: {', '.join(missing)}")
        envelope.data = {name: envelope.data[name] for name in names if name in envelope.data}
        return envelope
