-- What the service support had written to sqlite at commit 432ab7d (README.md).
PRAGMA user_version = 18;
BEGIN TRANSACTION;
CREATE TABLE alert_state (
    rule TEXT PRIMARY KEY,
    violations INTEGER NOT NULL, -- looks in a row
    sent_at INTEGER -- of the last notice that it fires; none since it was last resolved: NULL
) STRICT;
INSERT INTO "alert_state" VALUES('escalation_rate',0,NULL);
INSERT INTO "alert_state" VALUES('avg_quality',0,NULL);
INSERT INTO "alert_state" VALUES('low_quality_share',0,NULL);
INSERT INTO "alert_state" VALUES('p95_latency',0,NULL);
INSERT INTO "alert_state" VALUES('thumbs_down_rate',0,NULL);
INSERT INTO "alert_state" VALUES('stale_docs',0,NULL);
INSERT INTO "alert_state" VALUES('component_down',0,NULL);
INSERT INTO "alert_state" VALUES('eval_drift',0,NULL);
INSERT INTO "alert_state" VALUES('breaker_open',0,NULL);
CREATE TABLE answer_cache (
    tenant_id TEXT NOT NULL,
    cache_key TEXT NOT NULL,
    answer TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, cache_key)
) STRICT;
CREATE TABLE assay_identity (id TEXT NOT NULL, service TEXT NOT NULL, session TEXT NOT NULL, created_at TEXT NOT NULL);
INSERT INTO "assay_identity" VALUES('8a3ce3cf-c3db-4b12-8afb-3cdbd372c8b2','support','5900c0ee-f63e-4b79-9124-41f1f49245ec','2026-11-26T17:31:34.251141+00:00');
CREATE TABLE assay_probe (id INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL);
CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    ts TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    resource TEXT NOT NULL,
    detail TEXT,
    ip_address TEXT
) STRICT;
INSERT INTO "audit_log" VALUES(1,'default','2026-11-26T17:31:37.170000+00:00','api-key-user','upload','document:warranty.md','{"tenant":"default"}','127.0.0.1');
INSERT INTO "audit_log" VALUES(2,'default','2026-11-26T17:31:37.256000+00:00','api-key-user','ask','session:70a93a752b7fe1ab39a5bbd7a595b628','{"question_length":25,"tenant":"default"}','127.0.0.1');
INSERT INTO "audit_log" VALUES(3,'default','2026-11-26T17:31:37.287000+00:00','api-key-user','ask','session:41721145af55da89f99d5bf69f202e88','{"question_length":27,"tenant":"default"}','127.0.0.1');
INSERT INTO "audit_log" VALUES(4,'default','2026-11-26T17:31:37.307000+00:00','api-key-user','feedback','trace:390bd8077a03ecf79794e249e2032c79',NULL,'127.0.0.1');
INSERT INTO "audit_log" VALUES(5,'default','2026-11-26T17:31:37.325000+00:00','api-key-user','escalate','session:41721145af55da89f99d5bf69f202e88',NULL,'127.0.0.1');
CREATE TABLE cited_spans (
    trace_id TEXT NOT NULL,
    place INTEGER NOT NULL, -- of the citation in the answer
    tenant_id TEXT NOT NULL,
    doc_id TEXT NOT NULL,
    document_key INTEGER NOT NULL, -- the version that was last found to hold it
    sentence TEXT NOT NULL,
    span TEXT NOT NULL,
    cited_at TEXT NOT NULL,
    changed_at TEXT,
    reviewed_at TEXT,
    PRIMARY KEY (trace_id, place)
) STRICT;
INSERT INTO "cited_spans" VALUES('390bd8077a03ecf79794e249e2032c79',0,'default','warranty.md',1,'The warranty period is 24 months from the day of purchase.','The warranty period is 24 months from the day of purchase.','2026-11-26T17:31:37.255000+00:00',NULL,NULL);
CREATE TABLE curated_case_status (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    case_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('fresh', 'stale_needs_review')),
    staleness_reason TEXT,
    last_checked_at TEXT,
    UNIQUE (case_id, tenant_id)
) STRICT;
CREATE TABLE document_stats (
    tenant_id TEXT NOT NULL,
    doc_id TEXT NOT NULL,
    citation_count INTEGER NOT NULL,
    last_cited_at TEXT,
    PRIMARY KEY (tenant_id, doc_id)
) STRICT;
INSERT INTO "document_stats" VALUES('default','warranty.md',1,'2026-11-26T17:31:37.255000+00:00');
CREATE TABLE escalated_tickets (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    trace_id TEXT,
    user_question TEXT NOT NULL,
    ai_draft TEXT,
    operator_response TEXT,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    resolved_at TEXT
) STRICT;
INSERT INTO "escalated_tickets" VALUES('de979943-241b-4d97-9adc-6257d56ad2b8','default','41721145af55da89f99d5bf69f202e88','78cd22635948b39980e56904096c449f','Can I pay with a gift card?','This question cannot be answered from the documents; please contact support.',NULL,'open','2026-11-26T17:31:37.287000+00:00',NULL);
INSERT INTO "escalated_tickets" VALUES('734b2fa0-4dac-43b3-a87d-b99158e6abd1','default','41721145af55da89f99d5bf69f202e88',NULL,'(operator requested)',NULL,NULL,'open','2026-11-26T17:31:37.325000+00:00',NULL);
CREATE TABLE eval_results (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created_at TEXT NOT NULL,
    tenant_id TEXT NOT NULL, -- whose cases or answers; `all`: everybody's
    metric_name TEXT NOT NULL,
    value REAL NOT NULL,
    sample_size INTEGER NOT NULL,
    drift_alert INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('nightly', 'regression')),
    run_id TEXT UNIQUE,
    baseline_experiment_id TEXT,
    candidate_experiment_id TEXT,
    report_path TEXT, -- below the root of the files
    started_at TEXT,
    quality_delta REAL,
    cost_delta REAL,
    latency_delta REAL,
    mode TEXT
) STRICT;
CREATE TABLE experiment_assignments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL UNIQUE,
    experiment_id TEXT NOT NULL,
    rollout_percentage INTEGER NOT NULL CHECK (rollout_percentage BETWEEN 0 AND 100),
    rolled_out_at TEXT NOT NULL
) STRICT;
CREATE TABLE experiment_deployments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    experiment_id TEXT NOT NULL,
    regression_run_id TEXT,
    staged_at TEXT,
    deployed_at TEXT,
    rolled_back_at TEXT,
    superseded_at TEXT,
    rollback_reason TEXT
) STRICT;
CREATE TABLE feedback (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    rating TEXT NOT NULL CHECK (rating IN ('up', 'down')),
    reason TEXT NOT NULL,
    linked INTEGER NOT NULL,
    ts TEXT NOT NULL
) STRICT;
INSERT INTO "feedback" VALUES(1,'default','390bd8077a03ecf79794e249e2032c79','70a93a752b7fe1ab39a5bbd7a595b628','up','',1,'2026-11-26T17:31:37.306000+00:00');
CREATE TABLE heartbeats (
    name TEXT PRIMARY KEY,
    beat_at INTEGER NOT NULL
) STRICT;
INSERT INTO "heartbeats" VALUES('ingest',1795714296664000);
CREATE TABLE improvement_backlogs (
    tenant_id TEXT NOT NULL,
    week TEXT NOT NULL,
    payload TEXT NOT NULL,
    markdown TEXT NOT NULL,
    generated_at TEXT NOT NULL,
    PRIMARY KEY (tenant_id, week)
) STRICT;
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    job_key TEXT NOT NULL,
    lane TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'dead')),
    failures INTEGER NOT NULL,
    interruptions INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    holder TEXT,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;
INSERT INTO "jobs" VALUES(1,'support.retention','traces:20783','traces','{}','done',0,0,1795714296689000,NULL,NULL,1795714296687000,1795714296689000);
INSERT INTO "jobs" VALUES(2,'support.retention','audit:20783','audit','{}','done',0,0,1795714296689000,NULL,NULL,1795714296688000,1795714296689000);
INSERT INTO "jobs" VALUES(3,'support.retention','conversations:20783','conversations','{}','done',0,0,1795714296705000,NULL,NULL,1795714296688000,1795714296705000);
INSERT INTO "jobs" VALUES(4,'support.alert-check','alerts:5985714','alerts','{}','done',0,0,1795714296711000,NULL,NULL,1795714296710000,1795714296711000);
CREATE TABLE kb_chunks (
    tenant_id TEXT NOT NULL,
    chunk_key INTEGER NOT NULL,
    document_key INTEGER NOT NULL,
    chunk_index INTEGER NOT NULL,
    page INTEGER,
    header TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (tenant_id, chunk_key)
) STRICT;
INSERT INTO "kb_chunks" VALUES('default',2,1,0,NULL,'warranty.md › Warranty','# Warranty

The warranty period is 24 months from the day of purchase.');
INSERT INTO "kb_chunks" VALUES('default',3,1,1,NULL,'warranty.md › Errors','# Errors

E42 means that the lid is open. Close the lid.');
CREATE TABLE kb_documents (
    tenant_id TEXT NOT NULL,
    doc_id TEXT NOT NULL,
    document_key INTEGER NOT NULL, -- of the version that is searched
    version INTEGER NOT NULL,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    file_type TEXT NOT NULL,
    language TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    categories TEXT NOT NULL,
    page_count INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    auto_generated INTEGER NOT NULL,
    last_updated TEXT NOT NULL,
    created_at TEXT NOT NULL, parent_child INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, doc_id)
) STRICT;
INSERT INTO "kb_documents" VALUES('default','warranty.md',1,1,'warranty.md','warranty.md','md','en','b6497f5337d076a9736286b73f969f24beaa46aef2c4f023ea1c4cfdf655b784',129,'["product"]',0,2,0,'2026-11-26T17:31:37.170000+00:00','2026-11-26T17:31:37.170000+00:00',0);
CREATE TABLE kb_drafts (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    topic TEXT NOT NULL,
    draft_content TEXT NOT NULL,
    source_ticket_ids TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    reviewed_at TEXT
) STRICT;
CREATE TABLE kb_ingest_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ts TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    doc_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    chunk_config TEXT NOT NULL,
    duration_ms INTEGER NOT NULL
, contexts INTEGER NOT NULL DEFAULT 0, cost_usd REAL NOT NULL DEFAULT 0) STRICT;
INSERT INTO "kb_ingest_log" VALUES(1,'2026-11-26T17:31:37.170000+00:00','default','warranty.md',1,1,2,'800/200',21,0,0.0);
CREATE TABLE kb_segment_documents (
    tenant_id TEXT NOT NULL,
    segment TEXT NOT NULL,
    place INTEGER NOT NULL,
    document_key INTEGER NOT NULL,
    dead INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, segment, place)
) STRICT;
INSERT INTO "kb_segment_documents" VALUES('default','1795714297149-e6c58854.seg',0,1,0);
CREATE TABLE kb_segments (
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    created_at TEXT NOT NULL, vectors TEXT,
    PRIMARY KEY (tenant_id, name)
) STRICT;
INSERT INTO "kb_segments" VALUES('default','1795714297149-e6c58854.seg',5488,'2026-11-26T17:31:37.170000+00:00',NULL);
CREATE TABLE kb_state (
    tenant_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    next_key INTEGER NOT NULL
) STRICT;
INSERT INTO "kb_state" VALUES('default',1,4);
CREATE TABLE knowledge_gaps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    cluster_id TEXT NOT NULL,
    topic_summary TEXT NOT NULL,
    sample_questions TEXT NOT NULL,
    question_count INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    resolved_at TEXT
) STRICT;
CREATE TABLE kv_cache (
    cache_key TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at TEXT NOT NULL,
    trace_id TEXT
) STRICT;
INSERT INTO "messages" VALUES(1,'default','70a93a752b7fe1ab39a5bbd7a595b628','user','How long is the warranty?','2026-11-26T17:31:37.255000+00:00','390bd8077a03ecf79794e249e2032c79');
INSERT INTO "messages" VALUES(2,'default','70a93a752b7fe1ab39a5bbd7a595b628','assistant','The warranty period is 24 months from the day of purchase [1].','2026-11-26T17:31:37.255000+00:00','390bd8077a03ecf79794e249e2032c79');
INSERT INTO "messages" VALUES(3,'default','41721145af55da89f99d5bf69f202e88','user','Can I pay with a gift card?','2026-11-26T17:31:37.287000+00:00','78cd22635948b39980e56904096c449f');
INSERT INTO "messages" VALUES(4,'default','41721145af55da89f99d5bf69f202e88','assistant','This question cannot be answered from the documents; please contact support.','2026-11-26T17:31:37.287000+00:00','78cd22635948b39980e56904096c449f');
CREATE TABLE model_spend (
    day TEXT NOT NULL,
    purpose TEXT NOT NULL,
    cost_usd REAL NOT NULL,
    PRIMARY KEY (day, purpose)
);
CREATE TABLE review_queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trace_id TEXT NOT NULL UNIQUE,
    tenant_id TEXT NOT NULL,
    reason TEXT NOT NULL
        CHECK (reason IN ('thumbs_down', 'low_quality', 'escalated', 'fact_fail', 'slow_trace', 'manual')),
    status TEXT NOT NULL
        CHECK (status IN ('pending', 'in_review', 'confirmed_good', 'confirmed_bad', 'dismissed')),
    reviewer_notes TEXT,
    created_at TEXT NOT NULL,
    reviewed_at TEXT,
    reviewed_by TEXT, -- users.id
    snapshot_json TEXT
) STRICT;
CREATE TABLE review_totals (
    tenant_id TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    cases INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, status, reason)
) STRICT, WITHOUT ROWID;
CREATE TABLE revoked_tokens (
    token_id TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE schema_migrations ( version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO "schema_migrations" VALUES(1,'0001_accounts.sql','2026-11-26T17:31:34.154885+00:00');
INSERT INTO "schema_migrations" VALUES(2,'0002_knowledge.sql','2026-11-26T17:31:34.179047+00:00');
INSERT INTO "schema_migrations" VALUES(3,'0003_answers.sql','2026-11-26T17:31:34.180366+00:00');
INSERT INTO "schema_migrations" VALUES(4,'0004_upkeep.sql','2026-11-26T17:31:34.180927+00:00');
INSERT INTO "schema_migrations" VALUES(5,'0005_answer_cache.sql','2026-11-26T17:31:34.181155+00:00');
INSERT INTO "schema_migrations" VALUES(6,'0006_vectors.sql','2026-11-26T17:31:34.181546+00:00');
INSERT INTO "schema_migrations" VALUES(7,'0007_improvement.sql','2026-11-26T17:31:34.214837+00:00');
INSERT INTO "schema_migrations" VALUES(8,'0008_thresholds.sql','2026-11-26T17:31:34.215170+00:00');
INSERT INTO "schema_migrations" VALUES(9,'0009_citations.sql','2026-11-26T17:31:34.215435+00:00');
INSERT INTO "schema_migrations" VALUES(10,'0010_splits.sql','2026-11-26T17:31:34.215780+00:00');
INSERT INTO "schema_migrations" VALUES(11,'0011_split_exposures.sql','2026-11-26T17:31:34.215922+00:00');
INSERT INTO "schema_migrations" VALUES(12,'0012_review_totals.sql','2026-11-26T17:31:34.216237+00:00');
INSERT INTO "schema_migrations" VALUES(13,'0013_escalated_answers.sql','2026-11-26T17:31:34.216371+00:00');
INSERT INTO "schema_migrations" VALUES(14,'0014_jobs_held.sql','2026-11-26T17:31:34.216559+00:00');
INSERT INTO "schema_migrations" VALUES(15,'0015_worst_answers.sql','2026-11-26T17:31:34.216876+00:00');
INSERT INTO "schema_migrations" VALUES(16,'0016_parents.sql','2026-11-26T17:31:34.217433+00:00');
INSERT INTO "schema_migrations" VALUES(17,'0017_contexts.sql','2026-11-26T17:31:34.250668+00:00');
INSERT INTO "schema_migrations" VALUES(18,'0018_model_spend.sql','2026-11-26T17:31:34.250944+00:00');
CREATE TABLE sessions (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_access TEXT NOT NULL,
    message_count INTEGER NOT NULL,
    pending_action TEXT,
    PRIMARY KEY (tenant_id, id)
) STRICT;
INSERT INTO "sessions" VALUES('default','70a93a752b7fe1ab39a5bbd7a595b628','2026-11-26T17:31:37.255000+00:00','2026-11-26T17:31:37.255000+00:00',2,NULL);
INSERT INTO "sessions" VALUES('default','41721145af55da89f99d5bf69f202e88','2026-11-26T17:31:37.287000+00:00','2026-11-26T17:31:37.287000+00:00',2,NULL);
CREATE TABLE split_answers (
    trace_id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    split_id TEXT NOT NULL,
    unit TEXT NOT NULL, -- the conversation, by a name that says nothing
    arm INTEGER NOT NULL -- 0 as it was, 1 as the experiment has it
) STRICT;
CREATE TABLE split_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_key TEXT NOT NULL UNIQUE,
    split_id TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    unit TEXT NOT NULL,
    arm INTEGER NOT NULL,
    metric TEXT, -- null: the unit was exposed
    value REAL NOT NULL,
    occurred_at TEXT NOT NULL,
    sent INTEGER NOT NULL
) STRICT;
CREATE TABLE tasks (
    task_id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    doc_id TEXT NOT NULL,
    path TEXT NOT NULL,
    status TEXT NOT NULL,
    meta TEXT,
    result TEXT,
    created_at TEXT NOT NULL,
    finished_at TEXT
) STRICT;
CREATE TABLE threshold_choices (
    tenant_id TEXT NOT NULL,
    metric TEXT NOT NULL,
    cutoff REAL NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('risk', 'f1', 'manual')),
    risk REAL, -- promised share of wrong answers among those that go out; of source `risk`
    confidence REAL,
    coverage REAL,
    chosen_at TEXT NOT NULL,
    chosen_by TEXT NOT NULL,
    state TEXT CHECK (state IN ('holds', 'undecided', 'broken')), -- when it was last looked at
    checked_at TEXT,
    given INTEGER, -- answers judged since it was chosen that go out under it
    wrong INTEGER,
    PRIMARY KEY (tenant_id, metric)
) STRICT;
CREATE TABLE trace_docs (
    trace_id TEXT NOT NULL REFERENCES traces (trace_id) ON DELETE CASCADE,
    ref INTEGER NOT NULL,
    doc_id TEXT NOT NULL,
    title TEXT NOT NULL,
    page_content TEXT NOT NULL,
    metadata TEXT NOT NULL,
    PRIMARY KEY (trace_id, ref)
) STRICT;
INSERT INTO "trace_docs" VALUES('390bd8077a03ecf79794e249e2032c79',0,'warranty.md','warranty.md','# Warranty

The warranty period is 24 months from the day of purchase.','{"relevance_score":0.833,"source":"warranty.md","doc_id":"warranty.md","title":"warranty.md","file_type":"md","context_header":"warranty.md › Warranty","chunk_index":0,"version":1,"last_updated":"2026-11-26T17:31:37.170000+00:00","categories":["product"]}');
INSERT INTO "trace_docs" VALUES('390bd8077a03ecf79794e249e2032c79',1,'warranty.md','warranty.md','# Errors

E42 means that the lid is open. Close the lid.','{"relevance_score":0.000,"source":"warranty.md","doc_id":"warranty.md","title":"warranty.md","file_type":"md","context_header":"warranty.md › Errors","chunk_index":1,"version":1,"last_updated":"2026-11-26T17:31:37.170000+00:00","categories":["product"]}');
CREATE TABLE trace_evaluations (
    trace_id TEXT NOT NULL REFERENCES traces (trace_id) ON DELETE CASCADE,
    tenant_id TEXT NOT NULL,
    evaluator_name TEXT NOT NULL,
    score REAL NOT NULL,
    verdict TEXT NOT NULL,
    metadata TEXT NOT NULL,
    evaluated_at TEXT NOT NULL,
    PRIMARY KEY (trace_id, evaluator_name)
) STRICT;
INSERT INTO "trace_evaluations" VALUES('390bd8077a03ecf79794e249e2032c79','default','citation_coverage',1.0,'ok','{"sentence_count":1,"cited_sentences":1}','2026-11-26T17:31:37.255000+00:00');
INSERT INTO "trace_evaluations" VALUES('390bd8077a03ecf79794e249e2032c79','default','answer_length_anomaly',0.0,'unknown','{"answer_words":12,"z_score":0.0}','2026-11-26T17:31:37.255000+00:00');
INSERT INTO "trace_evaluations" VALUES('390bd8077a03ecf79794e249e2032c79','default','retrieval_hit_rate',0.5,'partial','{"retrieved_docs":2,"scored_docs":2,"relevant_docs":1,"min_score":0.0,"max_score":0.833,"mean_score":0.4165}','2026-11-26T17:31:37.255000+00:00');
INSERT INTO "trace_evaluations" VALUES('390bd8077a03ecf79794e249e2032c79','default','tool_use_efficiency',1.0,'efficient','{"answer_final_tokens":16,"tool_tokens":0,"tool_call_count":0}','2026-11-26T17:31:37.255000+00:00');
INSERT INTO "trace_evaluations" VALUES('390bd8077a03ecf79794e249e2032c79','default','refusal_detected',0.0,'ok','{"matches":[]}','2026-11-26T17:31:37.255000+00:00');
INSERT INTO "trace_evaluations" VALUES('390bd8077a03ecf79794e249e2032c79','default','pii_leak_suspicion',0.0,'ok','{"matches":[]}','2026-11-26T17:31:37.255000+00:00');
INSERT INTO "trace_evaluations" VALUES('390bd8077a03ecf79794e249e2032c79','default','language_mismatch',0.0,'ok','{"query_language":"en","answer_language":"en","query_words":5,"answer_words":12}','2026-11-26T17:31:37.255000+00:00');
INSERT INTO "trace_evaluations" VALUES('78cd22635948b39980e56904096c449f','default','citation_coverage',0.0,'missing','{"sentence_count":1,"cited_sentences":0}','2026-11-26T17:31:37.287000+00:00');
INSERT INTO "trace_evaluations" VALUES('78cd22635948b39980e56904096c449f','default','answer_length_anomaly',0.0,'unknown','{"answer_words":11,"z_score":0.0}','2026-11-26T17:31:37.287000+00:00');
INSERT INTO "trace_evaluations" VALUES('78cd22635948b39980e56904096c449f','default','retrieval_hit_rate',0.0,'unknown','{"retrieved_docs":0,"scored_docs":0}','2026-11-26T17:31:37.287000+00:00');
INSERT INTO "trace_evaluations" VALUES('78cd22635948b39980e56904096c449f','default','tool_use_efficiency',1.0,'efficient','{"answer_final_tokens":19,"tool_tokens":0,"tool_call_count":0}','2026-11-26T17:31:37.287000+00:00');
INSERT INTO "trace_evaluations" VALUES('78cd22635948b39980e56904096c449f','default','refusal_detected',1.0,'refusal','{"matches":["cannot be answered"]}','2026-11-26T17:31:37.287000+00:00');
INSERT INTO "trace_evaluations" VALUES('78cd22635948b39980e56904096c449f','default','pii_leak_suspicion',0.0,'ok','{"matches":[]}','2026-11-26T17:31:37.287000+00:00');
INSERT INTO "trace_evaluations" VALUES('78cd22635948b39980e56904096c449f','default','language_mismatch',0.0,'ok','{"query_language":"en","answer_language":"en","query_words":7,"answer_words":11}','2026-11-26T17:31:37.287000+00:00');
CREATE TABLE trace_steps (
    trace_id TEXT NOT NULL REFERENCES traces (trace_id) ON DELETE CASCADE,
    step_order INTEGER NOT NULL,
    node_name TEXT NOT NULL,
    state_json TEXT NOT NULL,
    ts TEXT NOT NULL,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    model_name TEXT,
    provider_name TEXT,
    cost_usd REAL,
    PRIMARY KEY (trace_id, step_order)
) STRICT;
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',0,'classify_complexity','{"question":"How long is the warranty?","search_query":null,"hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":null,"answer":null,"relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":null,"model_name":null,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0.0,"usage_metadata":{"input_tokens":0,"output_tokens":0,"total_tokens":0},"usage_node":null,"fallbacks":[],"answer_final_tokens":0,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.254025+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',1,'transform_query','{"question":"How long is the warranty?","search_query":"long warranty","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":null,"answer":null,"relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":null,"model_name":null,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0.0,"usage_metadata":{"input_tokens":0,"output_tokens":0,"total_tokens":0},"usage_node":null,"fallbacks":[],"answer_final_tokens":0,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.195}','2026-11-26T17:31:37.254247+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',2,'retrieve','{"question":"How long is the warranty?","search_query":"long warranty","hyde_query":null,"context_docs":[{"ref":0},{"ref":1}],"retrieved_docs":[{"ref":0},{"ref":1}],"graded_docs":[{"ref":0},{"ref":1}],"doc_grade_reason":null,"answer":null,"relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":null,"model_name":null,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0.0,"usage_metadata":{"input_tokens":0,"output_tokens":0,"total_tokens":0},"usage_node":null,"fallbacks":[],"answer_final_tokens":0,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.17}','2026-11-26T17:31:37.254423+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',3,'grade_docs','{"question":"How long is the warranty?","search_query":"long warranty","hyde_query":null,"context_docs":[{"ref":0},{"ref":1}],"retrieved_docs":[{"ref":0},{"ref":1}],"graded_docs":[{"ref":0}],"doc_grade_reason":"Kept 1/2, filtered 1","answer":null,"relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":null,"model_name":null,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0.0,"usage_metadata":{"input_tokens":0,"output_tokens":0,"total_tokens":0},"usage_node":null,"fallbacks":[],"answer_final_tokens":0,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.001}','2026-11-26T17:31:37.254430+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',4,'generate','{"question":"How long is the warranty?","search_query":"long warranty","hyde_query":null,"context_docs":[{"ref":0},{"ref":1}],"retrieved_docs":[{"ref":0},{"ref":1}],"graded_docs":[{"ref":0}],"doc_grade_reason":"Kept 1/2, filtered 1","answer":"The warranty period is 24 months from the day of purchase [1].","relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.9936,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[{"index":1,"doc_id":"warranty.md","title":"warranty.md","excerpt":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":25,"completion_tokens":16,"cost_usd":0.0,"usage_metadata":{"input_tokens":25,"output_tokens":16,"total_tokens":41},"usage_node":"generate","fallbacks":[],"answer_final_tokens":16,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.102}','2026-11-26T17:31:37.254540+00:00',25,16,'extractive-v1','embedded',0.0);
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',5,'verify_facts','{"question":"How long is the warranty?","search_query":"long warranty","hyde_query":null,"context_docs":[{"ref":0},{"ref":1}],"retrieved_docs":[{"ref":0},{"ref":1}],"graded_docs":[{"ref":0}],"doc_grade_reason":"Kept 1/2, filtered 1","answer":"The warranty period is 24 months from the day of purchase [1].","relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.9936,"factuality_score":100,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[{"text":"The warranty period is 24 months from the day of purchase.","supported":true,"evidence":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"citations":[{"index":1,"doc_id":"warranty.md","title":"warranty.md","excerpt":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":25,"completion_tokens":16,"cost_usd":0.0,"usage_metadata":{"input_tokens":25,"output_tokens":16,"total_tokens":41},"usage_node":"generate","fallbacks":[],"answer_final_tokens":16,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.01}','2026-11-26T17:31:37.254554+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',6,'evaluate','{"question":"How long is the warranty?","search_query":"long warranty","hyde_query":null,"context_docs":[{"ref":0},{"ref":1}],"retrieved_docs":[{"ref":0},{"ref":1}],"graded_docs":[{"ref":0}],"doc_grade_reason":"Kept 1/2, filtered 1","answer":"The warranty period is 24 months from the day of purchase [1].","relevance_score":1.0,"quality_score":100,"quality_source":"embedded","evidence":0.9936,"factuality_score":100,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[{"text":"The warranty period is 24 months from the day of purchase.","supported":true,"evidence":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"citations":[{"index":1,"doc_id":"warranty.md","title":"warranty.md","excerpt":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":25,"completion_tokens":16,"cost_usd":0.0,"usage_metadata":{"input_tokens":25,"output_tokens":16,"total_tokens":41},"usage_node":"generate","fallbacks":[],"answer_final_tokens":16,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.003}','2026-11-26T17:31:37.254568+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',7,'route_or_retry','{"question":"How long is the warranty?","search_query":"long warranty","hyde_query":null,"context_docs":[{"ref":0},{"ref":1}],"retrieved_docs":[{"ref":0},{"ref":1}],"graded_docs":[{"ref":0}],"doc_grade_reason":"Kept 1/2, filtered 1","answer":"The warranty period is 24 months from the day of purchase [1].","relevance_score":1.0,"quality_score":100,"quality_source":"embedded","evidence":0.9936,"factuality_score":100,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":"auto","claims":[{"text":"The warranty period is 24 months from the day of purchase.","supported":true,"evidence":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"citations":[{"index":1,"doc_id":"warranty.md","title":"warranty.md","excerpt":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":25,"completion_tokens":16,"cost_usd":0.0,"usage_metadata":{"input_tokens":25,"output_tokens":16,"total_tokens":41},"usage_node":"generate","fallbacks":[],"answer_final_tokens":16,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.001}','2026-11-26T17:31:37.254574+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',8,'suggest_questions','{"question":"How long is the warranty?","search_query":"long warranty","hyde_query":null,"context_docs":[{"ref":0},{"ref":1}],"retrieved_docs":[{"ref":0},{"ref":1}],"graded_docs":[{"ref":0}],"doc_grade_reason":"Kept 1/2, filtered 1","answer":"The warranty period is 24 months from the day of purchase [1].","relevance_score":1.0,"quality_score":100,"quality_source":"embedded","evidence":0.9936,"factuality_score":100,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":"auto","claims":[{"text":"The warranty period is 24 months from the day of purchase.","supported":true,"evidence":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"citations":[{"index":1,"doc_id":"warranty.md","title":"warranty.md","excerpt":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":25,"completion_tokens":16,"cost_usd":0.0,"usage_metadata":{"input_tokens":25,"output_tokens":16,"total_tokens":41},"usage_node":"generate","fallbacks":[],"answer_final_tokens":16,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.254579+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('390bd8077a03ecf79794e249e2032c79',9,'log','{"question":"How long is the warranty?","search_query":"long warranty","hyde_query":null,"context_docs":[{"ref":0},{"ref":1}],"retrieved_docs":[{"ref":0},{"ref":1}],"graded_docs":[{"ref":0}],"doc_grade_reason":"Kept 1/2, filtered 1","answer":"The warranty period is 24 months from the day of purchase [1].","relevance_score":1.0,"quality_score":100,"quality_source":"embedded","evidence":0.9936,"factuality_score":100,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":"auto","claims":[{"text":"The warranty period is 24 months from the day of purchase.","supported":true,"evidence":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"citations":[{"index":1,"doc_id":"warranty.md","title":"warranty.md","excerpt":"# Warranty\n\nThe warranty period is 24 months from the day of purchase."}],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":25,"completion_tokens":16,"cost_usd":0.0,"usage_metadata":{"input_tokens":25,"output_tokens":16,"total_tokens":41},"usage_node":"generate","fallbacks":[],"answer_final_tokens":16,"trace_id":"390bd8077a03ecf79794e249e2032c79","tenant_id":"default","session_id":"70a93a752b7fe1ab39a5bbd7a595b628","user_id":"api-key-user","request_id":"19fe679dda334169ada02015252eb75e","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.254585+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',0,'classify_complexity','{"question":"Can I pay with a gift card?","search_query":null,"hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":null,"answer":null,"relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":null,"model_name":null,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0.0,"usage_metadata":{"input_tokens":0,"output_tokens":0,"total_tokens":0},"usage_node":null,"fallbacks":[],"answer_final_tokens":0,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.001}','2026-11-26T17:31:37.286643+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',1,'transform_query','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":null,"answer":null,"relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":null,"model_name":null,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0.0,"usage_metadata":{"input_tokens":0,"output_tokens":0,"total_tokens":0},"usage_node":null,"fallbacks":[],"answer_final_tokens":0,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.094}','2026-11-26T17:31:37.286741+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',2,'retrieve','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":null,"answer":null,"relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":null,"model_name":null,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0.0,"usage_metadata":{"input_tokens":0,"output_tokens":0,"total_tokens":0},"usage_node":null,"fallbacks":[],"answer_final_tokens":0,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.007}','2026-11-26T17:31:37.286750+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',3,'grade_docs','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":null,"relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":null,"model_name":null,"prompt_tokens":0,"completion_tokens":0,"cost_usd":0.0,"usage_metadata":{"input_tokens":0,"output_tokens":0,"total_tokens":0},"usage_node":null,"fallbacks":[],"answer_final_tokens":0,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.001}','2026-11-26T17:31:37.286753+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',4,'generate','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":false,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.002}','2026-11-26T17:31:37.286758+00:00',7,19,'extractive-v1','embedded',0.0);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',5,'verify_facts','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":100,"fact_verification_skipped":true,"knowledge_gap":false,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.286761+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',6,'evaluate','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":0.01,"quality_score":1,"quality_source":"embedded","evidence":0.0,"factuality_score":100,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.286764+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',7,'route_or_retry','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":0.01,"quality_score":1,"quality_source":"embedded","evidence":0.0,"factuality_score":100,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":0,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.286767+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',8,'rewrite_query','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":1,"max_iterations":2,"language":"en","duration_ms":0.025}','2026-11-26T17:31:37.286794+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',9,'retrieve','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":1,"max_iterations":2,"language":"en","duration_ms":0.003}','2026-11-26T17:31:37.286799+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',10,'grade_docs','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":1,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.286802+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',11,'generate','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":0,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":1,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.286804+00:00',7,19,'extractive-v1','embedded',0.0);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',12,'verify_facts','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":null,"quality_score":null,"quality_source":null,"evidence":0.0,"factuality_score":100,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":1,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.286807+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',13,'evaluate','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":0.01,"quality_score":1,"quality_source":"embedded","evidence":0.0,"factuality_score":100,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":null,"claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":1,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.286809+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',14,'route_or_retry','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":0.01,"quality_score":1,"quality_source":"embedded","evidence":0.0,"factuality_score":100,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":"human","claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":1,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.286811+00:00',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "trace_steps" VALUES('78cd22635948b39980e56904096c449f',15,'log','{"question":"Can I pay with a gift card?","search_query":"pay gift card","hyde_query":null,"context_docs":[],"retrieved_docs":[],"graded_docs":[],"doc_grade_reason":"No documents retrieved","answer":"This question cannot be answered from the documents; please contact support.","relevance_score":0.01,"quality_score":1,"quality_source":"embedded","evidence":0.0,"factuality_score":100,"fact_verification_skipped":true,"knowledge_gap":true,"complexity":"unknown","retrieval_strategy":"lexical","route":"human","claims":[],"citations":[],"suggested_questions":[],"sub_queries":[],"tool_calls":[],"requires_confirmation":false,"action_summary":"","chat_history":[],"provider_name":"embedded","model_name":"extractive-v1","prompt_tokens":7,"completion_tokens":19,"cost_usd":0.0,"usage_metadata":{"input_tokens":7,"output_tokens":19,"total_tokens":26},"usage_node":"generate","fallbacks":[],"answer_final_tokens":19,"trace_id":"78cd22635948b39980e56904096c449f","tenant_id":"default","session_id":"41721145af55da89f99d5bf69f202e88","user_id":"api-key-user","request_id":"fed52e0ed37144b5842eb860c1102127","error":false,"error_message":null,"error_node":null,"iteration":1,"max_iterations":2,"language":"en","duration_ms":0.0}','2026-11-26T17:31:37.286814+00:00',NULL,NULL,NULL,NULL,NULL);
CREATE TABLE traces (
    trace_id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    final_route TEXT,
    final_quality INTEGER,
    final_relevance REAL,
    request_id TEXT,
    session_id TEXT,
    user_id TEXT,
    question TEXT NOT NULL,
    answer TEXT,
    channel TEXT NOT NULL,
    language TEXT,
    knowledge_gap INTEGER NOT NULL,
    complexity TEXT,
    factuality_score INTEGER,
    duration_ms REAL,
    cost_usd REAL NOT NULL,
    kb_version INTEGER,
    answer_words INTEGER,
    experiment_id TEXT,
    categories TEXT
, origin TEXT NOT NULL DEFAULT 'live') STRICT;
INSERT INTO "traces" VALUES('390bd8077a03ecf79794e249e2032c79','default','2026-11-26T17:31:37.243000+00:00','2026-11-26T17:31:37.254000+00:00','auto',100,1.0,'19fe679dda334169ada02015252eb75e','70a93a752b7fe1ab39a5bbd7a595b628','api-key-user','How long is the warranty?','The warranty period is 24 months from the day of purchase [1].','web','en',0,'unknown',100,11.419,0.0,1,12,NULL,'["product"]','live');
INSERT INTO "traces" VALUES('78cd22635948b39980e56904096c449f','default','2026-11-26T17:31:37.286000+00:00','2026-11-26T17:31:37.286000+00:00','human',1,0.01,'fed52e0ed37144b5842eb860c1102127','41721145af55da89f99d5bf69f202e88','api-key-user','Can I pay with a gift card?','This question cannot be answered from the documents; please contact support.','web','en',1,'unknown',100,0.298,0.0,1,11,NULL,'["uncategorized"]','live');
CREATE TABLE traffic_splits (
    split_id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    experiment_id TEXT NOT NULL,
    percentage INTEGER NOT NULL,
    started_at TEXT NOT NULL, -- experiment_assignments.rolled_out_at
    project_id TEXT, -- at the experiments service, once it is known there
    verdict TEXT, -- what it last said, as the next two
    confidence TEXT,
    reasons TEXT,
    read_at TEXT,
    withdrawn_at TEXT -- its tenant's assignment was ended because it harms
) STRICT;
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    username TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    role TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    tenant_id TEXT NOT NULL,
    sso_provider TEXT,
    sso_subject_id TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE TABLE webhook_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    status_code INTEGER,
    success INTEGER NOT NULL,
    error TEXT,
    answer TEXT,
    delivered_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX users_by_subject ON users (sso_provider, sso_subject_id);
CREATE INDEX revoked_tokens_by_time ON revoked_tokens (expires_at);
CREATE INDEX audit_log_newest ON audit_log (tenant_id, id DESC);
CREATE INDEX audit_log_by_time ON audit_log (ts);
CREATE UNIQUE INDEX kb_documents_by_key ON kb_documents (tenant_id, document_key);
CREATE UNIQUE INDEX kb_chunks_in_order ON kb_chunks (tenant_id, document_key, chunk_index);
CREATE INDEX kb_segment_documents_by_key ON kb_segment_documents (tenant_id, document_key);
CREATE INDEX tasks_by_end ON tasks (finished_at);
CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, job_key);
CREATE INDEX jobs_due ON jobs (kind, due_at, id) WHERE state = 'waiting';
CREATE INDEX jobs_finished ON jobs (kind, state, finished_at, id) WHERE state <> 'waiting';
CREATE INDEX sessions_by_access ON sessions (tenant_id, last_access);
CREATE INDEX messages_of_session ON messages (tenant_id, session_id, id);
CREATE INDEX traces_by_start ON traces (tenant_id, started_at);
CREATE INDEX traces_of_session ON traces (tenant_id, session_id);
CREATE INDEX trace_steps_by_provider ON trace_steps (provider_name, ts);
CREATE UNIQUE INDEX feedback_once ON feedback (tenant_id, trace_id, session_id);
CREATE INDEX feedback_by_time ON feedback (tenant_id, ts);
CREATE INDEX escalated_tickets_newest ON escalated_tickets (tenant_id, created_at);
CREATE INDEX escalated_tickets_of_session ON escalated_tickets (tenant_id, session_id);
CREATE INDEX knowledge_gaps_newest ON knowledge_gaps (tenant_id, created_at);
CREATE INDEX kb_drafts_newest ON kb_drafts (tenant_id, created_at);
CREATE INDEX traces_by_time ON traces (started_at);
CREATE INDEX sessions_by_time ON sessions (last_access);
CREATE INDEX feedback_unlinked_by_time ON feedback (ts) WHERE linked = 0;
CREATE INDEX webhook_history_by_webhook ON webhook_history (kind, webhook_id, id);
CREATE INDEX webhook_history_by_time ON webhook_history (delivered_at);
CREATE INDEX answer_cache_by_end ON answer_cache (expires_at);
CREATE INDEX traces_of_experiment ON traces (experiment_id, started_at);
CREATE INDEX review_queue_newest ON review_queue (tenant_id, status, created_at, id);
CREATE INDEX review_queue_by_status ON review_queue (status, created_at);
CREATE INDEX review_queue_of_tenant ON review_queue (tenant_id, created_at, id);
CREATE INDEX eval_results_newest ON eval_results (kind, created_at, id);
CREATE INDEX eval_results_of_metric ON eval_results (metric_name, created_at);
CREATE INDEX eval_results_of_candidate ON eval_results (candidate_experiment_id, created_at, id);
CREATE INDEX experiment_deployments_of ON experiment_deployments (experiment_id, id);
CREATE INDEX experiment_deployments_by_time ON experiment_deployments (deployed_at);
CREATE INDEX experiment_assignments_of ON experiment_assignments (experiment_id, rolled_out_at);
CREATE INDEX curated_case_status_of ON curated_case_status (tenant_id, status, last_checked_at);
CREATE INDEX kv_cache_by_end ON kv_cache (expires_at);
CREATE INDEX cited_spans_standing ON cited_spans (tenant_id, doc_id, document_key) WHERE changed_at IS NULL;
CREATE INDEX cited_spans_changed ON cited_spans (tenant_id, changed_at) WHERE changed_at IS NOT NULL;
CREATE INDEX cited_spans_by_time ON cited_spans (cited_at);
CREATE INDEX traffic_splits_of ON traffic_splits (experiment_id, started_at);
CREATE INDEX split_events_waiting ON split_events (split_id, id) WHERE sent = 0;
CREATE INDEX split_events_of_trace ON split_events (trace_id);
CREATE INDEX split_events_exposed ON split_events (split_id, arm) WHERE metric IS NULL;
CREATE INDEX review_queue_of_status ON review_queue (status, created_at);
CREATE TRIGGER review_added AFTER INSERT ON review_queue BEGIN
    INSERT INTO review_totals (tenant_id, status, reason, cases) VALUES (new.tenant_id, new.status, new.reason, 1)
        ON CONFLICT (tenant_id, status, reason) DO UPDATE SET cases = cases + 1;
END;
CREATE TRIGGER review_gone AFTER DELETE ON review_queue BEGIN
    UPDATE review_totals SET cases = cases - 1
        WHERE tenant_id = old.tenant_id AND status = old.status AND reason = old.reason;
END;
CREATE TRIGGER review_moved AFTER UPDATE OF status, reason ON review_queue
    WHEN old.status <> new.status OR old.reason <> new.reason BEGIN
    UPDATE review_totals SET cases = cases - 1
        WHERE tenant_id = old.tenant_id AND status = old.status AND reason = old.reason;
    INSERT INTO review_totals (tenant_id, status, reason, cases) VALUES (new.tenant_id, new.status, new.reason, 1)
        ON CONFLICT (tenant_id, status, reason) DO UPDATE SET cases = cases + 1;
END;
CREATE INDEX escalated_tickets_of_trace ON escalated_tickets (trace_id);
CREATE INDEX jobs_held ON jobs (kind, holder, lane, due_at) WHERE holder IS NOT NULL;
CREATE INDEX trace_evaluations_worst ON trace_evaluations (evaluator_name,
    (CASE WHEN evaluator_name IN ('answer_length_anomaly', 'language_mismatch', 'pii_leak_suspicion', 'refusal_detected')
          THEN -score ELSE score END), evaluated_at, trace_id)
    WHERE verdict NOT IN ('error', 'timeout');
CREATE INDEX trace_evaluations_worst_of_tenant ON trace_evaluations (tenant_id, evaluator_name,
    (CASE WHEN evaluator_name IN ('answer_length_anomaly', 'language_mismatch', 'pii_leak_suspicion', 'refusal_detected')
          THEN -score ELSE score END), evaluated_at, trace_id)
    WHERE verdict NOT IN ('error', 'timeout');
CREATE INDEX trace_evaluations_by_time ON trace_evaluations (tenant_id, evaluated_at, evaluator_name, verdict, score);
CREATE INDEX trace_evaluations_of_all ON trace_evaluations (evaluated_at, evaluator_name, verdict, score);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('jobs',4);
INSERT INTO "sqlite_sequence" VALUES('kb_ingest_log',1);
INSERT INTO "sqlite_sequence" VALUES('audit_log',5);
INSERT INTO "sqlite_sequence" VALUES('messages',4);
INSERT INTO "sqlite_sequence" VALUES('feedback',1);
INSERT INTO "sqlite_sequence" VALUES('split_events',0);
COMMIT;
