-- What the service livedata had written to sqlite at commit 432ab7d (README.md).
PRAGMA user_version = 9;
BEGIN TRANSACTION;
CREATE TABLE alert_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id TEXT NOT NULL,
    alert_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    status_code INTEGER,
    success INTEGER NOT NULL,
    error TEXT,
    payload TEXT NOT NULL,
    triggered_at INTEGER NOT NULL
) STRICT;
CREATE TABLE alert_rules (
    id TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    metric TEXT NOT NULL,
    source_table TEXT NOT NULL,
    metric_window TEXT NOT NULL,
    alert_condition TEXT NOT NULL,
    threshold REAL NOT NULL,
    webhook_url TEXT NOT NULL,
    secret TEXT NOT NULL,
    cooldown_minutes INTEGER NOT NULL,
    escalation TEXT NOT NULL,
    flap_enabled INTEGER NOT NULL,
    flap_window_minutes INTEGER NOT NULL,
    flap_max_changes INTEGER NOT NULL,
    active INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'ok',
    fired_at INTEGER,
    resolved_at INTEGER,
    last_triggered_at INTEGER,
    last_escalation_level INTEGER NOT NULL DEFAULT 0,
    last_condition_triggered INTEGER,
    state_changes TEXT NOT NULL DEFAULT '[]',
    evaluated_at INTEGER NOT NULL DEFAULT 0,
    evaluated_gen INTEGER NOT NULL DEFAULT -1,
    tick_lease_expires_at INTEGER NOT NULL DEFAULT 0,
    pending_event TEXT,
    pending_state TEXT,
    pending_level INTEGER,
    pending_at INTEGER,
    pending_left INTEGER,
    pending_failed INTEGER
) STRICT;
INSERT INTO "alert_rules" VALUES('ca554caf-98db-4d2f-adc5-7aa2e4328423','default','kept','revenue','orders_v2','1h','above',1.0,'http://127.0.0.1:9/a','vKuEqzx8QtLyWSa2okKp71nKjNWHKtCzgExFU6gHRnY',30,'[{"level":1,"after_minutes":0,"webhook_url":"http://127.0.0.1:9/a"}]',0,5,3,1,1795714396551365,1795714396551365,'ok',NULL,NULL,NULL,0,1,'[1795714396620729]',1795714396621000,2,0,'4ea3932a-b2db-4660-ab02-5c068653ca95','firing',1,1795714396621000,1,0);
CREATE TABLE api_keys (
    key_id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    key_lookup TEXT NOT NULL,
    previous_lookup TEXT,
    previous_until INTEGER,
    rate_limit_rpm INTEGER NOT NULL,
    allowed_entity_types TEXT,
    can_ingest INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE api_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    key_name TEXT,
    endpoint TEXT NOT NULL,
    method TEXT NOT NULL,
    status_code INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    cache_hit INTEGER,
    entity_type TEXT,
    entity_id TEXT,
    metric_name TEXT,
    query_engine TEXT,
    query_text TEXT,
    at INTEGER NOT NULL
) STRICT;
INSERT INTO "api_sessions" VALUES(1,'default','22e42607-585e-4243-aa70-03fd4dc992cb','ops','/v1/events','POST',200,11045,NULL,NULL,NULL,NULL,NULL,NULL,1795714396529939);
INSERT INTO "api_sessions" VALUES(2,'default','5cb5f37b-d87f-40d3-ad0f-4ed6e6a462d7','ops','/v1/webhooks','POST',201,33579,NULL,NULL,NULL,NULL,NULL,NULL,1795714396617999);
INSERT INTO "api_sessions" VALUES(3,'default','4151e154-edce-4594-a5cd-b00a44723251','support','/v1/entity/order','GET',200,36779,0,'order','ORD-20260404-1001',NULL,NULL,NULL,1795714396649906);
INSERT INTO "api_sessions" VALUES(4,'default','2e218279-69ab-4bbe-a208-8556e30e5225','ops','/v1/events','POST',200,381,NULL,NULL,NULL,NULL,NULL,NULL,1795714396542092);
INSERT INTO "api_sessions" VALUES(5,'default','24b7fd8d-8773-4b43-a0ef-9aeeb13df61c','ops','/v1/alerts','POST',201,47278,NULL,NULL,NULL,NULL,NULL,NULL,1795714396598615);
CREATE TABLE api_usage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    key_slot TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
INSERT INTO "api_usage" VALUES(1,'default','default-ops-0069004f','current',1795714396529939);
INSERT INTO "api_usage" VALUES(2,'default','default-ops-0069004f','current',1795714396617999);
INSERT INTO "api_usage" VALUES(3,'default','default-support-9fb27e61','current',1795714396649906);
INSERT INTO "api_usage" VALUES(4,'default','default-ops-0069004f','current',1795714396542092);
INSERT INTO "api_usage" VALUES(5,'default','default-ops-0069004f','current',1795714396598615);
CREATE TABLE assay_identity (id TEXT NOT NULL, service TEXT NOT NULL, session TEXT NOT NULL, created_at TEXT NOT NULL);
INSERT INTO "assay_identity" VALUES('1370b823-aeaa-43a0-a231-a57bb672bbc9','livedata','302b9a5c-73fe-484b-84f9-1d77f45b0ad5','2026-11-26T17:33:14.321688+00:00');
CREATE TABLE assay_probe (id INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL);
CREATE TABLE cache_generation (
    tenant_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    gen INTEGER NOT NULL,
    last_event_at INTEGER NOT NULL, seq INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, table_name)
) STRICT;
INSERT INTO "cache_generation" VALUES('default','orders_v2',2,1795714396519013,34);
INSERT INTO "cache_generation" VALUES('default','order_items',2,1795714396519013,34);
INSERT INTO "cache_generation" VALUES('default','products_current',1,1795714396270465,32);
INSERT INTO "cache_generation" VALUES('default','sessions_aggregated',1,1795714396270465,32);
INSERT INTO "cache_generation" VALUES('default','users_enriched',2,1795714396519013,34);
INSERT INTO "cache_generation" VALUES('default','pipeline_events',3,1795714396541810,35);
CREATE TABLE dead_letter_events (
    tenant_id TEXT NOT NULL DEFAULT 'default',
    event_id TEXT NOT NULL,
    event_type TEXT,
    payload TEXT NOT NULL,
    failure_reason TEXT NOT NULL,
    failure_detail TEXT,
    received_at INTEGER NOT NULL,
    retry_count INTEGER NOT NULL DEFAULT 0,
    last_retried_at INTEGER,
    status TEXT NOT NULL,
    PRIMARY KEY (tenant_id, event_id)
) STRICT;
INSERT INTO "dead_letter_events" VALUES('default','evt-004','order.created','{"order_id":"ORD-DRAFT-004","total_amount":0}','schema_validation','order_id: must look like ORD-20260404-1001',1795713976270465,0,NULL,'failed');
INSERT INTO "dead_letter_events" VALUES('default','evt-009','order.updated','{"order_id":"ORD-20260404-1002"}','duplicate_event','the event was applied before',1795714276270465,0,NULL,'failed');
INSERT INTO "dead_letter_events" VALUES('default','wrong','order.created','{"event_id":"wrong","event_type":"order.created"}','schema_validation','event_id: 36 hexadecimal digits and dashes',1795714396541810,0,NULL,'failed');
CREATE TABLE event_freshness (
    tenant_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    applied_at INTEGER NOT NULL,
    events INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, event_type)
) STRICT;
INSERT INTO "event_freshness" VALUES('default','order.created',1795714396519013,1);
CREATE TABLE idempotency_keys (
    scope TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    holder TEXT NOT NULL,
    status INTEGER,
    body TEXT,
    content_type TEXT,
    started_at INTEGER NOT NULL,
    PRIMARY KEY (scope, idempotency_key)
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
INSERT INTO "jobs" VALUES(1,'livedata.alert','ca554caf-98db-4d2f-adc5-7aa2e4328423:1:4ea3932a-b2db-4660-ab02-5c068653ca95','ca554caf-98db-4d2f-adc5-7aa2e4328423:1','{"webhook_id":"ca554caf-98db-4d2f-adc5-7aa2e4328423:1","event_id":"4ea3932a-b2db-4660-ab02-5c068653ca95","event_type":"alert.triggered","body":"{\"alert_id\":\"ca554caf-98db-4d2f-adc5-7aa2e4328423\",\"alert_name\":\"kept\",\"condition\":\"above\",\"current_value\":11191.5,\"duration_minutes\":0.0,\"fired_at\":\"2026-11-26T17:33:16.620729Z\",\"level\":1,\"metric\":\"revenue\",\"resolved_at\":null,\"status\":\"firing\",\"tenant\":\"default\",\"threshold\":1.0,\"triggered_at\":\"2026-11-26T17:33:16.620729Z\",\"window\":\"1h\"}"}','waiting',0,0,1795714397329000,NULL,NULL,1795714396621000,NULL);
CREATE TABLE node_branches (
    tenant_id TEXT NOT NULL,
    branch TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    events INTEGER NOT NULL,
    day INTEGER NOT NULL,
    day_events INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, branch, entity_type)
) STRICT;
CREATE TABLE node_outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    payload TEXT NOT NULL,
    added_at INTEGER NOT NULL
) STRICT;
CREATE TABLE ops_exception_triage (
    tenant_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    source TEXT NOT NULL,
    status TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    resolved_at INTEGER,
    note TEXT,
    PRIMARY KEY (tenant_id, item_id)
) STRICT;
CREATE TABLE order_items (
    tenant_id TEXT NOT NULL DEFAULT 'default',
    order_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    amount_cents INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, order_id, product_id)
) STRICT;
INSERT INTO "order_items" VALUES('default','ORD-20260404-7777','PROD-003',3,3150);
CREATE TABLE orders_v2 (
    tenant_id TEXT NOT NULL DEFAULT 'default',
    order_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    status TEXT NOT NULL,
    total_cents INTEGER NOT NULL,
    currency TEXT NOT NULL DEFAULT 'RUB',
    created_at INTEGER NOT NULL,
    state_ts INTEGER NOT NULL DEFAULT 0,
    last_event_id TEXT NOT NULL DEFAULT '',
    updated_at INTEGER,
    PRIMARY KEY (tenant_id, order_id)
) STRICT;
INSERT INTO "orders_v2" VALUES('default','ORD-20260404-1001','USR-10001','delivered',7640000,'RUB',1795707196270465,0,'',NULL);
INSERT INTO "orders_v2" VALUES('default','ORD-20260404-1002','USR-10002','shipped',4810000,'RUB',1795708996270465,0,'',NULL);
INSERT INTO "orders_v2" VALUES('default','ORD-20260404-1003','USR-10003','confirmed',265000,'RUB',1795710796270465,0,'',NULL);
INSERT INTO "orders_v2" VALUES('default','ORD-20260404-1004','USR-10003','pending',189000,'RUB',1795711696270465,0,'',NULL);
INSERT INTO "orders_v2" VALUES('default','ORD-20260404-1005','USR-10004','delivered',229000,'RUB',1795712596270465,0,'',NULL);
INSERT INTO "orders_v2" VALUES('default','ORD-20260404-1006','USR-10004','cancelled',159000,'RUB',1795713196270465,0,'',NULL);
INSERT INTO "orders_v2" VALUES('default','ORD-20260404-1007','USR-10005','confirmed',299000,'RUB',1795713496270465,0,'',NULL);
INSERT INTO "orders_v2" VALUES('default','ORD-20260404-1008','USR-10005','pending',399000,'RUB',1795714096270465,0,'',NULL);
INSERT INTO "orders_v2" VALUES('default','ORD-20260404-7777','USR-10001','pending',3150,'RUB',1795714391510664,1795714391510664,'45dcb193-9f98-4496-aef9-6487b3c05520',1795714396519013);
CREATE TABLE pipeline_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL DEFAULT 'default',
    event_id TEXT NOT NULL,
    topic TEXT NOT NULL,
    entity_type TEXT,
    entity_id TEXT,
    event_type TEXT,
    latency_ms INTEGER,
    status_code INTEGER,
    processed_at INTEGER NOT NULL,
    source TEXT,
    way_in TEXT,
    branch TEXT,
    entity_data TEXT
) STRICT;
INSERT INTO "pipeline_events" VALUES(1,'default','evt-ord-1001-status-pending','orders.status','order','ORD-20260404-1001','order.status.pending',NULL,NULL,1795707196270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(2,'default','evt-ord-1001-status-confirmed','orders.status','order','ORD-20260404-1001','order.status.confirmed',NULL,NULL,1795708396270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(3,'default','evt-ord-1001-status-shipped','orders.status','order','ORD-20260404-1001','order.status.shipped',NULL,NULL,1795710796270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(4,'default','evt-ord-1001-status-delivered','orders.status','order','ORD-20260404-1001','order.status.delivered',NULL,NULL,1795713796270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(5,'default','evt-ord-1002-status-pending','orders.status','order','ORD-20260404-1002','order.status.pending',NULL,NULL,1795708996270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(6,'default','evt-ord-1002-status-confirmed','orders.status','order','ORD-20260404-1002','order.status.confirmed',NULL,NULL,1795709596270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(7,'default','evt-ord-1002-status-shipped','orders.status','order','ORD-20260404-1002','order.status.shipped',NULL,NULL,1795710196270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(8,'default','evt-ord-1003-status-pending','orders.status','order','ORD-20260404-1003','order.status.pending',NULL,NULL,1795710796270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(9,'default','evt-ord-1003-status-confirmed','orders.status','order','ORD-20260404-1003','order.status.confirmed',NULL,NULL,1795711396270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(10,'default','evt-ord-1004-status-pending','orders.status','order','ORD-20260404-1004','order.status.pending',NULL,NULL,1795711696270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(11,'default','evt-ord-1005-status-pending','orders.status','order','ORD-20260404-1005','order.status.pending',NULL,NULL,1795712596270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(12,'default','evt-ord-1005-status-confirmed','orders.status','order','ORD-20260404-1005','order.status.confirmed',NULL,NULL,1795712896270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(13,'default','evt-ord-1005-status-shipped','orders.status','order','ORD-20260404-1005','order.status.shipped',NULL,NULL,1795713496270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(14,'default','evt-ord-1005-status-delivered','orders.status','order','ORD-20260404-1005','order.status.delivered',NULL,NULL,1795714096270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(15,'default','evt-ord-1006-status-pending','orders.status','order','ORD-20260404-1006','order.status.pending',NULL,NULL,1795713196270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(16,'default','evt-ord-1006-status-cancelled','orders.status','order','ORD-20260404-1006','order.status.cancelled',NULL,NULL,1795713796270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(17,'default','evt-ord-1007-status-pending','orders.status','order','ORD-20260404-1007','order.status.pending',NULL,NULL,1795713496270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(18,'default','evt-ord-1007-status-confirmed','orders.status','order','ORD-20260404-1007','order.status.confirmed',NULL,NULL,1795713916270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(19,'default','evt-ord-1008-status-pending','orders.status','order','ORD-20260404-1008','order.status.pending',NULL,NULL,1795714096270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(20,'default','evt-001','events.validated',NULL,NULL,'page_view',11,NULL,1795713796270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(21,'default','evt-002','events.validated',NULL,NULL,'page_view',12,NULL,1795713856270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(22,'default','evt-003','events.validated',NULL,NULL,'page_view',13,NULL,1795713916270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(23,'default','evt-004','events.deadletter',NULL,NULL,'order.created',0,NULL,1795713976270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(24,'default','evt-005','events.validated',NULL,NULL,'page_view',15,NULL,1795714036270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(25,'default','evt-006','events.validated',NULL,NULL,'page_view',16,NULL,1795714096270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(26,'default','evt-007','events.validated',NULL,NULL,'page_view',17,NULL,1795714156270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(27,'default','evt-008','events.validated',NULL,NULL,'page_view',18,NULL,1795714216270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(28,'default','evt-009','events.deadletter',NULL,NULL,'order.updated',0,NULL,1795714276270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(29,'default','evt-010','events.validated',NULL,NULL,'page_view',20,NULL,1795714336270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(30,'default','evt-ord-1001-ingest','orders.raw','order','ORD-20260404-1001','order.created',12,NULL,1795714216270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(31,'default','evt-ord-1001-validated','events.validated','order','ORD-20260404-1001','order.validated',8,NULL,1795714276270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(32,'default','evt-ord-1001-served','events.served','order','ORD-20260404-1001','order.served',4,NULL,1795714336270465,'seed','seed',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(33,'default','45dcb193-9f98-4496-aef9-6487b3c05520-status','orders.status','order','ORD-20260404-7777','order.status.pending',NULL,NULL,1795714396519013,'shop','http',NULL,NULL);
INSERT INTO "pipeline_events" VALUES(34,'default','45dcb193-9f98-4496-aef9-6487b3c05520','events.validated','order','ORD-20260404-7777','order.created',5008,NULL,1795714396519013,'shop','http',NULL,'{"order_id":"ORD-20260404-7777","user_id":"USR-10001","status":"pending","total_amount":31.5,"currency":"RUB","created_at":"2026-11-26T17:33:11.510664Z","_derived":{"item_count":3,"unique_products":1,"avg_item_price":10.5,"order_size_bucket":"small"}}');
INSERT INTO "pipeline_events" VALUES(35,'default','wrong','events.deadletter',NULL,NULL,'order.created',0,NULL,1795714396541810,NULL,'http',NULL,NULL);
CREATE TABLE products_current (
    tenant_id TEXT NOT NULL DEFAULT 'default',
    product_id TEXT NOT NULL,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    price_cents INTEGER NOT NULL,
    in_stock INTEGER NOT NULL,
    stock_quantity INTEGER NOT NULL,
    state_ts INTEGER NOT NULL DEFAULT 0,
    last_event_id TEXT NOT NULL DEFAULT '',
    updated_at INTEGER,
    PRIMARY KEY (tenant_id, product_id)
) STRICT;
INSERT INTO "products_current" VALUES('default','PROD-001','Electric Kettle 1.7L 2200W','kettles',219000,0,0,0,'',NULL);
INSERT INTO "products_current" VALUES('default','PROD-002','Air Fryer Grill 5.5L','grills',549000,1,58,0,'',NULL);
INSERT INTO "products_current" VALUES('default','PROD-003','Immersion Blender Set 800W','blenders',249000,1,203,0,'',NULL);
INSERT INTO "products_current" VALUES('default','PROD-004','Stand Mixer 5L Planetary','mixers',699000,1,37,0,'',NULL);
INSERT INTO "products_current" VALUES('default','PROD-005','Drip Coffee Maker 1.2L','coffee',349000,1,94,0,'',NULL);
INSERT INTO "products_current" VALUES('default','PROD-006','Waffle Maker Double','multibakers',229000,1,142,0,'',NULL);
INSERT INTO "products_current" VALUES('default','PROD-007','Mini Chopper 500ml','choppers',149000,1,315,0,'',NULL);
INSERT INTO "products_current" VALUES('default','PROD-008','Cold-Press Juicer','juicers',449000,1,72,0,'',NULL);
INSERT INTO "products_current" VALUES('default','PROD-009','Digital Kitchen Scale 5kg','scales',99000,1,421,0,'',NULL);
INSERT INTO "products_current" VALUES('default','PROD-010','Vacuum Sealer Compact','vacuum-dry',329000,1,167,0,'',NULL);
CREATE TABLE schema_migrations ( version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO "schema_migrations" VALUES(1,'0001_serving.sql','2026-11-26T17:33:14.266497+00:00');
INSERT INTO "schema_migrations" VALUES(2,'0002_access.sql','2026-11-26T17:33:14.291050+00:00');
INSERT INTO "schema_migrations" VALUES(3,'0003_delivery.sql','2026-11-26T17:33:14.291726+00:00');
INSERT INTO "schema_migrations" VALUES(4,'0004_search.sql','2026-11-26T17:33:14.292122+00:00');
INSERT INTO "schema_migrations" VALUES(5,'0005_generation_order.sql','2026-11-26T17:33:14.292563+00:00');
INSERT INTO "schema_migrations" VALUES(6,'0006_alerts.sql','2026-11-26T17:33:14.293325+00:00');
INSERT INTO "schema_migrations" VALUES(7,'0007_operations.sql','2026-11-26T17:33:14.293604+00:00');
INSERT INTO "schema_migrations" VALUES(8,'0008_nodes.sql','2026-11-26T17:33:14.321213+00:00');
INSERT INTO "schema_migrations" VALUES(9,'0009_jobs_held.sql','2026-11-26T17:33:14.321465+00:00');
CREATE TABLE search_docs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    snippet TEXT NOT NULL,
    words TEXT NOT NULL
) STRICT;
INSERT INTO "search_docs" VALUES(1,'default','order','ORD-20260404-1001','Order ORD-20260404-1001 status delivered total 76400.00 RUB user USR-10001','00 1 10001 2 1001 2 20260404 2 76400 2 delivered 2 high 1 large 3 ord 2 order 1 premium 1 rub 2 status 1 total 1 user 1 usr 2 value 1 ');
INSERT INTO "search_docs" VALUES(2,'default','order','ORD-20260404-1002','Order ORD-20260404-1002 status shipped total 48100.00 RUB user USR-10002','00 1 10002 2 1002 2 20260404 2 48100 2 high 1 large 3 ord 2 order 1 premium 1 rub 2 shipped 2 status 1 total 1 user 1 usr 2 value 1 ');
INSERT INTO "search_docs" VALUES(3,'default','order','ORD-20260404-1003','Order ORD-20260404-1003 status confirmed total 2650.00 RUB user USR-10003','00 1 10003 2 1003 2 20260404 2 2650 2 confirmed 2 high 1 large 3 ord 2 order 1 premium 1 rub 2 status 1 total 1 user 1 usr 2 value 1 ');
INSERT INTO "search_docs" VALUES(4,'default','order','ORD-20260404-1004','Order ORD-20260404-1004 status pending total 1890.00 RUB user USR-10003','00 1 10003 2 1004 2 1890 2 20260404 2 high 1 large 3 ord 2 order 1 pending 2 premium 1 rub 2 status 1 total 1 user 1 usr 2 value 1 ');
INSERT INTO "search_docs" VALUES(5,'default','order','ORD-20260404-1005','Order ORD-20260404-1005 status delivered total 2290.00 RUB user USR-10004','00 1 10004 2 1005 2 20260404 2 2290 2 delivered 2 high 1 large 3 ord 2 order 1 premium 1 rub 2 status 1 total 1 user 1 usr 2 value 1 ');
INSERT INTO "search_docs" VALUES(6,'default','order','ORD-20260404-1006','Order ORD-20260404-1006 status cancelled total 1590.00 RUB user USR-10004','00 1 10004 2 1006 2 1590 2 20260404 2 cancelled 2 high 1 large 3 ord 2 order 1 premium 1 rub 2 status 1 total 1 user 1 usr 2 value 1 ');
INSERT INTO "search_docs" VALUES(7,'default','order','ORD-20260404-1007','Order ORD-20260404-1007 status confirmed total 2990.00 RUB user USR-10005','00 1 10005 2 1007 2 20260404 2 2990 2 confirmed 2 high 1 large 3 ord 2 order 1 premium 1 rub 2 status 1 total 1 user 1 usr 2 value 1 ');
INSERT INTO "search_docs" VALUES(8,'default','order','ORD-20260404-1008','Order ORD-20260404-1008 status pending total 3990.00 RUB user USR-10005','00 1 10005 2 1008 2 20260404 2 3990 2 high 1 large 3 ord 2 order 1 pending 2 premium 1 rub 2 status 1 total 1 user 1 usr 2 value 1 ');
INSERT INTO "search_docs" VALUES(9,'default','product','PROD-001','Product Electric Kettle 1.7L 2200W (PROD-001) category kettles price 2190.00 RUB out of stock','0 1 00 1 001 2 1 2 2190 2 2200w 2 7l 2 category 1 electric 2 false 1 kettle 4 out 2 price 1 prod 2 product 1 rub 1 stock 2 unavailable 1 ');
INSERT INTO "search_docs" VALUES(10,'default','product','PROD-002','Product Air Fryer Grill 5.5L (PROD-002) category grills price 5490.00 RUB in stock','00 1 002 2 5 2 5490 2 58 1 5l 2 air 2 category 1 fryer 2 grill 4 price 1 prod 2 product 1 rub 1 stock 1 true 1 ');
INSERT INTO "search_docs" VALUES(11,'default','product','PROD-003','Product Immersion Blender Set 800W (PROD-003) category blenders price 2490.00 RUB in stock','00 1 003 2 203 1 2490 2 800w 2 blender 4 category 1 immersion 2 price 1 prod 2 product 1 rub 1 set 2 stock 1 true 1 ');
INSERT INTO "search_docs" VALUES(12,'default','product','PROD-004','Product Stand Mixer 5L Planetary (PROD-004) category mixers price 6990.00 RUB in stock','00 1 004 2 37 1 5l 2 6990 2 category 1 mixer 4 planetary 2 price 1 prod 2 product 1 rub 1 stand 2 stock 1 true 1 ');
INSERT INTO "search_docs" VALUES(13,'default','product','PROD-005','Product Drip Coffee Maker 1.2L (PROD-005) category coffee price 3490.00 RUB in stock','00 1 005 2 1 2 2l 2 3490 2 94 1 category 1 coffee 4 drip 2 maker 2 price 1 prod 2 product 1 rub 1 stock 1 true 1 ');
INSERT INTO "search_docs" VALUES(14,'default','product','PROD-006','Product Waffle Maker Double (PROD-006) category multibakers price 2290.00 RUB in stock','00 1 006 2 142 1 2290 2 category 1 double 2 maker 2 multibaker 2 price 1 prod 2 product 1 rub 1 stock 1 true 1 waffle 2 ');
INSERT INTO "search_docs" VALUES(15,'default','product','PROD-007','Product Mini Chopper 500ml (PROD-007) category choppers price 1490.00 RUB in stock','00 1 007 2 1490 2 315 1 500ml 2 category 1 chopper 4 mini 2 price 1 prod 2 product 1 rub 1 stock 1 true 1 ');
INSERT INTO "search_docs" VALUES(16,'default','product','PROD-008','Product Cold-Press Juicer (PROD-008) category juicers price 4490.00 RUB in stock','00 1 008 2 4490 2 72 1 category 1 cold 2 juicer 4 press 2 price 1 prod 2 product 1 rub 1 stock 1 true 1 ');
INSERT INTO "search_docs" VALUES(17,'default','product','PROD-009','Product Digital Kitchen Scale 5kg (PROD-009) category scales price 990.00 RUB in stock','00 1 009 2 421 1 5kg 2 990 2 category 1 digital 2 kitchen 2 price 1 prod 2 product 1 rub 1 scale 4 stock 1 true 1 ');
INSERT INTO "search_docs" VALUES(18,'default','product','PROD-010','Product Vacuum Sealer Compact (PROD-010) category vacuum-dry price 3290.00 RUB in stock','00 1 010 2 167 1 3290 2 category 1 compact 2 dry 2 price 1 prod 2 product 1 rub 1 sealer 2 stock 1 true 1 vacuum 4 ');
INSERT INTO "search_docs" VALUES(19,'default','session','SES-a1b2c3','Session SES-a1b2c3 for user USR-10005 stage checkout conversion True','10005 2 12000000 1 14 1 6 1 a1b2c3 2 checkout 2 conversion 1 ses 2 session 1 stage 1 true 2 user 1 usr 2 ');
INSERT INTO "search_docs" VALUES(20,'default','session','SES-d4e5f6','Session SES-d4e5f6 for user USR-10004 stage add_to_cart conversion False','10004 2 12000000 1 4 1 8 1 add 2 cart 2 conversion 1 d4e5f6 2 false 2 ses 2 session 1 stage 1 user 1 usr 2 ');
INSERT INTO "search_docs" VALUES(21,'default','session','SES-g7h8i9','Session SES-g7h8i9 for user None stage bounce conversion False','1200000 1 2 2 bounce 2 conversion 1 false 2 g7h8i9 2 none 1 ses 2 session 1 stage 1 user 1 ');
INSERT INTO "search_docs" VALUES(22,'default','session','SES-j1k2l3','Session SES-j1k2l3 for user USR-10003 stage checkout conversion True','10003 2 11 1 15000000 1 5 1 checkout 2 conversion 1 j1k2l3 2 ses 2 session 1 stage 1 true 2 user 1 usr 2 ');
INSERT INTO "search_docs" VALUES(23,'default','session','SES-m4n5o6','Session SES-m4n5o6 for user USR-10004 stage product_view conversion False','10004 2 3 1 6 1 9000000 1 conversion 1 false 2 m4n5o6 2 product 2 ses 2 session 1 stage 1 user 1 usr 2 view 2 ');
INSERT INTO "search_docs" VALUES(24,'default','session','SES-p7q8r9','Session SES-p7q8r9 for user USR-10005 stage browse conversion False','10005 2 2 1 3 1 browse 2 conversion 1 false 2 p7q8r9 2 ses 2 session 1 stage 1 user 1 usr 2 ');
INSERT INTO "search_docs" VALUES(25,'default','user','USR-10001','User USR-10001 with 2 orders spent 76431.50 RUB prefers blenders','10001 2 2 2 50 1 76431 2 blender 2 order 1 prefer 1 rub 1 spent 1 user 1 usr 2 ');
INSERT INTO "search_docs" VALUES(26,'default','user','USR-10002','User USR-10002 with 15 orders spent 460000.00 RUB prefers coffee','00 1 10002 2 15 2 460000 2 coffee 2 order 1 prefer 1 rub 1 spent 1 user 1 usr 2 ');
INSERT INTO "search_docs" VALUES(27,'default','user','USR-10003','User USR-10003 with 4 orders spent 8900.00 RUB prefers choppers','00 1 10003 2 4 2 8900 2 chopper 2 order 1 prefer 1 rub 1 spent 1 user 1 usr 2 ');
INSERT INTO "search_docs" VALUES(28,'default','user','USR-10004','User USR-10004 with 6 orders spent 15800.00 RUB prefers blenders','00 1 10004 2 15800 2 6 2 blender 2 order 1 prefer 1 rub 1 spent 1 user 1 usr 2 ');
INSERT INTO "search_docs" VALUES(29,'default','user','USR-10005','User USR-10005 with 3 orders spent 28500.00 RUB prefers vacuum-dry','00 1 10005 2 28500 2 3 2 dry 2 order 1 prefer 1 rub 1 spent 1 user 1 usr 2 vacuum 2 ');
INSERT INTO "search_docs" VALUES(30,'default','order','ORD-20260404-7777','Order ORD-20260404-7777 status pending total 31.50 RUB user USR-10001','10001 2 20260404 2 31 2 50 1 7777 2 budget 1 low 1 ord 2 order 1 pending 2 rub 2 small 1 status 1 total 1 user 1 usr 2 value 1 ');
CREATE TABLE search_terms (
    tenant_id TEXT NOT NULL,
    term TEXT NOT NULL,
    doc_id INTEGER NOT NULL,
    entity_type TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, term, doc_id)
) STRICT;
INSERT INTO "search_terms" VALUES('default','00',1,'order',1);
INSERT INTO "search_terms" VALUES('default','10001',1,'order',2);
INSERT INTO "search_terms" VALUES('default','1001',1,'order',2);
INSERT INTO "search_terms" VALUES('default','20260404',1,'order',2);
INSERT INTO "search_terms" VALUES('default','76400',1,'order',2);
INSERT INTO "search_terms" VALUES('default','delivered',1,'order',2);
INSERT INTO "search_terms" VALUES('default','high',1,'order',1);
INSERT INTO "search_terms" VALUES('default','large',1,'order',3);
INSERT INTO "search_terms" VALUES('default','ord',1,'order',2);
INSERT INTO "search_terms" VALUES('default','order',1,'order',1);
INSERT INTO "search_terms" VALUES('default','premium',1,'order',1);
INSERT INTO "search_terms" VALUES('default','rub',1,'order',2);
INSERT INTO "search_terms" VALUES('default','status',1,'order',1);
INSERT INTO "search_terms" VALUES('default','total',1,'order',1);
INSERT INTO "search_terms" VALUES('default','user',1,'order',1);
INSERT INTO "search_terms" VALUES('default','usr',1,'order',2);
INSERT INTO "search_terms" VALUES('default','value',1,'order',1);
INSERT INTO "search_terms" VALUES('default','00',2,'order',1);
INSERT INTO "search_terms" VALUES('default','10002',2,'order',2);
INSERT INTO "search_terms" VALUES('default','1002',2,'order',2);
INSERT INTO "search_terms" VALUES('default','20260404',2,'order',2);
INSERT INTO "search_terms" VALUES('default','48100',2,'order',2);
INSERT INTO "search_terms" VALUES('default','high',2,'order',1);
INSERT INTO "search_terms" VALUES('default','large',2,'order',3);
INSERT INTO "search_terms" VALUES('default','ord',2,'order',2);
INSERT INTO "search_terms" VALUES('default','order',2,'order',1);
INSERT INTO "search_terms" VALUES('default','premium',2,'order',1);
INSERT INTO "search_terms" VALUES('default','rub',2,'order',2);
INSERT INTO "search_terms" VALUES('default','shipped',2,'order',2);
INSERT INTO "search_terms" VALUES('default','status',2,'order',1);
INSERT INTO "search_terms" VALUES('default','total',2,'order',1);
INSERT INTO "search_terms" VALUES('default','user',2,'order',1);
INSERT INTO "search_terms" VALUES('default','usr',2,'order',2);
INSERT INTO "search_terms" VALUES('default','value',2,'order',1);
INSERT INTO "search_terms" VALUES('default','00',3,'order',1);
INSERT INTO "search_terms" VALUES('default','10003',3,'order',2);
INSERT INTO "search_terms" VALUES('default','1003',3,'order',2);
INSERT INTO "search_terms" VALUES('default','20260404',3,'order',2);
INSERT INTO "search_terms" VALUES('default','2650',3,'order',2);
INSERT INTO "search_terms" VALUES('default','confirmed',3,'order',2);
INSERT INTO "search_terms" VALUES('default','high',3,'order',1);
INSERT INTO "search_terms" VALUES('default','large',3,'order',3);
INSERT INTO "search_terms" VALUES('default','ord',3,'order',2);
INSERT INTO "search_terms" VALUES('default','order',3,'order',1);
INSERT INTO "search_terms" VALUES('default','premium',3,'order',1);
INSERT INTO "search_terms" VALUES('default','rub',3,'order',2);
INSERT INTO "search_terms" VALUES('default','status',3,'order',1);
INSERT INTO "search_terms" VALUES('default','total',3,'order',1);
INSERT INTO "search_terms" VALUES('default','user',3,'order',1);
INSERT INTO "search_terms" VALUES('default','usr',3,'order',2);
INSERT INTO "search_terms" VALUES('default','value',3,'order',1);
INSERT INTO "search_terms" VALUES('default','00',4,'order',1);
INSERT INTO "search_terms" VALUES('default','10003',4,'order',2);
INSERT INTO "search_terms" VALUES('default','1004',4,'order',2);
INSERT INTO "search_terms" VALUES('default','1890',4,'order',2);
INSERT INTO "search_terms" VALUES('default','20260404',4,'order',2);
INSERT INTO "search_terms" VALUES('default','high',4,'order',1);
INSERT INTO "search_terms" VALUES('default','large',4,'order',3);
INSERT INTO "search_terms" VALUES('default','ord',4,'order',2);
INSERT INTO "search_terms" VALUES('default','order',4,'order',1);
INSERT INTO "search_terms" VALUES('default','pending',4,'order',2);
INSERT INTO "search_terms" VALUES('default','premium',4,'order',1);
INSERT INTO "search_terms" VALUES('default','rub',4,'order',2);
INSERT INTO "search_terms" VALUES('default','status',4,'order',1);
INSERT INTO "search_terms" VALUES('default','total',4,'order',1);
INSERT INTO "search_terms" VALUES('default','user',4,'order',1);
INSERT INTO "search_terms" VALUES('default','usr',4,'order',2);
INSERT INTO "search_terms" VALUES('default','value',4,'order',1);
INSERT INTO "search_terms" VALUES('default','00',5,'order',1);
INSERT INTO "search_terms" VALUES('default','10004',5,'order',2);
INSERT INTO "search_terms" VALUES('default','1005',5,'order',2);
INSERT INTO "search_terms" VALUES('default','20260404',5,'order',2);
INSERT INTO "search_terms" VALUES('default','2290',5,'order',2);
INSERT INTO "search_terms" VALUES('default','delivered',5,'order',2);
INSERT INTO "search_terms" VALUES('default','high',5,'order',1);
INSERT INTO "search_terms" VALUES('default','large',5,'order',3);
INSERT INTO "search_terms" VALUES('default','ord',5,'order',2);
INSERT INTO "search_terms" VALUES('default','order',5,'order',1);
INSERT INTO "search_terms" VALUES('default','premium',5,'order',1);
INSERT INTO "search_terms" VALUES('default','rub',5,'order',2);
INSERT INTO "search_terms" VALUES('default','status',5,'order',1);
INSERT INTO "search_terms" VALUES('default','total',5,'order',1);
INSERT INTO "search_terms" VALUES('default','user',5,'order',1);
INSERT INTO "search_terms" VALUES('default','usr',5,'order',2);
INSERT INTO "search_terms" VALUES('default','value',5,'order',1);
INSERT INTO "search_terms" VALUES('default','00',6,'order',1);
INSERT INTO "search_terms" VALUES('default','10004',6,'order',2);
INSERT INTO "search_terms" VALUES('default','1006',6,'order',2);
INSERT INTO "search_terms" VALUES('default','1590',6,'order',2);
INSERT INTO "search_terms" VALUES('default','20260404',6,'order',2);
INSERT INTO "search_terms" VALUES('default','cancelled',6,'order',2);
INSERT INTO "search_terms" VALUES('default','high',6,'order',1);
INSERT INTO "search_terms" VALUES('default','large',6,'order',3);
INSERT INTO "search_terms" VALUES('default','ord',6,'order',2);
INSERT INTO "search_terms" VALUES('default','order',6,'order',1);
INSERT INTO "search_terms" VALUES('default','premium',6,'order',1);
INSERT INTO "search_terms" VALUES('default','rub',6,'order',2);
INSERT INTO "search_terms" VALUES('default','status',6,'order',1);
INSERT INTO "search_terms" VALUES('default','total',6,'order',1);
INSERT INTO "search_terms" VALUES('default','user',6,'order',1);
INSERT INTO "search_terms" VALUES('default','usr',6,'order',2);
INSERT INTO "search_terms" VALUES('default','value',6,'order',1);
INSERT INTO "search_terms" VALUES('default','00',7,'order',1);
INSERT INTO "search_terms" VALUES('default','10005',7,'order',2);
INSERT INTO "search_terms" VALUES('default','1007',7,'order',2);
INSERT INTO "search_terms" VALUES('default','20260404',7,'order',2);
INSERT INTO "search_terms" VALUES('default','2990',7,'order',2);
INSERT INTO "search_terms" VALUES('default','confirmed',7,'order',2);
INSERT INTO "search_terms" VALUES('default','high',7,'order',1);
INSERT INTO "search_terms" VALUES('default','large',7,'order',3);
INSERT INTO "search_terms" VALUES('default','ord',7,'order',2);
INSERT INTO "search_terms" VALUES('default','order',7,'order',1);
INSERT INTO "search_terms" VALUES('default','premium',7,'order',1);
INSERT INTO "search_terms" VALUES('default','rub',7,'order',2);
INSERT INTO "search_terms" VALUES('default','status',7,'order',1);
INSERT INTO "search_terms" VALUES('default','total',7,'order',1);
INSERT INTO "search_terms" VALUES('default','user',7,'order',1);
INSERT INTO "search_terms" VALUES('default','usr',7,'order',2);
INSERT INTO "search_terms" VALUES('default','value',7,'order',1);
INSERT INTO "search_terms" VALUES('default','00',8,'order',1);
INSERT INTO "search_terms" VALUES('default','10005',8,'order',2);
INSERT INTO "search_terms" VALUES('default','1008',8,'order',2);
INSERT INTO "search_terms" VALUES('default','20260404',8,'order',2);
INSERT INTO "search_terms" VALUES('default','3990',8,'order',2);
INSERT INTO "search_terms" VALUES('default','high',8,'order',1);
INSERT INTO "search_terms" VALUES('default','large',8,'order',3);
INSERT INTO "search_terms" VALUES('default','ord',8,'order',2);
INSERT INTO "search_terms" VALUES('default','order',8,'order',1);
INSERT INTO "search_terms" VALUES('default','pending',8,'order',2);
INSERT INTO "search_terms" VALUES('default','premium',8,'order',1);
INSERT INTO "search_terms" VALUES('default','rub',8,'order',2);
INSERT INTO "search_terms" VALUES('default','status',8,'order',1);
INSERT INTO "search_terms" VALUES('default','total',8,'order',1);
INSERT INTO "search_terms" VALUES('default','user',8,'order',1);
INSERT INTO "search_terms" VALUES('default','usr',8,'order',2);
INSERT INTO "search_terms" VALUES('default','value',8,'order',1);
INSERT INTO "search_terms" VALUES('default','0',9,'product',1);
INSERT INTO "search_terms" VALUES('default','00',9,'product',1);
INSERT INTO "search_terms" VALUES('default','001',9,'product',2);
INSERT INTO "search_terms" VALUES('default','1',9,'product',2);
INSERT INTO "search_terms" VALUES('default','2190',9,'product',2);
INSERT INTO "search_terms" VALUES('default','2200w',9,'product',2);
INSERT INTO "search_terms" VALUES('default','7l',9,'product',2);
INSERT INTO "search_terms" VALUES('default','category',9,'product',1);
INSERT INTO "search_terms" VALUES('default','electric',9,'product',2);
INSERT INTO "search_terms" VALUES('default','false',9,'product',1);
INSERT INTO "search_terms" VALUES('default','kettle',9,'product',4);
INSERT INTO "search_terms" VALUES('default','out',9,'product',2);
INSERT INTO "search_terms" VALUES('default','price',9,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',9,'product',2);
INSERT INTO "search_terms" VALUES('default','product',9,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',9,'product',1);
INSERT INTO "search_terms" VALUES('default','stock',9,'product',2);
INSERT INTO "search_terms" VALUES('default','unavailable',9,'product',1);
INSERT INTO "search_terms" VALUES('default','00',10,'product',1);
INSERT INTO "search_terms" VALUES('default','002',10,'product',2);
INSERT INTO "search_terms" VALUES('default','5',10,'product',2);
INSERT INTO "search_terms" VALUES('default','5490',10,'product',2);
INSERT INTO "search_terms" VALUES('default','58',10,'product',1);
INSERT INTO "search_terms" VALUES('default','5l',10,'product',2);
INSERT INTO "search_terms" VALUES('default','air',10,'product',2);
INSERT INTO "search_terms" VALUES('default','category',10,'product',1);
INSERT INTO "search_terms" VALUES('default','fryer',10,'product',2);
INSERT INTO "search_terms" VALUES('default','grill',10,'product',4);
INSERT INTO "search_terms" VALUES('default','price',10,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',10,'product',2);
INSERT INTO "search_terms" VALUES('default','product',10,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',10,'product',1);
INSERT INTO "search_terms" VALUES('default','stock',10,'product',1);
INSERT INTO "search_terms" VALUES('default','true',10,'product',1);
INSERT INTO "search_terms" VALUES('default','00',11,'product',1);
INSERT INTO "search_terms" VALUES('default','003',11,'product',2);
INSERT INTO "search_terms" VALUES('default','203',11,'product',1);
INSERT INTO "search_terms" VALUES('default','2490',11,'product',2);
INSERT INTO "search_terms" VALUES('default','800w',11,'product',2);
INSERT INTO "search_terms" VALUES('default','blender',11,'product',4);
INSERT INTO "search_terms" VALUES('default','category',11,'product',1);
INSERT INTO "search_terms" VALUES('default','immersion',11,'product',2);
INSERT INTO "search_terms" VALUES('default','price',11,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',11,'product',2);
INSERT INTO "search_terms" VALUES('default','product',11,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',11,'product',1);
INSERT INTO "search_terms" VALUES('default','set',11,'product',2);
INSERT INTO "search_terms" VALUES('default','stock',11,'product',1);
INSERT INTO "search_terms" VALUES('default','true',11,'product',1);
INSERT INTO "search_terms" VALUES('default','00',12,'product',1);
INSERT INTO "search_terms" VALUES('default','004',12,'product',2);
INSERT INTO "search_terms" VALUES('default','37',12,'product',1);
INSERT INTO "search_terms" VALUES('default','5l',12,'product',2);
INSERT INTO "search_terms" VALUES('default','6990',12,'product',2);
INSERT INTO "search_terms" VALUES('default','category',12,'product',1);
INSERT INTO "search_terms" VALUES('default','mixer',12,'product',4);
INSERT INTO "search_terms" VALUES('default','planetary',12,'product',2);
INSERT INTO "search_terms" VALUES('default','price',12,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',12,'product',2);
INSERT INTO "search_terms" VALUES('default','product',12,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',12,'product',1);
INSERT INTO "search_terms" VALUES('default','stand',12,'product',2);
INSERT INTO "search_terms" VALUES('default','stock',12,'product',1);
INSERT INTO "search_terms" VALUES('default','true',12,'product',1);
INSERT INTO "search_terms" VALUES('default','00',13,'product',1);
INSERT INTO "search_terms" VALUES('default','005',13,'product',2);
INSERT INTO "search_terms" VALUES('default','1',13,'product',2);
INSERT INTO "search_terms" VALUES('default','2l',13,'product',2);
INSERT INTO "search_terms" VALUES('default','3490',13,'product',2);
INSERT INTO "search_terms" VALUES('default','94',13,'product',1);
INSERT INTO "search_terms" VALUES('default','category',13,'product',1);
INSERT INTO "search_terms" VALUES('default','coffee',13,'product',4);
INSERT INTO "search_terms" VALUES('default','drip',13,'product',2);
INSERT INTO "search_terms" VALUES('default','maker',13,'product',2);
INSERT INTO "search_terms" VALUES('default','price',13,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',13,'product',2);
INSERT INTO "search_terms" VALUES('default','product',13,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',13,'product',1);
INSERT INTO "search_terms" VALUES('default','stock',13,'product',1);
INSERT INTO "search_terms" VALUES('default','true',13,'product',1);
INSERT INTO "search_terms" VALUES('default','00',14,'product',1);
INSERT INTO "search_terms" VALUES('default','006',14,'product',2);
INSERT INTO "search_terms" VALUES('default','142',14,'product',1);
INSERT INTO "search_terms" VALUES('default','2290',14,'product',2);
INSERT INTO "search_terms" VALUES('default','category',14,'product',1);
INSERT INTO "search_terms" VALUES('default','double',14,'product',2);
INSERT INTO "search_terms" VALUES('default','maker',14,'product',2);
INSERT INTO "search_terms" VALUES('default','multibaker',14,'product',2);
INSERT INTO "search_terms" VALUES('default','price',14,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',14,'product',2);
INSERT INTO "search_terms" VALUES('default','product',14,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',14,'product',1);
INSERT INTO "search_terms" VALUES('default','stock',14,'product',1);
INSERT INTO "search_terms" VALUES('default','true',14,'product',1);
INSERT INTO "search_terms" VALUES('default','waffle',14,'product',2);
INSERT INTO "search_terms" VALUES('default','00',15,'product',1);
INSERT INTO "search_terms" VALUES('default','007',15,'product',2);
INSERT INTO "search_terms" VALUES('default','1490',15,'product',2);
INSERT INTO "search_terms" VALUES('default','315',15,'product',1);
INSERT INTO "search_terms" VALUES('default','500ml',15,'product',2);
INSERT INTO "search_terms" VALUES('default','category',15,'product',1);
INSERT INTO "search_terms" VALUES('default','chopper',15,'product',4);
INSERT INTO "search_terms" VALUES('default','mini',15,'product',2);
INSERT INTO "search_terms" VALUES('default','price',15,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',15,'product',2);
INSERT INTO "search_terms" VALUES('default','product',15,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',15,'product',1);
INSERT INTO "search_terms" VALUES('default','stock',15,'product',1);
INSERT INTO "search_terms" VALUES('default','true',15,'product',1);
INSERT INTO "search_terms" VALUES('default','00',16,'product',1);
INSERT INTO "search_terms" VALUES('default','008',16,'product',2);
INSERT INTO "search_terms" VALUES('default','4490',16,'product',2);
INSERT INTO "search_terms" VALUES('default','72',16,'product',1);
INSERT INTO "search_terms" VALUES('default','category',16,'product',1);
INSERT INTO "search_terms" VALUES('default','cold',16,'product',2);
INSERT INTO "search_terms" VALUES('default','juicer',16,'product',4);
INSERT INTO "search_terms" VALUES('default','press',16,'product',2);
INSERT INTO "search_terms" VALUES('default','price',16,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',16,'product',2);
INSERT INTO "search_terms" VALUES('default','product',16,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',16,'product',1);
INSERT INTO "search_terms" VALUES('default','stock',16,'product',1);
INSERT INTO "search_terms" VALUES('default','true',16,'product',1);
INSERT INTO "search_terms" VALUES('default','00',17,'product',1);
INSERT INTO "search_terms" VALUES('default','009',17,'product',2);
INSERT INTO "search_terms" VALUES('default','421',17,'product',1);
INSERT INTO "search_terms" VALUES('default','5kg',17,'product',2);
INSERT INTO "search_terms" VALUES('default','990',17,'product',2);
INSERT INTO "search_terms" VALUES('default','category',17,'product',1);
INSERT INTO "search_terms" VALUES('default','digital',17,'product',2);
INSERT INTO "search_terms" VALUES('default','kitchen',17,'product',2);
INSERT INTO "search_terms" VALUES('default','price',17,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',17,'product',2);
INSERT INTO "search_terms" VALUES('default','product',17,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',17,'product',1);
INSERT INTO "search_terms" VALUES('default','scale',17,'product',4);
INSERT INTO "search_terms" VALUES('default','stock',17,'product',1);
INSERT INTO "search_terms" VALUES('default','true',17,'product',1);
INSERT INTO "search_terms" VALUES('default','00',18,'product',1);
INSERT INTO "search_terms" VALUES('default','010',18,'product',2);
INSERT INTO "search_terms" VALUES('default','167',18,'product',1);
INSERT INTO "search_terms" VALUES('default','3290',18,'product',2);
INSERT INTO "search_terms" VALUES('default','category',18,'product',1);
INSERT INTO "search_terms" VALUES('default','compact',18,'product',2);
INSERT INTO "search_terms" VALUES('default','dry',18,'product',2);
INSERT INTO "search_terms" VALUES('default','price',18,'product',1);
INSERT INTO "search_terms" VALUES('default','prod',18,'product',2);
INSERT INTO "search_terms" VALUES('default','product',18,'product',1);
INSERT INTO "search_terms" VALUES('default','rub',18,'product',1);
INSERT INTO "search_terms" VALUES('default','sealer',18,'product',2);
INSERT INTO "search_terms" VALUES('default','stock',18,'product',1);
INSERT INTO "search_terms" VALUES('default','true',18,'product',1);
INSERT INTO "search_terms" VALUES('default','vacuum',18,'product',4);
INSERT INTO "search_terms" VALUES('default','10005',19,'session',2);
INSERT INTO "search_terms" VALUES('default','12000000',19,'session',1);
INSERT INTO "search_terms" VALUES('default','14',19,'session',1);
INSERT INTO "search_terms" VALUES('default','6',19,'session',1);
INSERT INTO "search_terms" VALUES('default','a1b2c3',19,'session',2);
INSERT INTO "search_terms" VALUES('default','checkout',19,'session',2);
INSERT INTO "search_terms" VALUES('default','conversion',19,'session',1);
INSERT INTO "search_terms" VALUES('default','ses',19,'session',2);
INSERT INTO "search_terms" VALUES('default','session',19,'session',1);
INSERT INTO "search_terms" VALUES('default','stage',19,'session',1);
INSERT INTO "search_terms" VALUES('default','true',19,'session',2);
INSERT INTO "search_terms" VALUES('default','user',19,'session',1);
INSERT INTO "search_terms" VALUES('default','usr',19,'session',2);
INSERT INTO "search_terms" VALUES('default','10004',20,'session',2);
INSERT INTO "search_terms" VALUES('default','12000000',20,'session',1);
INSERT INTO "search_terms" VALUES('default','4',20,'session',1);
INSERT INTO "search_terms" VALUES('default','8',20,'session',1);
INSERT INTO "search_terms" VALUES('default','add',20,'session',2);
INSERT INTO "search_terms" VALUES('default','cart',20,'session',2);
INSERT INTO "search_terms" VALUES('default','conversion',20,'session',1);
INSERT INTO "search_terms" VALUES('default','d4e5f6',20,'session',2);
INSERT INTO "search_terms" VALUES('default','false',20,'session',2);
INSERT INTO "search_terms" VALUES('default','ses',20,'session',2);
INSERT INTO "search_terms" VALUES('default','session',20,'session',1);
INSERT INTO "search_terms" VALUES('default','stage',20,'session',1);
INSERT INTO "search_terms" VALUES('default','user',20,'session',1);
INSERT INTO "search_terms" VALUES('default','usr',20,'session',2);
INSERT INTO "search_terms" VALUES('default','1200000',21,'session',1);
INSERT INTO "search_terms" VALUES('default','2',21,'session',2);
INSERT INTO "search_terms" VALUES('default','bounce',21,'session',2);
INSERT INTO "search_terms" VALUES('default','conversion',21,'session',1);
INSERT INTO "search_terms" VALUES('default','false',21,'session',2);
INSERT INTO "search_terms" VALUES('default','g7h8i9',21,'session',2);
INSERT INTO "search_terms" VALUES('default','none',21,'session',1);
INSERT INTO "search_terms" VALUES('default','ses',21,'session',2);
INSERT INTO "search_terms" VALUES('default','session',21,'session',1);
INSERT INTO "search_terms" VALUES('default','stage',21,'session',1);
INSERT INTO "search_terms" VALUES('default','user',21,'session',1);
INSERT INTO "search_terms" VALUES('default','10003',22,'session',2);
INSERT INTO "search_terms" VALUES('default','11',22,'session',1);
INSERT INTO "search_terms" VALUES('default','15000000',22,'session',1);
INSERT INTO "search_terms" VALUES('default','5',22,'session',1);
INSERT INTO "search_terms" VALUES('default','checkout',22,'session',2);
INSERT INTO "search_terms" VALUES('default','conversion',22,'session',1);
INSERT INTO "search_terms" VALUES('default','j1k2l3',22,'session',2);
INSERT INTO "search_terms" VALUES('default','ses',22,'session',2);
INSERT INTO "search_terms" VALUES('default','session',22,'session',1);
INSERT INTO "search_terms" VALUES('default','stage',22,'session',1);
INSERT INTO "search_terms" VALUES('default','true',22,'session',2);
INSERT INTO "search_terms" VALUES('default','user',22,'session',1);
INSERT INTO "search_terms" VALUES('default','usr',22,'session',2);
INSERT INTO "search_terms" VALUES('default','10004',23,'session',2);
INSERT INTO "search_terms" VALUES('default','3',23,'session',1);
INSERT INTO "search_terms" VALUES('default','6',23,'session',1);
INSERT INTO "search_terms" VALUES('default','9000000',23,'session',1);
INSERT INTO "search_terms" VALUES('default','conversion',23,'session',1);
INSERT INTO "search_terms" VALUES('default','false',23,'session',2);
INSERT INTO "search_terms" VALUES('default','m4n5o6',23,'session',2);
INSERT INTO "search_terms" VALUES('default','product',23,'session',2);
INSERT INTO "search_terms" VALUES('default','ses',23,'session',2);
INSERT INTO "search_terms" VALUES('default','session',23,'session',1);
INSERT INTO "search_terms" VALUES('default','stage',23,'session',1);
INSERT INTO "search_terms" VALUES('default','user',23,'session',1);
INSERT INTO "search_terms" VALUES('default','usr',23,'session',2);
INSERT INTO "search_terms" VALUES('default','view',23,'session',2);
INSERT INTO "search_terms" VALUES('default','10005',24,'session',2);
INSERT INTO "search_terms" VALUES('default','2',24,'session',1);
INSERT INTO "search_terms" VALUES('default','3',24,'session',1);
INSERT INTO "search_terms" VALUES('default','browse',24,'session',2);
INSERT INTO "search_terms" VALUES('default','conversion',24,'session',1);
INSERT INTO "search_terms" VALUES('default','false',24,'session',2);
INSERT INTO "search_terms" VALUES('default','p7q8r9',24,'session',2);
INSERT INTO "search_terms" VALUES('default','ses',24,'session',2);
INSERT INTO "search_terms" VALUES('default','session',24,'session',1);
INSERT INTO "search_terms" VALUES('default','stage',24,'session',1);
INSERT INTO "search_terms" VALUES('default','user',24,'session',1);
INSERT INTO "search_terms" VALUES('default','usr',24,'session',2);
INSERT INTO "search_terms" VALUES('default','10001',25,'user',2);
INSERT INTO "search_terms" VALUES('default','order',25,'user',1);
INSERT INTO "search_terms" VALUES('default','prefer',25,'user',1);
INSERT INTO "search_terms" VALUES('default','rub',25,'user',1);
INSERT INTO "search_terms" VALUES('default','spent',25,'user',1);
INSERT INTO "search_terms" VALUES('default','user',25,'user',1);
INSERT INTO "search_terms" VALUES('default','usr',25,'user',2);
INSERT INTO "search_terms" VALUES('default','00',26,'user',1);
INSERT INTO "search_terms" VALUES('default','10002',26,'user',2);
INSERT INTO "search_terms" VALUES('default','15',26,'user',2);
INSERT INTO "search_terms" VALUES('default','460000',26,'user',2);
INSERT INTO "search_terms" VALUES('default','coffee',26,'user',2);
INSERT INTO "search_terms" VALUES('default','order',26,'user',1);
INSERT INTO "search_terms" VALUES('default','prefer',26,'user',1);
INSERT INTO "search_terms" VALUES('default','rub',26,'user',1);
INSERT INTO "search_terms" VALUES('default','spent',26,'user',1);
INSERT INTO "search_terms" VALUES('default','user',26,'user',1);
INSERT INTO "search_terms" VALUES('default','usr',26,'user',2);
INSERT INTO "search_terms" VALUES('default','00',27,'user',1);
INSERT INTO "search_terms" VALUES('default','10003',27,'user',2);
INSERT INTO "search_terms" VALUES('default','4',27,'user',2);
INSERT INTO "search_terms" VALUES('default','8900',27,'user',2);
INSERT INTO "search_terms" VALUES('default','chopper',27,'user',2);
INSERT INTO "search_terms" VALUES('default','order',27,'user',1);
INSERT INTO "search_terms" VALUES('default','prefer',27,'user',1);
INSERT INTO "search_terms" VALUES('default','rub',27,'user',1);
INSERT INTO "search_terms" VALUES('default','spent',27,'user',1);
INSERT INTO "search_terms" VALUES('default','user',27,'user',1);
INSERT INTO "search_terms" VALUES('default','usr',27,'user',2);
INSERT INTO "search_terms" VALUES('default','00',28,'user',1);
INSERT INTO "search_terms" VALUES('default','10004',28,'user',2);
INSERT INTO "search_terms" VALUES('default','15800',28,'user',2);
INSERT INTO "search_terms" VALUES('default','6',28,'user',2);
INSERT INTO "search_terms" VALUES('default','blender',28,'user',2);
INSERT INTO "search_terms" VALUES('default','order',28,'user',1);
INSERT INTO "search_terms" VALUES('default','prefer',28,'user',1);
INSERT INTO "search_terms" VALUES('default','rub',28,'user',1);
INSERT INTO "search_terms" VALUES('default','spent',28,'user',1);
INSERT INTO "search_terms" VALUES('default','user',28,'user',1);
INSERT INTO "search_terms" VALUES('default','usr',28,'user',2);
INSERT INTO "search_terms" VALUES('default','00',29,'user',1);
INSERT INTO "search_terms" VALUES('default','10005',29,'user',2);
INSERT INTO "search_terms" VALUES('default','28500',29,'user',2);
INSERT INTO "search_terms" VALUES('default','3',29,'user',2);
INSERT INTO "search_terms" VALUES('default','dry',29,'user',2);
INSERT INTO "search_terms" VALUES('default','order',29,'user',1);
INSERT INTO "search_terms" VALUES('default','prefer',29,'user',1);
INSERT INTO "search_terms" VALUES('default','rub',29,'user',1);
INSERT INTO "search_terms" VALUES('default','spent',29,'user',1);
INSERT INTO "search_terms" VALUES('default','user',29,'user',1);
INSERT INTO "search_terms" VALUES('default','usr',29,'user',2);
INSERT INTO "search_terms" VALUES('default','vacuum',29,'user',2);
INSERT INTO "search_terms" VALUES('default','10001',30,'order',2);
INSERT INTO "search_terms" VALUES('default','20260404',30,'order',2);
INSERT INTO "search_terms" VALUES('default','31',30,'order',2);
INSERT INTO "search_terms" VALUES('default','50',30,'order',1);
INSERT INTO "search_terms" VALUES('default','7777',30,'order',2);
INSERT INTO "search_terms" VALUES('default','budget',30,'order',1);
INSERT INTO "search_terms" VALUES('default','low',30,'order',1);
INSERT INTO "search_terms" VALUES('default','ord',30,'order',2);
INSERT INTO "search_terms" VALUES('default','order',30,'order',1);
INSERT INTO "search_terms" VALUES('default','pending',30,'order',2);
INSERT INTO "search_terms" VALUES('default','rub',30,'order',2);
INSERT INTO "search_terms" VALUES('default','small',30,'order',1);
INSERT INTO "search_terms" VALUES('default','status',30,'order',1);
INSERT INTO "search_terms" VALUES('default','total',30,'order',1);
INSERT INTO "search_terms" VALUES('default','user',30,'order',1);
INSERT INTO "search_terms" VALUES('default','usr',30,'order',2);
INSERT INTO "search_terms" VALUES('default','value',30,'order',1);
INSERT INTO "search_terms" VALUES('default','2',25,'user',2);
INSERT INTO "search_terms" VALUES('default','50',25,'user',1);
INSERT INTO "search_terms" VALUES('default','76431',25,'user',2);
INSERT INTO "search_terms" VALUES('default','blender',25,'user',2);
CREATE TABLE session_pages (
    tenant_id TEXT NOT NULL DEFAULT 'default',
    session_id TEXT NOT NULL,
    page_url TEXT NOT NULL,
    PRIMARY KEY (tenant_id, session_id, page_url)
) STRICT;
CREATE TABLE sessions_aggregated (
    tenant_id TEXT NOT NULL DEFAULT 'default',
    session_id TEXT NOT NULL,
    user_id TEXT,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    duration_us INTEGER,
    event_count INTEGER NOT NULL,
    unique_pages INTEGER NOT NULL,
    funnel_stage TEXT NOT NULL,
    is_conversion INTEGER NOT NULL,
    last_event_at INTEGER,
    user_ts INTEGER NOT NULL DEFAULT 0,
    user_event_id TEXT NOT NULL DEFAULT '',
    updated_at INTEGER,
    PRIMARY KEY (tenant_id, session_id)
) STRICT;
INSERT INTO "sessions_aggregated" VALUES('default','SES-a1b2c3','USR-10005',1795707196270465,1795708396270465,1200000000,14,6,'checkout',1,NULL,0,'',NULL);
INSERT INTO "sessions_aggregated" VALUES('default','SES-d4e5f6','USR-10004',1795708996270465,1795710196270465,1200000000,8,4,'add_to_cart',0,NULL,0,'',NULL);
INSERT INTO "sessions_aggregated" VALUES('default','SES-g7h8i9',NULL,1795710796270465,1795710916270465,120000000,2,2,'bounce',0,NULL,0,'',NULL);
INSERT INTO "sessions_aggregated" VALUES('default','SES-j1k2l3','USR-10003',1795711696270465,1795713196270465,1500000000,11,5,'checkout',1,NULL,0,'',NULL);
INSERT INTO "sessions_aggregated" VALUES('default','SES-m4n5o6','USR-10004',1795712596270465,1795713496270465,900000000,6,3,'product_view',0,NULL,0,'',NULL);
INSERT INTO "sessions_aggregated" VALUES('default','SES-p7q8r9','USR-10005',1795713196270465,NULL,NULL,3,2,'browse',0,NULL,0,'',NULL);
CREATE TABLE user_units (
    tenant_id TEXT NOT NULL DEFAULT 'default',
    user_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    units INTEGER NOT NULL,
    all_units INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, user_id, product_id)
) STRICT;
INSERT INTO "user_units" VALUES('default','USR-10001','PROD-003',3,3);
CREATE TABLE users_enriched (
    tenant_id TEXT NOT NULL DEFAULT 'default',
    user_id TEXT NOT NULL,
    total_orders INTEGER NOT NULL,
    total_cents INTEGER NOT NULL,
    first_order_at INTEGER,
    last_order_at INTEGER,
    preferred_category TEXT,
    updated_at INTEGER,
    PRIMARY KEY (tenant_id, user_id)
) STRICT;
INSERT INTO "users_enriched" VALUES('default','USR-10001',2,7643150,1795707196270465,1795714391510664,'blenders',1795714396519013);
INSERT INTO "users_enriched" VALUES('default','USR-10002',15,46000000,1772386396270465,1795708996270465,'coffee',NULL);
INSERT INTO "users_enriched" VALUES('default','USR-10003',4,890000,1790530396270465,1795711696270465,'choppers',NULL);
INSERT INTO "users_enriched" VALUES('default','USR-10004',6,1580000,1785346396270465,1795713196270465,'blenders',NULL);
INSERT INTO "users_enriched" VALUES('default','USR-10005',3,2850000,1794850396270465,1795714096270465,'vacuum-dry',NULL);
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
CREATE TABLE webhook_registrations (
    id TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    filters TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at INTEGER NOT NULL
, entity_types TEXT) STRICT;
INSERT INTO "webhook_registrations" VALUES('203b3332-a018-42bd-af03-9496bbcb1408','default','http://127.0.0.1:9/b','bw7hTLgQ57c655VvpbxUzmNKwRcrQ-YVTqyaCdOjnQo','{"event_types":null,"entity_ids":null,"min_amount":null}',1,1795714396611580,NULL);
CREATE INDEX orders_by_created ON orders_v2 (tenant_id, created_at);
CREATE INDEX orders_by_user ON orders_v2 (tenant_id, user_id, created_at);
CREATE INDEX orders_by_status ON orders_v2 (tenant_id, status);
CREATE INDEX order_items_by_product ON order_items (tenant_id, product_id);
CREATE INDEX sessions_by_start ON sessions_aggregated (tenant_id, started_at);
CREATE INDEX user_units_by_product ON user_units (tenant_id, product_id);
CREATE UNIQUE INDEX pipeline_events_once ON pipeline_events (tenant_id, topic, event_id);
CREATE INDEX pipeline_events_by_time ON pipeline_events (tenant_id, processed_at);
CREATE INDEX pipeline_events_by_entity ON pipeline_events (tenant_id, entity_id, processed_at);
CREATE INDEX pipeline_events_by_type ON pipeline_events (tenant_id, entity_type, processed_at);
CREATE INDEX dead_letters_by_time ON dead_letter_events (tenant_id, status, received_at);
CREATE UNIQUE INDEX api_keys_by_lookup ON api_keys (key_lookup);
CREATE INDEX api_keys_by_previous ON api_keys (previous_lookup) WHERE previous_lookup IS NOT NULL;
CREATE INDEX api_usage_by_time ON api_usage (at);
CREATE INDEX api_sessions_by_time ON api_sessions (at);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (started_at);
CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, job_key);
CREATE INDEX jobs_due ON jobs (kind, due_at, id) WHERE state = 'waiting';
CREATE INDEX jobs_finished ON jobs (kind, state, finished_at, id) WHERE state <> 'waiting';
CREATE INDEX webhook_history_by_webhook ON webhook_history (kind, webhook_id, id);
CREATE INDEX webhook_history_by_time ON webhook_history (delivered_at);
CREATE INDEX webhooks_by_tenant ON webhook_registrations (tenant_id, active, created_at);
CREATE UNIQUE INDEX search_docs_by_entity ON search_docs (tenant_id, entity_type, entity_id);
CREATE INDEX search_terms_by_doc ON search_terms (doc_id);
CREATE INDEX cache_generation_by_seq ON cache_generation (seq);
CREATE INDEX alert_rules_by_tenant ON alert_rules (tenant_id, created_at);
CREATE INDEX alert_rules_by_evaluation ON alert_rules (active, evaluated_at);
CREATE UNIQUE INDEX alert_history_once ON alert_history (delivery_id);
CREATE INDEX alert_history_by_alert ON alert_history (alert_id, id);
CREATE INDEX alert_history_by_time ON alert_history (triggered_at);
CREATE INDEX jobs_held ON jobs (kind, holder, lane, due_at) WHERE holder IS NOT NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('pipeline_events',35);
INSERT INTO "sqlite_sequence" VALUES('search_docs',30);
INSERT INTO "sqlite_sequence" VALUES('api_usage',5);
INSERT INTO "sqlite_sequence" VALUES('api_sessions',5);
INSERT INTO "sqlite_sequence" VALUES('jobs',1);
COMMIT;
