"""What the service answers. Members that a model does not know are ignored."""

from __future__ import annotations

import dataclasses
import datetime as dt
import importlib
import typing
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Type, TypeVar, Union

from .exceptions import LiveDataError

Model = TypeVar("Model")
FINAL_STATUSES = frozenset({"delivered", "cancelled"})
OVERDUE_AFTER = dt.timedelta(hours=24)


def parse_time(text: str) -> dt.datetime:
    """A moment as the service writes it; one without a zone is UTC."""
    moment = dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.timezone.utc)


@dataclass
class AnswerFreshness:
    """Writes acknowledged by `as_of`, and everything up to `position`, are included; the sources lag
    `event_age_seconds` behind; until `valid_until` the answer may be shown again within its bounds."""

    as_of: str
    position: Optional[str] = None
    event_age_seconds: Optional[float] = None
    valid_until: Optional[str] = None


@dataclass
class EntityMeta:
    as_of: Optional[str] = None
    is_historical: bool = False
    freshness_seconds: Optional[float] = None
    health: Optional[str] = None
    stale: Optional[bool] = None
    event_age_seconds: Optional[float] = None
    reason: Optional[str] = None


@dataclass
class EntityEnvelope:
    entity_type: str
    entity_id: str
    data: Dict[str, Any]
    last_updated: Optional[str] = None
    freshness_seconds: Optional[float] = None
    status: Optional[str] = None
    meta: Optional[EntityMeta] = None
    event_age_seconds: Optional[float] = None
    freshness: Optional[AnswerFreshness] = None


@dataclass
class OrderEntity:
    order_id: str
    user_id: str
    status: str
    total_amount: float
    currency: str
    created_at: str

    @property
    def is_overdue(self) -> bool:
        """Still on its way a day after it was made."""
        age = dt.datetime.now(dt.timezone.utc) - parse_time(self.created_at)
        return self.status not in FINAL_STATUSES and age >= OVERDUE_AFTER


@dataclass
class UserEntity:
    user_id: str
    total_orders: int
    total_spent: float
    first_order_at: str
    last_order_at: str
    preferred_category: Optional[str] = None


@dataclass
class ProductEntity:
    product_id: str
    name: str
    category: str
    price: float
    in_stock: bool
    stock_quantity: int


@dataclass
class SessionEntity:
    session_id: str
    started_at: str
    event_count: int
    unique_pages: int
    funnel_stage: str
    is_conversion: bool
    user_id: Optional[str] = None
    ended_at: Optional[str] = None
    duration_seconds: Optional[float] = None


@dataclass
class MetricResult:
    metric_name: str
    value: Optional[float]
    unit: str
    window: str
    computed_at: str
    components: Optional[Dict[str, Any]] = None
    meta: Optional[EntityMeta] = None
    freshness: Optional[AnswerFreshness] = None


@dataclass
class QueryResult:
    answer: Union[Dict[str, Any], List[Any]]
    sql: Optional[str] = None
    metadata: Dict[str, Any] = field(default_factory=dict)
    interpretation: Optional[str] = None
    freshness: Optional[AnswerFreshness] = None
    plan: Optional[Dict[str, Any]] = None  # what was computed; query() takes it instead of a question

    @property
    def rows(self) -> List[Any]:
        return self.answer if isinstance(self.answer, list) else [self.answer]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of the rows; pandas must be installed."""
        return importlib.import_module("pandas").DataFrame(self.rows)

    def to_polars(self) -> Any:
        """A polars.DataFrame of the rows; polars must be installed."""
        return importlib.import_module("polars").DataFrame(self.rows)


@dataclass
class Features:
    """A row per row that was asked for: entity_id, at, the columns, and `reason` where there are no values."""

    rows: List[Dict[str, Any]]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of the rows; pandas must be installed."""
        return importlib.import_module("pandas").DataFrame(self.rows)

    def to_polars(self) -> Any:
        """A polars.DataFrame of the rows; polars must be installed."""
        return importlib.import_module("polars").DataFrame(self.rows, infer_schema_length=None)


@dataclass
class HealthComponent:
    name: str
    status: str
    message: str
    source: str
    metrics: Dict[str, Any] = field(default_factory=dict)


@dataclass
class HealthStatus:
    status: str
    checked_at: str
    components: List[HealthComponent]
    freshness_seconds: Optional[float] = None


@dataclass
class CatalogEntity:
    description: str
    fields: Any
    primary_key: str
    contract_version: Optional[str] = None


@dataclass
class CatalogMetric:
    description: str
    unit: str
    available_windows: List[str]
    contract_version: Optional[str] = None
    source_events: List[str] = field(default_factory=list)
    source_table: Optional[str] = None


@dataclass
class CatalogStreamingSource:
    path: str
    transport: str
    description: str
    filters: Dict[str, Any] = field(default_factory=dict)


@dataclass
class CatalogAuditSource:
    path: str
    description: str
    layers: List[str] = field(default_factory=list)


@dataclass
class CatalogResponse:
    entities: Dict[str, CatalogEntity]
    metrics: Dict[str, CatalogMetric]
    streaming_sources: Dict[str, CatalogStreamingSource] = field(default_factory=dict)
    audit_sources: Dict[str, CatalogAuditSource] = field(default_factory=dict)


@dataclass
class QueryExplanation:
    question: Optional[str] = None  # None of a plan
    sql: Optional[str] = None
    tables_accessed: List[str] = field(default_factory=list)
    estimated_rows: Optional[int] = None
    engine: Optional[str] = None
    warning: Optional[str] = None
    interpretation: Optional[str] = None
    plan: Optional[Dict[str, Any]] = None


@dataclass
class SearchResult:
    type: str
    id: str
    score: float
    snippet: str
    endpoint: str
    entity_type: Optional[str] = None


@dataclass
class SearchResults:
    query: str
    results: List[SearchResult]


@dataclass
class ContractField:
    name: str
    type: str
    required: bool = False
    description: Optional[str] = None
    values: Optional[List[str]] = None
    unit: Optional[str] = None


@dataclass
class ContractSummary:
    entity: str
    version: str
    released: Optional[str] = None
    status: Optional[str] = None


@dataclass
class EntityContract:
    entity: str
    version: str
    fields: List[ContractField]
    released: Optional[str] = None
    status: Optional[str] = None
    breaking_changes: List[Any] = field(default_factory=list)


@dataclass
class ContractDiff:
    entity: str
    from_version: str
    to_version: str
    breaking_changes: List[Dict[str, Any]]
    additive_changes: List[Dict[str, Any]]


@dataclass
class ContractValidation:
    entity: str
    base_version: str
    candidate_version: str
    is_breaking: bool
    requires_version_bump: bool
    breaking_changes: List[Dict[str, Any]] = field(default_factory=list)
    safe_changes: List[Dict[str, Any]] = field(default_factory=list)


@dataclass
class SentEvent:
    """What became of an event: status is applied, duplicate or dead_lettered."""

    event_id: Optional[str]
    status: str
    reason: Optional[str] = None
    detail: Optional[str] = None


@dataclass
class SentEvents:
    accepted: int
    applied: int
    dead_lettered: int
    duplicates: int
    results: List[SentEvent] = field(default_factory=list)
    heartbeats: int = 0
    position: Optional[str] = None


@dataclass
class LineageNode:
    layer: str
    system: str
    table_or_topic: str
    processed_at: Optional[str] = None
    quality_score: Optional[float] = None


@dataclass
class Lineage:
    entity_type: str
    entity_id: str
    lineage: List[LineageNode]
    freshness_seconds: Optional[float] = None
    validated: bool = False
    enriched: bool = False
    event_age_seconds: Optional[float] = None


@dataclass
class ChangelogVersion:
    date: str
    status: Optional[str] = None
    changes: List[str] = field(default_factory=list)


@dataclass
class Changelog:
    versions: List[ChangelogVersion]
    latest_version: Optional[str] = None


def _convert(hint: Any, value: Any, where: str) -> Any:
    """A JSON value as the type asks for it; whole numbers count as floats."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin is Union:
        if value is None and type(None) in arguments:
            return None
        choices = [choice for choice in arguments if choice is not type(None)]
        for choice in choices[:-1]:
            if isinstance(value, typing.get_origin(choice) or choice):
                return _convert(choice, value, where)
        return _convert(choices[-1], value, where)
    if dataclasses.is_dataclass(hint):
        return parse(typing.cast(Type[Any], hint), value, where)
    if origin in (list, List) and isinstance(value, list):
        items: List[Any] = value
        return [_convert(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(items)]
    if origin in (dict, Dict) and isinstance(value, dict):
        members = typing.cast(Dict[str, Any], value)
        return {key: _convert(arguments[1], item, f"{where}.{key}") for key, item in members.items()}
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, type) and isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
        return value
    raise LiveDataError(f"Unexpected answer: {where} is {value!r}")


def parse(model: Type[Model], value: Any, where: str = "") -> Model:
    """An instance of the model from decoded JSON. LiveDataError names the member that does not fit."""
    where = where or model.__name__
    if not isinstance(value, dict):
        raise LiveDataError(f"Unexpected answer: {where} is {value!r}")
    members = typing.cast(Dict[str, Any], value)
    hints = typing.get_type_hints(model)
    given: Dict[str, Any] = {}
    for each in dataclasses.fields(typing.cast(Any, model)):
        if each.name in members:
            given[each.name] = _convert(hints[each.name], members[each.name], f"{where}.{each.name}")
        elif each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING:
            raise LiveDataError(f"Unexpected answer: {where}.{each.name} is missing")
    return model(**given)
