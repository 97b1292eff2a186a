/** What the service answers. Members that a type does not name are passed on as they came. */

export type MetricName =
    | 'revenue'
    | 'order_count'
    | 'avg_order_value'
    | 'conversion_rate'
    | 'active_sessions'
    | 'error_rate';
export type TimeWindow = '5m' | '15m' | '1h' | '6h' | '24h' | '7d' | 'now';

export interface EntityMeta {
    as_of?: string | null;
    is_historical?: boolean;
    freshness_seconds?: number | null;
    /** Age of the newest event by its own time. */
    event_age_seconds?: number | null;
    /** Why a metric has no value. */
    reason?: string | null;
    health?: string | null;
    stale?: boolean | null;
}

/** How fresh an answer is. */
export interface AnswerFreshness {
    /** Writes that were acknowledged by then are included. */
    as_of: string;
    /** Everything up to it is included. */
    position: string | null;
    /** How far the slowest source of the data lags behind. */
    event_age_seconds: number | null;
    /** Until then the answer may be shown again within its bounds. */
    valid_until: string;
}

export interface EntityEnvelope<T = Record<string, unknown>> {
    entity_type: string;
    entity_id: string;
    status?: string | null;
    data: T;
    last_updated?: string | null;
    freshness_seconds?: number | null;
    event_age_seconds?: number | null;
    meta?: EntityMeta | null;
    freshness?: AnswerFreshness | null;
}

export interface OrderEntity {
    order_id: string;
    user_id: string;
    status: string;
    total_amount: number | null;
    currency: string;
    created_at: string;
    is_overdue?: boolean;
}

export interface UserEntity {
    user_id: string;
    total_orders: number | null;
    total_spent: number | null;
    first_order_at: string;
    last_order_at: string;
    preferred_category: string | null;
}

export interface ProductEntity {
    product_id: string;
    name: string;
    category: string;
    price: number | null;
    in_stock: boolean;
    stock_quantity: number | null;
}

export interface SessionEntity {
    session_id: string;
    user_id: string | null;
    started_at: string;
    ended_at: string | null;
    duration_seconds: number | null;
    event_count: number | null;
    unique_pages: number | null;
    funnel_stage: string;
    is_conversion: boolean;
}

export interface MetricResult {
    metric_name: string;
    /** null for a ratio of nothing; `meta.reason` says why. */
    value: number | null;
    unit: string;
    window: string;
    computed_at: string;
    components: Record<string, unknown> | null;
    meta?: EntityMeta | null;
    freshness?: AnswerFreshness | null;
}

export interface QueryResult {
    answer: Record<string, unknown> | unknown[];
    sql: string | null;
    metadata: Record<string, unknown>;
    /** One sentence: what was computed. */
    interpretation?: string;
    freshness?: AnswerFreshness;
    /** What was computed; query() takes it instead of a question. */
    plan?: QueryPlan;
}

/** A question as data: that of an answer, changed or not. */
export interface QueryPlan {
    entity?: string | null;
    select: string;
    column?: string | null;
    metric?: string | null;
    key?: string | null;
    filters?: { column: string; op: string; values?: (string | number | boolean)[] | null }[];
    period?: QueryPeriod | null;
    group_by?: string[];
    order?: { by: string; descending?: boolean } | null;
    limit?: number | null;
    compare?: QueryPeriod | null;
    quantile?: number | null;
}

/** ISO 8601; null is open, `to` is not included. */
export interface QueryPeriod {
    from?: string | null;
    to?: string | null;
}

/** What is asked for: an entity as of a time, or as of now. */
export interface FeatureAsked {
    entity_id: string;
    at?: Date | string | null;
}

/** The columns as of that time; without values `reason` says why. */
export type FeatureRow<T = Record<string, unknown>> = { [Name in keyof T]: T[Name] | null } & {
    entity_id: string;
    at: string | null;
    reason: 'not_found' | 'deleted' | 'before_retention' | null;
};

export interface QueryExplanation {
    /** null of a plan. */
    question: string | null;
    sql: string | null;
    tables_accessed: string[];
    estimated_rows: number | null;
    engine: string;
    warning: string | null;
    interpretation?: string;
    plan?: QueryPlan;
}

export interface SearchResult {
    type: string;
    id: string;
    entity_type: string | null;
    score: number;
    snippet: string;
    endpoint: string;
}

export interface SearchResults {
    query: string;
    results: SearchResult[];
}

export interface ContractField {
    name: string;
    type: string;
    required?: boolean;
    description?: string;
    values?: string[];
    unit?: string;
}

export interface ContractSummary {
    entity: string;
    version: string;
    released?: string;
    status?: string;
}

export interface EntityContract extends ContractSummary {
    fields: ContractField[];
    breaking_changes?: unknown[];
}

export interface ContractDiff {
    entity: string;
    from_version: string;
    to_version: string;
    breaking_changes: Record<string, unknown>[];
    additive_changes: Record<string, unknown>[];
}

export interface ContractValidation {
    entity: string;
    base_version: string;
    candidate_version: string;
    breaking_changes: Record<string, unknown>[];
    safe_changes: Record<string, unknown>[];
    is_breaking: boolean;
    requires_version_bump: boolean;
}

export interface LineageNode {
    layer: string;
    system: string;
    table_or_topic: string;
    processed_at: string | null;
    quality_score: number | null;
}

export interface Lineage {
    entity_type: string;
    entity_id: string;
    lineage: LineageNode[];
    freshness_seconds: number | null;
    event_age_seconds?: number | null;
    validated: boolean;
    enriched: boolean;
}

export interface Changelog {
    latest_version: string;
    versions: { date: string; status: string; changes: string[] }[];
}

export interface HealthComponent {
    name: string;
    status: string;
    message: string;
    source: string;
    metrics: Record<string, unknown>;
}

export interface HealthStatus {
    status: string;
    checked_at: string;
    components: HealthComponent[];
    /** Age of the newest event; null where the service does not know it. */
    freshness_seconds: number | null;
}

export interface CatalogEntity {
    description: string;
    fields: unknown;
    primary_key: string;
    contract_version: string | null;
}

export interface CatalogMetric {
    description: string;
    unit: string;
    available_windows: string[];
    contract_version: string | null;
    source_events: string[];
    source_table: string | null;
}

export interface CatalogStreamingSource {
    path: string;
    transport: string;
    description: string;
    filters: Record<string, unknown>;
}

export interface CatalogAuditSource {
    path: string;
    description: string;
    layers: string[];
}

export interface CatalogResponse {
    entities: Record<string, CatalogEntity>;
    metrics: Record<string, CatalogMetric>;
    streaming_sources: Record<string, CatalogStreamingSource>;
    audit_sources: Record<string, CatalogAuditSource>;
}

export interface SloStatus {
    name: string;
    status: string;
    current: number | null;
    target: number;
    error_budget_remaining: number | null;
    window: string;
}

export interface SloResponse {
    slos: SloStatus[];
}

export interface BatchItem {
    id: string;
    type: 'entity' | 'metric' | 'query';
    params: Record<string, unknown>;
}

export interface BatchResult {
    id: string;
    status: 'ok' | 'error';
    data?: Record<string, unknown> | null;
    error?: string | null;
}

export interface BatchResponse {
    results: BatchResult[];
    duration_ms: number;
    freshness?: AnswerFreshness;
}

export interface PipelineEvent {
    event_id: string;
    topic?: string;
    processed_at?: string;
    event_type?: string;
    entity_id?: string;
    latency_ms?: number;
    [column: string]: unknown;
}

export interface EventFilters {
    eventType?: string;
    entityId?: string;
    /** The position of an answer or of sent events: the stream begins with all events after it. */
    after?: string;
}

/** An event to be sent; `event_id` and `timestamp` are added where they are absent. */
export interface NewEvent {
    event_type: string;
    source: string;
    event_id?: string;
    timestamp?: string;
    [name: string]: unknown;
}

export interface SentEvent {
    event_id: string | null;
    status: 'applied' | 'duplicate' | 'dead_lettered';
    reason: string | null;
    /** All that is wrong with it. */
    detail?: string | null;
}

export interface SentEvents {
    accepted: number;
    applied: number;
    dead_lettered: number;
    duplicates: number;
    results: SentEvent[];
    heartbeats?: number;
    /** A read with it as `fresh` shows these events, on every host. */
    position?: string | null;
}
