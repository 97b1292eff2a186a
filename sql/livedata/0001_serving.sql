-- Serving tables of live data: the state of entities, the journal of what was applied, and what could not be.
-- The tenant leads every key. Times are microseconds since 1970, UTC; amounts are hundredths of the currency.
CREATE TABLE orders_v2 (
    tenant_id {text} NOT NULL DEFAULT 'default',
    order_id {text} NOT NULL,
    user_id {text} NOT NULL,
    status {text} NOT NULL,
    total_cents {integer} NOT NULL,
    currency {text} NOT NULL DEFAULT 'RUB',
    created_at {integer} NOT NULL,
    state_ts {integer} NOT NULL DEFAULT 0,
    last_event_id {text} NOT NULL DEFAULT '',
    updated_at {integer},
    PRIMARY KEY (tenant_id, order_id)
) {strict};
CREATE INDEX orders_by_created ON orders_v2 (tenant_id, created_at);
CREATE INDEX orders_by_user ON orders_v2 (tenant_id, user_id, created_at);
CREATE INDEX orders_by_status ON orders_v2 (tenant_id, status);

CREATE TABLE order_items (
    tenant_id {text} NOT NULL DEFAULT 'default',
    order_id {text} NOT NULL,
    product_id {text} NOT NULL,
    quantity {integer} NOT NULL,
    amount_cents {integer} NOT NULL,
    PRIMARY KEY (tenant_id, order_id, product_id)
) {strict};
CREATE INDEX order_items_by_product ON order_items (tenant_id, product_id);

CREATE TABLE products_current (
    tenant_id {text} NOT NULL DEFAULT 'default',
    product_id {text} NOT NULL,
    name {text} NOT NULL,
    category {text} NOT NULL,
    price_cents {integer} NOT NULL,
    in_stock {boolean} NOT NULL,
    stock_quantity {integer} NOT NULL,
    state_ts {integer} NOT NULL DEFAULT 0,
    last_event_id {text} NOT NULL DEFAULT '',
    updated_at {integer},
    PRIMARY KEY (tenant_id, product_id)
) {strict};

-- `ended_at` is set for imported sessions; others end 30 minutes after their last event.
CREATE TABLE sessions_aggregated (
    tenant_id {text} NOT NULL DEFAULT 'default',
    session_id {text} NOT NULL,
    user_id {text},
    started_at {integer} NOT NULL,
    ended_at {integer},
    duration_us {integer},
    event_count {integer} NOT NULL,
    unique_pages {integer} NOT NULL,
    funnel_stage {text} NOT NULL,
    is_conversion {boolean} NOT NULL,
    last_event_at {integer},
    user_ts {integer} NOT NULL DEFAULT 0,
    user_event_id {text} NOT NULL DEFAULT '',
    updated_at {integer},
    PRIMARY KEY (tenant_id, session_id)
) {strict};
CREATE INDEX sessions_by_start ON sessions_aggregated (tenant_id, started_at);

CREATE TABLE session_pages (
    tenant_id {text} NOT NULL DEFAULT 'default',
    session_id {text} NOT NULL,
    page_url {text} NOT NULL,
    PRIMARY KEY (tenant_id, session_id, page_url)
) {strict};

CREATE TABLE users_enriched (
    tenant_id {text} NOT NULL DEFAULT 'default',
    user_id {text} NOT NULL,
    total_orders {integer} NOT NULL,
    total_cents {integer} NOT NULL,
    first_order_at {integer},
    last_order_at {integer},
    preferred_category {text},
    updated_at {integer},
    PRIMARY KEY (tenant_id, user_id)
) {strict};

-- Units that a user has bought of a product, by orders that were not cancelled and by all.
CREATE TABLE user_units (
    tenant_id {text} NOT NULL DEFAULT 'default',
    user_id {text} NOT NULL,
    product_id {text} NOT NULL,
    units {integer} NOT NULL,
    all_units {integer} NOT NULL,
    PRIMARY KEY (tenant_id, user_id, product_id)
) {strict};
CREATE INDEX user_units_by_product ON user_units (tenant_id, product_id);

-- The journal: one row for each event that was applied, each new state of an order, each event that could not
-- be applied. `seq` grows with the order of writing; `entity_data` is the state after the event.
CREATE TABLE pipeline_events (
    seq {identity},
    tenant_id {text} NOT NULL DEFAULT 'default',
    event_id {text} NOT NULL,
    topic {text} NOT NULL,
    entity_type {text},
    entity_id {text},
    event_type {text},
    latency_ms {integer},
    status_code {integer},
    processed_at {integer} NOT NULL,
    source {text},
    way_in {text},
    branch {text},
    entity_data {text}
) {strict};
CREATE UNIQUE INDEX pipeline_events_once ON pipeline_events (tenant_id, topic, event_id);
CREATE INDEX pipeline_events_by_time ON pipeline_events (tenant_id, processed_at);
CREATE INDEX pipeline_events_by_entity ON pipeline_events (tenant_id, entity_id, processed_at);
CREATE INDEX pipeline_events_by_type ON pipeline_events (tenant_id, entity_type, processed_at);

CREATE TABLE dead_letter_events (
    tenant_id {text} NOT NULL DEFAULT 'default',
    event_id {text} NOT NULL,
    event_type {text},
    payload {text} NOT NULL,
    failure_reason {text} NOT NULL,
    failure_detail {text},
    received_at {integer} NOT NULL,
    retry_count {integer} NOT NULL DEFAULT 0,
    last_retried_at {integer},
    status {text} NOT NULL,
    PRIMARY KEY (tenant_id, event_id)
) {strict};
CREATE INDEX dead_letters_by_time ON dead_letter_events (tenant_id, status, received_at);

-- What answers are valid for: a change of a tenant's table raises its number, in the same transaction.
CREATE TABLE cache_generation (
    tenant_id {text} NOT NULL,
    table_name {text} NOT NULL,
    gen {integer} NOT NULL,
    last_event_at {integer} NOT NULL,
    PRIMARY KEY (tenant_id, table_name)
) {strict};
CREATE INDEX cache_generation_by_time ON cache_generation (last_event_at);

-- When an event of a type was applied last, for the freshness of metrics.
CREATE TABLE event_freshness (
    tenant_id {text} NOT NULL,
    event_type {text} NOT NULL,
    applied_at {integer} NOT NULL,
    events {integer} NOT NULL,
    PRIMARY KEY (tenant_id, event_type)
) {strict};
