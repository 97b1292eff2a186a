-- Conversations, answers with their traces, and what people and evaluators said of them.

CREATE TABLE sessions (
    tenant_id {text} NOT NULL,
    id {text} NOT NULL,
    created_at {text} NOT NULL,
    last_access {text} NOT NULL,
    message_count {integer} NOT NULL,
    pending_action {json},
    PRIMARY KEY (tenant_id, id)
) {strict};
CREATE INDEX sessions_by_access ON sessions (tenant_id, last_access);

CREATE TABLE messages (
    id {identity},
    tenant_id {text} NOT NULL,
    session_id {text} NOT NULL,
    role {text} NOT NULL,
    content {text} NOT NULL,
    created_at {text} NOT NULL,
    trace_id {text}
) {strict};
CREATE INDEX messages_of_session ON messages (tenant_id, session_id, id);

CREATE TABLE traces (
    trace_id {text} PRIMARY KEY,
    tenant_id {text} NOT NULL,
    started_at {text} NOT NULL,
    finished_at {text},
    final_route {text},
    final_quality {integer},
    final_relevance {real},
    request_id {text},
    session_id {text},
    user_id {text},
    question {text} NOT NULL,
    answer {text},
    channel {text} NOT NULL,
    language {text},
    knowledge_gap {boolean} NOT NULL,
    complexity {text},
    factuality_score {integer},
    duration_ms {real},
    cost_usd {real} NOT NULL,
    kb_version {integer},
    answer_words {integer},
    experiment_id {text},
    categories {json}
) {strict};
CREATE INDEX traces_by_start ON traces (tenant_id, started_at);
CREATE INDEX traces_of_session ON traces (tenant_id, session_id);

CREATE TABLE trace_steps (
    trace_id {text} NOT NULL REFERENCES traces (trace_id) ON DELETE CASCADE,
    step_order {integer} NOT NULL,
    node_name {text} NOT NULL,
    state_json {json} NOT NULL,
    ts {text} NOT NULL,
    prompt_tokens {integer},
    completion_tokens {integer},
    model_name {text},
    provider_name {text},
    cost_usd {real},
    PRIMARY KEY (trace_id, step_order)
) {strict};
CREATE INDEX trace_steps_by_provider ON trace_steps (provider_name, ts);

-- Documents are stored once per trace; steps refer to them by `ref`.
CREATE TABLE trace_docs (
    trace_id {text} NOT NULL REFERENCES traces (trace_id) ON DELETE CASCADE,
    ref {integer} NOT NULL,
    doc_id {text} NOT NULL,
    title {text} NOT NULL,
    page_content {text} NOT NULL,
    metadata {json} NOT NULL,
    PRIMARY KEY (trace_id, ref)
) {strict};

-- A vote on a trace that is unknown, or another tenant's, has no link to it.
CREATE TABLE feedback (
    id {identity},
    tenant_id {text} NOT NULL,
    trace_id {text} NOT NULL,
    session_id {text} NOT NULL,
    rating {text} NOT NULL CHECK (rating IN ('up', 'down')),
    reason {text} NOT NULL,
    linked {boolean} NOT NULL,
    ts {text} NOT NULL
) {strict};
CREATE UNIQUE INDEX feedback_once ON feedback (tenant_id, trace_id, session_id);
CREATE INDEX feedback_by_time ON feedback (tenant_id, ts);

CREATE TABLE trace_evaluations (
    trace_id {text} NOT NULL REFERENCES traces (trace_id) ON DELETE CASCADE,
    tenant_id {text} NOT NULL,
    evaluator_name {text} NOT NULL,
    score {real} NOT NULL,
    verdict {text} NOT NULL,
    metadata {json} NOT NULL,
    evaluated_at {text} NOT NULL,
    PRIMARY KEY (trace_id, evaluator_name)
) {strict};
CREATE INDEX trace_evaluations_by_time ON trace_evaluations (tenant_id, evaluator_name, evaluated_at);

CREATE TABLE escalated_tickets (
    id {text} PRIMARY KEY,
    tenant_id {text} NOT NULL,
    session_id {text} NOT NULL,
    trace_id {text},
    user_question {text} NOT NULL,
    ai_draft {text},
    operator_response {text},
    status {text} NOT NULL,
    created_at {text} NOT NULL,
    resolved_at {text}
) {strict};
CREATE INDEX escalated_tickets_newest ON escalated_tickets (tenant_id, created_at);
CREATE INDEX escalated_tickets_of_session ON escalated_tickets (tenant_id, session_id);

CREATE TABLE knowledge_gaps (
    id {identity},
    tenant_id {text} NOT NULL,
    cluster_id {text} NOT NULL,
    topic_summary {text} NOT NULL,
    sample_questions {json} NOT NULL,
    question_count {integer} NOT NULL,
    created_at {text} NOT NULL,
    resolved_at {text}
) {strict};
CREATE INDEX knowledge_gaps_newest ON knowledge_gaps (tenant_id, created_at);

CREATE TABLE kb_drafts (
    id {text} PRIMARY KEY,
    tenant_id {text} NOT NULL,
    topic {text} NOT NULL,
    draft_content {text} NOT NULL,
    source_ticket_ids {json} NOT NULL,
    status {text} NOT NULL,
    created_at {text} NOT NULL,
    reviewed_at {text}
) {strict};
CREATE INDEX kb_drafts_newest ON kb_drafts (tenant_id, created_at);
