-- What the service experiments had written to sqlite at commit 432ab7d (README.md).
PRAGMA user_version = 16;
BEGIN TRANSACTION;
CREATE TABLE analysis_runs (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    analysis_json TEXT NOT NULL,
    created_at TEXT NOT NULL
, number INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    revoked_at TEXT,
    rate_limit_requests INTEGER,
    rate_limit_window_seconds INTEGER
) STRICT;
INSERT INTO "api_keys" VALUES('202585ec-4c19-4600-9268-0845d8aa1510','kept','9495defa05967086cdd05e745489668ce5d78d2d6e3c8b12e165d9f5ccaab402','write','2026-11-26T17:32:44.795265+00:00',NULL,NULL,NULL,NULL);
CREATE TABLE assay_identity (id TEXT NOT NULL, service TEXT NOT NULL, session TEXT NOT NULL, created_at TEXT NOT NULL);
INSERT INTO "assay_identity" VALUES('7eb07c55-2e98-4fc2-b30b-d52c97977e98','experiments','c5c8ded1-f888-402c-ae10-6460d68dd55b','2026-11-26T17:32:41.722371+00:00');
CREATE TABLE assay_probe (id INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL);
CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ts TEXT NOT NULL,
    action TEXT NOT NULL,
    project_id TEXT,
    project_name TEXT,
    key_id TEXT,
    actor TEXT,
    request_id TEXT,
    payload_diff TEXT,
    ip_address TEXT
) STRICT;
INSERT INTO "audit_log" VALUES(1,'2026-11-26T17:32:44.621275+00:00','project.create','8b895d05-21d3-45b8-b654-508a3bc3d10c','Checkout',NULL,'legacy_token:write','1995e7b7-e264-42a3-a7c4-49c7e9876134',NULL,'127.0.0.1');
INSERT INTO "audit_log" VALUES(2,'2026-11-26T17:32:44.759970+00:00','project.update','8b895d05-21d3-45b8-b654-508a3bc3d10c','Checkout 2',NULL,'legacy_token:write','5f9f9955-7f47-41ad-a701-b3539d91e8e3','{"project.project_name":["Checkout","Checkout 2"]}','127.0.0.1');
INSERT INTO "audit_log" VALUES(3,'2026-11-26T17:32:44.777147+00:00','project.create','f3700bb3-f4f7-417a-8dfd-ac7506cf09da','Archived',NULL,'legacy_token:write','566fd041-2700-4783-abab-b0100b718d53',NULL,'127.0.0.1');
INSERT INTO "audit_log" VALUES(4,'2026-11-26T17:32:44.779377+00:00','project.archive','f3700bb3-f4f7-417a-8dfd-ac7506cf09da','Archived',NULL,'legacy_token:write','05c1929b-af86-4f43-a485-c53082b251b0',NULL,'127.0.0.1');
INSERT INTO "audit_log" VALUES(5,'2026-11-26T17:32:44.795322+00:00','api_key_created',NULL,NULL,'202585ec-4c19-4600-9268-0845d8aa1510','admin_token','7256ede1-9c65-4702-aacb-892d92ed26d8',NULL,'127.0.0.1');
INSERT INTO "audit_log" VALUES(6,'2026-11-26T17:32:44.879746+00:00','webhook.create',NULL,NULL,NULL,'admin_token','13777e56-359f-4e33-a5fd-4c7129203a32',NULL,'127.0.0.1');
INSERT INTO "audit_log" VALUES(7,'2026-11-26T17:32:44.890134+00:00','template.create',NULL,'mine',NULL,'legacy_token:write','5b55a738-3809-4c44-ab5c-cf86f1f465ee',NULL,'127.0.0.1');
CREATE TABLE audit_totals (
    dimension TEXT NOT NULL, -- action, key, project or key action
    value TEXT NOT NULL,     -- '' where a row has none
    shard INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    PRIMARY KEY (dimension, value, shard)
) STRICT, WITHOUT ROWID;
INSERT INTO "audit_totals" VALUES('action','api_key_created',0,1);
INSERT INTO "audit_totals" VALUES('action','project.archive',0,1);
INSERT INTO "audit_totals" VALUES('action','project.create',0,2);
INSERT INTO "audit_totals" VALUES('action','project.update',0,1);
INSERT INTO "audit_totals" VALUES('action','template.create',0,1);
INSERT INTO "audit_totals" VALUES('action','webhook.create',0,1);
INSERT INTO "audit_totals" VALUES('key','',0,6);
INSERT INTO "audit_totals" VALUES('key','202585ec-4c19-4600-9268-0845d8aa1510',0,1);
INSERT INTO "audit_totals" VALUES('key action','202585ec-4c19-4600-9268-0845d8aa1510 api_key_created',0,1);
INSERT INTO "audit_totals" VALUES('project','',0,3);
INSERT INTO "audit_totals" VALUES('project','8b895d05-21d3-45b8-b654-508a3bc3d10c',0,2);
INSERT INTO "audit_totals" VALUES('project','f3700bb3-f4f7-417a-8dfd-ac7506cf09da',0,2);
CREATE TABLE chatapp_installations (
    team_id TEXT PRIMARY KEY,
    team_name TEXT NOT NULL,
    bot_token TEXT NOT NULL,
    user_token TEXT,
    installed_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
, last_event_at TEXT) STRICT;
CREATE TABLE chatapp_receipts (
    id TEXT PRIMARY KEY,
    received_at INTEGER NOT NULL
) STRICT;
CREATE TABLE delivery_totals (
    subscription_id TEXT NOT NULL,
    status TEXT NOT NULL,
    shard INTEGER NOT NULL,
    deliveries INTEGER NOT NULL,
    PRIMARY KEY (subscription_id, status, shard)
) STRICT, WITHOUT ROWID;
CREATE TABLE export_events (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    analysis_run_id TEXT REFERENCES analysis_runs (id) ON DELETE SET NULL,
    format TEXT NOT NULL,
    created_at TEXT NOT NULL
, number INTEGER NOT NULL DEFAULT 0) STRICT;
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
CREATE TABLE live_arms (
    experiment INTEGER NOT NULL,
    arm INTEGER NOT NULL, -- -1 is the holdout
    exposures INTEGER NOT NULL,
    people INTEGER NOT NULL,
    excluded INTEGER NOT NULL,
    spiked INTEGER NOT NULL,
    PRIMARY KEY (experiment, arm)
) STRICT, WITHOUT ROWID;
INSERT INTO "live_arms" VALUES(1,0,3,3,0,0);
INSERT INTO "live_arms" VALUES(1,1,3,3,0,0);
CREATE TABLE live_cells (
    experiment INTEGER NOT NULL,
    metric INTEGER NOT NULL,
    slice INTEGER NOT NULL,
    arm INTEGER NOT NULL,
    people INTEGER NOT NULL,
    huge INTEGER NOT NULL,
    sum_high REAL NOT NULL,
    sum_low REAL NOT NULL,
    squares_high REAL NOT NULL,
    squares_low REAL NOT NULL,
    peak REAL NOT NULL,
    events INTEGER NOT NULL,
    early INTEGER NOT NULL,
    late INTEGER NOT NULL,
    PRIMARY KEY (experiment, metric, slice, arm)
) STRICT, WITHOUT ROWID;
INSERT INTO "live_cells" VALUES(1,0,0,0,3,0,0.0,0.0,0.0,0.0,0.0,0,0,0);
INSERT INTO "live_cells" VALUES(1,0,0,1,3,0,0.0,0.0,0.0,0.0,0.0,0,0,0);
INSERT INTO "live_cells" VALUES(1,1,0,1,1,0,1.0,0.0,1.0,0.0,1.0,1,0,0);
CREATE TABLE live_conversions (
    experiment INTEGER NOT NULL,
    unit INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    metric INTEGER NOT NULL,
    value REAL NOT NULL,
    occurred_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    idempotency_key TEXT,
    PRIMARY KEY (experiment, unit, sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO "live_conversions" VALUES(1,2,7,1,1.0,1795714364837471,1795714364837471,NULL);
CREATE TABLE live_covariates (
    experiment INTEGER NOT NULL,
    covariate INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (experiment, covariate),
    UNIQUE (experiment, name)
) STRICT;
CREATE TABLE live_experiments (
    experiment INTEGER PRIMARY KEY AUTOINCREMENT,
    experiment_id TEXT NOT NULL UNIQUE REFERENCES projects (id) ON DELETE CASCADE,
    version INTEGER NOT NULL DEFAULT 0,
    next_unit INTEGER NOT NULL DEFAULT 1,
    next_sequence INTEGER NOT NULL DEFAULT 1,
    metrics INTEGER NOT NULL DEFAULT 0,    -- names of each kind
    covariates INTEGER NOT NULL DEFAULT 0,
    slices INTEGER NOT NULL DEFAULT 0,
    strata INTEGER NOT NULL DEFAULT 0,     -- those slices that are strata
    links INTEGER NOT NULL DEFAULT 0,
    alias_exposures INTEGER NOT NULL DEFAULT 0,
    alias_conversions INTEGER NOT NULL DEFAULT 0,
    merged_people INTEGER NOT NULL DEFAULT 0,
    -- what the aggregates below were made for; a difference to the design or the settings makes them stale
    spike_events INTEGER NOT NULL,
    primary_metric INTEGER NOT NULL DEFAULT 0, -- with covariates, 0 where the design has no use for them
    numerator INTEGER NOT NULL DEFAULT 0,
    denominator INTEGER NOT NULL DEFAULT 0,
    stale INTEGER NOT NULL DEFAULT 0
, first_exposed_at INTEGER, last_exposed_at INTEGER, robust TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "live_experiments" VALUES(1,'8b895d05-21d3-45b8-b654-508a3bc3d10c',2,7,8,1,0,0,0,0,0,0,0,100,0,0,0,0,1795714364815727,1795714364815727,'');
CREATE TABLE live_loads (
    experiment_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    file TEXT NOT NULL,  -- its digest: see cron-bin/events-load
    bytes INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    PRIMARY KEY (experiment_id, kind, file)
) STRICT, WITHOUT ROWID;
CREATE TABLE live_metrics (
    experiment INTEGER NOT NULL,
    metric INTEGER NOT NULL,
    name TEXT NOT NULL,
    events INTEGER NOT NULL DEFAULT 0,
    huge INTEGER NOT NULL DEFAULT 0,
    sum_high REAL NOT NULL DEFAULT 0,
    sum_low REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (experiment, metric),
    UNIQUE (experiment, name)
) STRICT;
INSERT INTO "live_metrics" VALUES(1,1,'purchase',1,0,1.0,0.0);
CREATE TABLE live_products (
    experiment INTEGER NOT NULL,
    family INTEGER NOT NULL,
    arm INTEGER NOT NULL,
    first INTEGER NOT NULL,
    second INTEGER NOT NULL,
    sum_high REAL NOT NULL,
    sum_low REAL NOT NULL,
    peak REAL NOT NULL,
    PRIMARY KEY (experiment, family, arm, first, second)
) STRICT, WITHOUT ROWID;
CREATE TABLE live_slices (
    experiment INTEGER NOT NULL,
    slice INTEGER NOT NULL,
    dimension TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (experiment, slice),
    UNIQUE (experiment, dimension, name)
) STRICT;
CREATE TABLE live_unit_covariates (
    experiment INTEGER NOT NULL,
    unit INTEGER NOT NULL,
    covariate INTEGER NOT NULL,
    value REAL NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (experiment, unit, covariate)
) STRICT, WITHOUT ROWID;
CREATE TABLE live_unit_metrics (
    experiment INTEGER NOT NULL,
    unit INTEGER NOT NULL,
    metric INTEGER NOT NULL,
    events INTEGER NOT NULL,
    huge INTEGER NOT NULL,
    early INTEGER NOT NULL,
    late INTEGER NOT NULL,
    sum_high REAL NOT NULL,
    sum_low REAL NOT NULL,
    PRIMARY KEY (experiment, unit, metric)
) STRICT, WITHOUT ROWID;
INSERT INTO "live_unit_metrics" VALUES(1,2,1,1,0,0,0,1.0,0.0);
CREATE TABLE live_units (
    experiment INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    unit INTEGER NOT NULL, -- its number within the experiment
    variation INTEGER,     -- of the exposure; -1 is the holdout
    occurred_at INTEGER,
    exposed_at INTEGER,    -- when it was received, and its place among everything that was
    exposure_sequence INTEGER,
    canonical_id TEXT,
    linked_at INTEGER,
    exclusion_reason TEXT,
    excluded_at INTEGER,
    stratum INTEGER,
    stratified_at INTEGER,
    stratum_sequence INTEGER,
    dimensions TEXT,       -- the slices sent with the exposure, as numbers with blanks between them
    PRIMARY KEY (experiment, user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "live_units" VALUES(1,'u0',1,0,1795714364815727,1795714364815727,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "live_units" VALUES(1,'u1',2,1,1795714364815727,1795714364815727,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "live_units" VALUES(1,'u2',3,0,1795714364815727,1795714364815727,3,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "live_units" VALUES(1,'u3',4,1,1795714364815727,1795714364815727,4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "live_units" VALUES(1,'u4',5,0,1795714364815727,1795714364815727,5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "live_units" VALUES(1,'u5',6,1,1795714364815727,1795714364815727,6,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE project_revisions (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    payload_json TEXT NOT NULL,
    source TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (project_id, number)
) STRICT;
INSERT INTO "project_revisions" VALUES('861f9453-b64d-466e-90f5-7431db95b1b3','8b895d05-21d3-45b8-b654-508a3bc3d10c',1,'{"project":{"project_name":"Checkout","domain":"e-commerce","product_type":"web shop","platform":"web","market":"DE","project_description":"Fewer steps"},"hypothesis":{"change_description":"Two steps instead of four","target_audience":"New visitors","business_problem":"Abandoned carts","hypothesis_statement":"Fewer steps, more orders","what_to_validate":"Conversion","desired_result":"More orders"},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":12000,"audience_share_in_test":0.6,"variants_count":2,"inclusion_criteria":"","exclusion_criteria":"Staff","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"purchase_conversion","metric_type":"binary","baseline_value":0.042,"expected_uplift_pct":null,"mde_pct":5.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":[],"guardrail_metrics":[]},"constraints":{"seasonality_present":true,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"","legal_or_ethics_constraints":"","known_risks":"","deadline_pressure":"low","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"","observed_results":null}}','create','2026-11-26T17:32:44.621154+00:00');
INSERT INTO "project_revisions" VALUES('d96cf03c-7568-4816-9b7d-2385415c8945','8b895d05-21d3-45b8-b654-508a3bc3d10c',2,'{"project":{"project_name":"Checkout 2","domain":"e-commerce","product_type":"web shop","platform":"web","market":"DE","project_description":"Fewer steps"},"hypothesis":{"change_description":"Two steps instead of four","target_audience":"New visitors","business_problem":"Abandoned carts","hypothesis_statement":"Fewer steps, more orders","what_to_validate":"Conversion","desired_result":"More orders"},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":12000,"audience_share_in_test":0.6,"variants_count":2,"inclusion_criteria":"","exclusion_criteria":"Staff","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"purchase_conversion","metric_type":"binary","baseline_value":0.042,"expected_uplift_pct":null,"mde_pct":5.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":[],"guardrail_metrics":[]},"constraints":{"seasonality_present":true,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"","legal_or_ethics_constraints":"","known_risks":"","deadline_pressure":"low","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"","observed_results":null}}','update','2026-11-26T17:32:44.759816+00:00');
INSERT INTO "project_revisions" VALUES('7c04ab86-aec3-4d0b-ba7e-e3b4364d25d0','f3700bb3-f4f7-417a-8dfd-ac7506cf09da',1,'{"project":{"project_name":"Archived","domain":"e-commerce","product_type":"web shop","platform":"web","market":"DE","project_description":"Fewer steps"},"hypothesis":{"change_description":"Two steps instead of four","target_audience":"New visitors","business_problem":"Abandoned carts","hypothesis_statement":"Fewer steps, more orders","what_to_validate":"Conversion","desired_result":"More orders"},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":12000,"audience_share_in_test":0.6,"variants_count":2,"inclusion_criteria":"","exclusion_criteria":"Staff","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"purchase_conversion","metric_type":"binary","baseline_value":0.042,"expected_uplift_pct":null,"mde_pct":5.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":[],"guardrail_metrics":[]},"constraints":{"seasonality_present":true,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"","legal_or_ethics_constraints":"","known_risks":"","deadline_pressure":"low","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"","observed_results":null}}','create','2026-11-26T17:32:44.777093+00:00');
CREATE TABLE project_templates (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    description TEXT NOT NULL,
    built_in INTEGER NOT NULL DEFAULT 0,
    tags_json TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    usage_count INTEGER NOT NULL DEFAULT 0,
    name_folded TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
INSERT INTO "project_templates" VALUES('checkout_conversion','Checkout Conversion','Revenue','Does a shorter checkout make more visitors buy?',1,'["binary","revenue","checkout"]','{"project":{"project_name":"","domain":"e-commerce","product_type":"web app","platform":"web","market":"US","project_description":"The checkout asks for everything on four pages. A version of two pages is compared with it."},"hypothesis":{"change_description":"Address and delivery on one page, payment and review on the other: two steps instead of four.","target_audience":"Signed-in shoppers with something in the cart","business_problem":"Many carts are left between the second and third step.","hypothesis_statement":"With two steps instead of four, more shoppers who start the checkout finish it.","what_to_validate":"The share of shoppers who buy, without more failed payments or refunds.","desired_result":"A higher share of purchases at unchanged guardrails."},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":12000,"audience_share_in_test":0.6,"variants_count":2,"inclusion_criteria":"Users who open the checkout","exclusion_criteria":"Staff, test orders and wholesale accounts","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"purchase_conversion","metric_type":"binary","baseline_value":0.042,"expected_uplift_pct":8.0,"mde_pct":5.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["add_to_cart_rate"],"guardrail_metrics":[{"name":"Payment error rate","metric_type":"binary","baseline_rate":2.4,"baseline_mean":null,"std_dev":null,"direction":"increase_is_bad","non_inferiority_margin_pct":null},{"name":"Refund value","metric_type":"continuous","baseline_rate":null,"baseline_mean":18.0,"std_dev":6.5,"direction":"increase_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":true,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"Both versions use the same payment provider.","legal_or_ethics_constraints":"Terms and prices stay visible before payment.","known_risks":"Shoppers who return may meet the other version on a second device.","deadline_pressure":"medium","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"A high-intent funnel with weekly rhythm; sales days distort the baseline.","observed_results":null}}',0,'checkout conversion','2026-11-26T17:32:41.721991+00:00','2026-11-26T17:32:41.721991+00:00');
INSERT INTO "project_templates" VALUES('pricing_sensitivity','Pricing Sensitivity','Revenue','Do repackaged plans with a higher entry price earn more per order?',1,'["continuous","pricing","monetization"]','{"project":{"project_name":"","domain":"saas","product_type":"web app","platform":"web","market":"US","project_description":"The plans are cut anew and the smallest one costs more. What an order brings is compared."},"hypothesis":{"change_description":"Three plans with clearer contents; the entry plan at a higher price.","target_audience":"Accounts that see the pricing page","business_problem":"Most accounts take the cheapest plan and stay there.","hypothesis_statement":"Clearer plans at a higher entry price raise the average order without putting buyers off.","what_to_validate":"Average order value, with the share of buyers watched.","desired_result":"More revenue per order at an unchanged share of buyers."},"setup":{"experiment_type":"ab","randomization_unit":"account","traffic_split":[50,50],"expected_daily_traffic":2200,"audience_share_in_test":0.9,"variants_count":2,"inclusion_criteria":"Accounts without a running contract","exclusion_criteria":"Accounts with negotiated prices","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"avg_order_value","metric_type":"continuous","baseline_value":45.0,"expected_uplift_pct":6.0,"mde_pct":4.5,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":12.0,"cuped_pre_experiment_std":12.0,"cuped_correlation":0.5,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["checkout_completion_rate"],"guardrail_metrics":[{"name":"Purchase conversion","metric_type":"binary","baseline_rate":3.8,"baseline_mean":null,"std_dev":null,"direction":"decrease_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":false,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"An account sees the same price on every page and in every mail.","legal_or_ethics_constraints":"Different prices for the same thing need the consent of legal.","known_risks":"Colleagues of different accounts compare what they pay.","deadline_pressure":"high","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"Order values have a long tail; what an account spent before explains much of it.","observed_results":null}}',0,'pricing sensitivity','2026-11-26T17:32:41.722057+00:00','2026-11-26T17:32:41.722057+00:00');
INSERT INTO "project_templates" VALUES('onboarding_completion','Onboarding Completion','Engagement','Do fewer steps with visible progress bring more users through onboarding?',1,'["binary","onboarding","activation"]','{"project":{"project_name":"","domain":"saas","product_type":"web app","platform":"web","market":"Global","project_description":"A leaner onboarding that shows how far one has come, against the one in use."},"hypothesis":{"change_description":"Optional steps are moved to later; a bar shows what is left.","target_audience":"New users in their first session","business_problem":"Two of three new users never finish the setup.","hypothesis_statement":"Fewer steps and a visible end let more new users finish onboarding.","what_to_validate":"The share of new users who finish, and that they use the product afterwards.","desired_result":"More finished onboardings, and no more skipped tutorials."},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":8000,"audience_share_in_test":0.8,"variants_count":2,"inclusion_criteria":"Users who signed up after the start of the test","exclusion_criteria":"Invited members of existing teams","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"onboarding_completion_rate","metric_type":"binary","baseline_value":0.34,"expected_uplift_pct":10.0,"mde_pct":6.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["feature_activation_rate"],"guardrail_metrics":[{"name":"Tutorial skip rate","metric_type":"binary","baseline_rate":12.0,"baseline_mean":null,"std_dev":null,"direction":"increase_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":false,"active_campaigns_present":true,"returning_users_present":false,"interference_risk":"low","technical_constraints":"Moved steps must be reachable from the settings.","legal_or_ethics_constraints":"Consent is asked for in both versions.","known_risks":"A campaign may bring users who are unlike the usual ones.","deadline_pressure":"medium","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"Finishing is only worth something when the features are used later.","observed_results":null}}',0,'onboarding completion','2026-11-26T17:32:41.722072+00:00','2026-11-26T17:32:41.722072+00:00');
INSERT INTO "project_templates" VALUES('feature_adoption','Feature Adoption','Engagement','Do prompts inside the product make more users try a feature?',1,'["binary","feature","adoption"]','{"project":{"project_name":"","domain":"productivity","product_type":"web app","platform":"web","market":"Global","project_description":"A feature that few know is pointed out where it would help."},"hypothesis":{"change_description":"A short prompt beside the task that the feature makes shorter.","target_audience":"Active users who have not used the feature","business_problem":"The feature keeps users, but few of them ever find it.","hypothesis_statement":"A prompt at the right moment makes more users adopt the feature.","what_to_validate":"Adoption, and that tasks are still completed.","desired_result":"More users of the feature who keep using it."},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":15000,"audience_share_in_test":0.5,"variants_count":2,"inclusion_criteria":"Users with at least three sessions in the last month","exclusion_criteria":"Users who have the feature switched off by their administrator","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"feature_adoption_rate","metric_type":"binary","baseline_value":0.14,"expected_uplift_pct":12.0,"mde_pct":7.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["retained_usage_rate"],"guardrail_metrics":[{"name":"Task completion rate","metric_type":"binary","baseline_rate":78.0,"baseline_mean":null,"std_dev":null,"direction":"decrease_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":false,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"No more than one prompt in a session.","legal_or_ethics_constraints":"The prompt can be dismissed for good.","known_risks":"Curiosity in the first days looks like adoption.","deadline_pressure":"low","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"Colleagues show each other what is new, so effects may leak between the arms.","observed_results":null}}',0,'feature adoption','2026-11-26T17:32:41.722082+00:00','2026-11-26T17:32:41.722082+00:00');
INSERT INTO "project_templates" VALUES('latency_impact','Latency Impact','Performance','Do faster pages make readers look at more of them?',1,'["continuous","performance","latency"]','{"project":{"project_name":"","domain":"media","product_type":"web app","platform":"web","market":"US","project_description":"Pages are rendered sooner and with lighter assets; the reading of a session is compared."},"hypothesis":{"change_description":"Rendering on the server, smaller images and deferred scripts.","target_audience":"All readers","business_problem":"Slow pages end sessions after the first article.","hypothesis_statement":"When pages show sooner, readers open more of them in a session.","what_to_validate":"Pages per session, and that fewer sessions end at once.","desired_result":"Deeper sessions without more bounces."},"setup":{"experiment_type":"ab","randomization_unit":"session","traffic_split":[50,50],"expected_daily_traffic":30000,"audience_share_in_test":0.7,"variants_count":2,"inclusion_criteria":"Sessions that begin on an article","exclusion_criteria":"Crawlers and monitoring","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"pages_per_session","metric_type":"continuous","baseline_value":3.8,"expected_uplift_pct":4.0,"mde_pct":3.5,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":1.9,"cuped_pre_experiment_std":1.9,"cuped_correlation":0.35,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["conversion_rate"],"guardrail_metrics":[{"name":"Bounce rate","metric_type":"binary","baseline_rate":46.0,"baseline_mean":null,"std_dev":null,"direction":"increase_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":true,"active_campaigns_present":true,"returning_users_present":true,"interference_risk":"low","technical_constraints":"Caches must be kept apart for the two versions.","legal_or_ethics_constraints":"","known_risks":"Sessions of one reader are not independent of each other.","deadline_pressure":"medium","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"News days move the whole level; compare the arms on the same days only.","observed_results":null}}',0,'latency impact','2026-11-26T17:32:41.722092+00:00','2026-11-26T17:32:41.722092+00:00');
INSERT INTO "project_templates" VALUES('email_campaign','Email Campaign','Marketing','Does another subject line bring more readers to the shop?',1,'["binary","email","lifecycle"]','{"project":{"project_name":"","domain":"e-commerce","product_type":"crm campaign","platform":"email","market":"US","project_description":"One mailing with two subject lines and preheaders."},"hypothesis":{"change_description":"A subject line that names the benefit, and a preheader that goes on where it ends.","target_audience":"Subscribers of the newsletter","business_problem":"Mails are opened less often from month to month.","hypothesis_statement":"A subject line with a concrete benefit makes more readers click.","what_to_validate":"Clicks per delivered mail, with complaints watched.","desired_result":"More clicks, and no more unsubscriptions or complaints."},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":180000,"audience_share_in_test":0.92,"variants_count":2,"inclusion_criteria":"Subscribers with a confirmed address","exclusion_criteria":"Addresses that bounced, and the seed list","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"email_to_click_rate","metric_type":"binary","baseline_value":0.038,"expected_uplift_pct":12.0,"mde_pct":10.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["open_rate","session_conversion_rate"],"guardrail_metrics":[{"name":"Unsubscribe rate","metric_type":"binary","baseline_rate":0.21,"baseline_mean":null,"std_dev":null,"direction":"increase_is_bad","non_inferiority_margin_pct":null},{"name":"Spam complaint rate","metric_type":"binary","baseline_rate":0.03,"baseline_mean":null,"std_dev":null,"direction":"increase_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":true,"active_campaigns_present":true,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"Both mails leave in the same hour.","legal_or_ethics_constraints":"The subject promises nothing that the mail does not hold.","known_risks":"Mail programs load images in advance and count as openings.","deadline_pressure":"medium","long_test_possible":false,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"The whole list is reached within a day, so there is no second look.","observed_results":null}}',0,'email campaign','2026-11-26T17:32:41.722101+00:00','2026-11-26T17:32:41.722101+00:00');
INSERT INTO "project_templates" VALUES('push_notification_reactivation','Push Notification Reactivation','Lifecycle','Does a personal message bring lapsed users back within a month?',1,'["binary","push","reactivation"]','{"project":{"project_name":"","domain":"consumer app","product_type":"mobile app","platform":"ios/android","market":"Global","project_description":"Users who stayed away get a message that refers to what they used last."},"hypothesis":{"change_description":"A push message about the user''s own last activity instead of a general one.","target_audience":"Users without a session for thirty days","business_problem":"Lapsed users hardly ever return by themselves.","hypothesis_statement":"A personal message brings more lapsed users back within thirty days.","what_to_validate":"Reactivation, without more users who turn messages off.","desired_result":"More returns at unchanged opt-outs and uninstalls."},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":95000,"audience_share_in_test":0.68,"variants_count":2,"inclusion_criteria":"Users who allow messages","exclusion_criteria":"Users who were messaged within the last week","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"thirty_day_reactivation_rate","metric_type":"binary","baseline_value":0.012,"expected_uplift_pct":18.0,"mde_pct":15.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["seven_day_session_rate","purchase_within_thirty_days"],"guardrail_metrics":[{"name":"Push opt-out rate","metric_type":"binary","baseline_rate":1.6,"baseline_mean":null,"std_dev":null,"direction":"increase_is_bad","non_inferiority_margin_pct":null},{"name":"Uninstall rate","metric_type":"binary","baseline_rate":0.74,"baseline_mean":null,"std_dev":null,"direction":"increase_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":false,"active_campaigns_present":true,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"Delivery is confirmed by the platform only in part.","legal_or_ethics_constraints":"Quiet hours of the user''s time zone are kept.","known_risks":"The outcome is known thirty days after the last message.","deadline_pressure":"medium","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"A rare event; other campaigns to the same users must pause.","observed_results":null}}',0,'push notification reactivation','2026-11-26T17:32:41.722113+00:00','2026-11-26T17:32:41.722113+00:00');
INSERT INTO "project_templates" VALUES('app_onboarding_drop_off','App Onboarding Drop-off','Mobile Activation','Does an introduction of three screens lose fewer users than one of five?',1,'["binary","mobile","onboarding"]','{"project":{"project_name":"","domain":"consumer app","product_type":"mobile app","platform":"ios/android","market":"US","project_description":"The introduction of the app is cut from five screens to three."},"hypothesis":{"change_description":"Three screens; permissions are asked for when they are first needed.","target_audience":"Users who open the app for the first time","business_problem":"Users leave between the second and fourth screen.","hypothesis_statement":"A shorter introduction lets more users become active on their first day.","what_to_validate":"Activation within a day, and permissions still granted.","desired_result":"More active users without fewer permissions or more crashes."},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":20000,"audience_share_in_test":0.94,"variants_count":2,"inclusion_criteria":"First installs","exclusion_criteria":"Reinstalls and devices of testers","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"activation_within_24h","metric_type":"binary","baseline_value":0.41,"expected_uplift_pct":7.0,"mde_pct":5.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["step_two_completion_rate","day_one_retention"],"guardrail_metrics":[{"name":"Permission opt-in rate","metric_type":"binary","baseline_rate":61.0,"baseline_mean":null,"std_dev":null,"direction":"decrease_is_bad","non_inferiority_margin_pct":null},{"name":"Crash-free onboarding sessions","metric_type":"binary","baseline_rate":97.8,"baseline_mean":null,"std_dev":null,"direction":"decrease_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":false,"active_campaigns_present":true,"returning_users_present":false,"interference_risk":"low","technical_constraints":"Only versions of the app that know both introductions.","legal_or_ethics_constraints":"Notice of tracking comes before any tracking.","known_risks":"Stores release the new version in steps.","deadline_pressure":"medium","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"Paid installs activate less often than organic ones; look at both.","observed_results":null}}',0,'app onboarding drop-off','2026-11-26T17:32:41.722127+00:00','2026-11-26T17:32:41.722127+00:00');
INSERT INTO "project_templates" VALUES('search_ranking_ctr','Search Ranking CTR','Search Discovery','Does more semantic weight in the ranking bring more clicks on results?',1,'["binary","search","ctr"]','{"project":{"project_name":"","domain":"content platform","product_type":"search experience","platform":"web","market":"Global","project_description":"Results are fused from words and meaning; the weight of meaning is raised."},"hypothesis":{"change_description":"A higher weight of the semantic score when the two rankings are fused.","target_audience":"Everybody who searches","business_problem":"Queries in everyday words find too little.","hypothesis_statement":"More weight on meaning puts the wanted result higher, so that more searches end in a click.","what_to_validate":"Clicks per result page, and long ones among them.","desired_result":"More clicks and fewer reworded queries."},"setup":{"experiment_type":"ab","randomization_unit":"session","traffic_split":[50,50],"expected_daily_traffic":5500000,"audience_share_in_test":0.88,"variants_count":2,"inclusion_criteria":"Sessions with at least one search","exclusion_criteria":"Crawlers and saved searches","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"serp_ctr","metric_type":"binary","baseline_value":0.22,"expected_uplift_pct":4.0,"mde_pct":3.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["refinement_rate","long_click_rate"],"guardrail_metrics":[{"name":"Zero-result rate","metric_type":"binary","baseline_rate":3.4,"baseline_mean":null,"std_dev":null,"direction":"increase_is_bad","non_inferiority_margin_pct":null},{"name":"Failed search latency share","metric_type":"binary","baseline_rate":1.1,"baseline_mean":null,"std_dev":null,"direction":"increase_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":false,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"high","technical_constraints":"The index serves both rankings at the same time.","legal_or_ethics_constraints":"","known_risks":"Clicks of one arm train the ranking that both arms use.","deadline_pressure":"medium","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"With so much traffic the smallest effects are significant; look at their size.","observed_results":null}}',0,'search ranking ctr','2026-11-26T17:32:41.722139+00:00','2026-11-26T17:32:41.722139+00:00');
INSERT INTO "project_templates" VALUES('trial_to_paid','Trial to Paid','SaaS Monetization','Does a trial of seven days earn more than one of fourteen?',1,'["continuous","saas","monetization"]','{"project":{"project_name":"","domain":"saas","product_type":"web app","platform":"web","market":"Global","project_description":"The free trial is cut from fourteen days to seven; what a started trial brings is compared."},"hypothesis":{"change_description":"A trial of seven days with a reminder on the fifth.","target_audience":"Accounts that start a trial","business_problem":"Half of the trials are forgotten in their second week.","hypothesis_statement":"A shorter trial is used sooner and brings more monthly revenue per trial started.","what_to_validate":"Monthly recurring revenue per started trial.","desired_result":"More revenue per trial at unchanged revenue per account."},"setup":{"experiment_type":"ab","randomization_unit":"account","traffic_split":[50,50],"expected_daily_traffic":1200,"audience_share_in_test":0.96,"variants_count":2,"inclusion_criteria":"First trials","exclusion_criteria":"Accounts of resellers","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"mrr_per_trial_start","metric_type":"continuous","baseline_value":21.4,"expected_uplift_pct":9.0,"mde_pct":6.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":58.0,"cuped_pre_experiment_std":58.0,"cuped_correlation":0.42,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":["activation_rate","paid_conversion_rate"],"guardrail_metrics":[{"name":"ARPU","metric_type":"continuous","baseline_rate":null,"baseline_mean":74.0,"std_dev":24.0,"direction":"decrease_is_bad","non_inferiority_margin_pct":null}]},"constraints":{"seasonality_present":false,"active_campaigns_present":true,"returning_users_present":false,"interference_risk":"medium","technical_constraints":"The end of a trial is fixed when it starts.","legal_or_ethics_constraints":"The end and the price are told at the start.","known_risks":"The arms are ripe a week apart from each other.","deadline_pressure":"high","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"Most trials bring nothing and a few bring much: the deviation is large.","observed_results":null}}',0,'trial to paid','2026-11-26T17:32:41.722150+00:00','2026-11-26T17:32:41.722150+00:00');
INSERT INTO "project_templates" VALUES('1b57da0f-f9a2-4ad5-89f0-6eb9f5cd6f0e','mine','c','d',0,'[]','{"project":{"project_name":"T","domain":"e-commerce","product_type":"web shop","platform":"web","market":"DE","project_description":"Fewer steps"},"hypothesis":{"change_description":"Two steps instead of four","target_audience":"New visitors","business_problem":"Abandoned carts","hypothesis_statement":"Fewer steps, more orders","what_to_validate":"Conversion","desired_result":"More orders"},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":12000,"audience_share_in_test":0.6,"variants_count":2,"inclusion_criteria":"","exclusion_criteria":"Staff","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"purchase_conversion","metric_type":"binary","baseline_value":0.042,"expected_uplift_pct":null,"mde_pct":5.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":[],"guardrail_metrics":[]},"constraints":{"seasonality_present":true,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"","legal_or_ethics_constraints":"","known_risks":"","deadline_pressure":"low","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"","observed_results":null}}',0,'mine','2026-11-26T17:32:44.890089+00:00','2026-11-26T17:32:44.890089+00:00');
CREATE TABLE project_totals (
    archived INTEGER NOT NULL,
    metric_type TEXT NOT NULL,
    shard INTEGER NOT NULL,
    projects INTEGER NOT NULL,
    PRIMARY KEY (archived, metric_type, shard)
) STRICT;
INSERT INTO "project_totals" VALUES(0,'binary',0,1);
INSERT INTO "project_totals" VALUES(1,'binary',0,1);
CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    project_name TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    payload_schema_version INTEGER NOT NULL DEFAULT 1,
    archived_at TEXT,
    last_analysis_at TEXT,
    last_analysis_run_id TEXT,
    last_exported_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
, archived INTEGER NOT NULL DEFAULT 0, name_folded TEXT NOT NULL DEFAULT '', search_folded TEXT NOT NULL DEFAULT '', hypothesis TEXT, metric_type TEXT NOT NULL DEFAULT '', duration_days INTEGER, revision_count INTEGER NOT NULL DEFAULT 0, last_revision_at TEXT, analysis_run_count INTEGER NOT NULL DEFAULT 0, export_event_count INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "projects" VALUES('8b895d05-21d3-45b8-b654-508a3bc3d10c','Checkout 2','{"project":{"project_name":"Checkout 2","domain":"e-commerce","product_type":"web shop","platform":"web","market":"DE","project_description":"Fewer steps"},"hypothesis":{"change_description":"Two steps instead of four","target_audience":"New visitors","business_problem":"Abandoned carts","hypothesis_statement":"Fewer steps, more orders","what_to_validate":"Conversion","desired_result":"More orders"},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":12000,"audience_share_in_test":0.6,"variants_count":2,"inclusion_criteria":"","exclusion_criteria":"Staff","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"purchase_conversion","metric_type":"binary","baseline_value":0.042,"expected_uplift_pct":null,"mde_pct":5.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":[],"guardrail_metrics":[]},"constraints":{"seasonality_present":true,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"","legal_or_ethics_constraints":"","known_risks":"","deadline_pressure":"low","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"","observed_results":null}}',1,NULL,NULL,NULL,NULL,'2026-11-26T17:32:44.621154+00:00','2026-11-26T17:32:44.759816+00:00',0,'checkout 2','checkout 2
fewer steps, more orders
two steps instead of four','Fewer steps, more orders','binary',NULL,2,'2026-11-26T17:32:44.759816+00:00',0,0);
INSERT INTO "projects" VALUES('f3700bb3-f4f7-417a-8dfd-ac7506cf09da','Archived','{"project":{"project_name":"Archived","domain":"e-commerce","product_type":"web shop","platform":"web","market":"DE","project_description":"Fewer steps"},"hypothesis":{"change_description":"Two steps instead of four","target_audience":"New visitors","business_problem":"Abandoned carts","hypothesis_statement":"Fewer steps, more orders","what_to_validate":"Conversion","desired_result":"More orders"},"setup":{"experiment_type":"ab","randomization_unit":"user","traffic_split":[50,50],"expected_daily_traffic":12000,"audience_share_in_test":0.6,"variants_count":2,"inclusion_criteria":"","exclusion_criteria":"Staff","avg_cluster_size":null,"icc":null,"namespace":null,"targeting_rules":[]},"metrics":{"primary_metric_name":"purchase_conversion","metric_type":"binary","baseline_value":0.042,"expected_uplift_pct":null,"mde_pct":5.0,"exposure_per_user":null,"planned_test":null,"equivalence_margin_pct":null,"alpha":0.05,"power":0.8,"std_dev":null,"cuped_pre_experiment_std":null,"cuped_correlation":null,"numerator_metric_name":null,"denominator_metric_name":null,"secondary_metrics":[],"guardrail_metrics":[]},"constraints":{"seasonality_present":true,"active_campaigns_present":false,"returning_users_present":true,"interference_risk":"medium","technical_constraints":"","legal_or_ethics_constraints":"","known_risks":"","deadline_pressure":"low","long_test_possible":true,"n_looks":1,"analysis_mode":"frequentist","desired_precision":null,"credibility":0.95,"holdout_fraction":null,"mutually_exclusive_experiments":null},"additional_context":{"llm_context":"","observed_results":null}}',1,'2026-11-26T17:32:44.779282+00:00',NULL,NULL,NULL,'2026-11-26T17:32:44.777093+00:00','2026-11-26T17:32:44.779282+00:00',1,'archived','archived
fewer steps, more orders
two steps instead of four','Fewer steps, more orders','binary',NULL,1,'2026-11-26T17:32:44.777093+00:00',0,0);
CREATE TABLE schema_backfills ( name TEXT NOT NULL PRIMARY KEY, finished_at TEXT NOT NULL);
INSERT INTO "schema_backfills" VALUES('fold_project_names','2026-11-26T17:32:41.721000+00:00');
INSERT INTO "schema_backfills" VALUES('normalise_key_scopes','2026-11-26T17:32:41.721000+00:00');
INSERT INTO "schema_backfills" VALUES('presets_1','2026-11-26T17:32:41.722000+00:00');
CREATE TABLE schema_migrations ( version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO "schema_migrations" VALUES(1,'0001_projects.sql','2026-11-26T17:32:41.627886+00:00');
INSERT INTO "schema_migrations" VALUES(2,'0002_audit_and_keys.sql','2026-11-26T17:32:41.658457+00:00');
INSERT INTO "schema_migrations" VALUES(3,'0003_project_lists.sql','2026-11-26T17:32:41.659665+00:00');
INSERT INTO "schema_migrations" VALUES(4,'0004_cheap_writes.sql','2026-11-26T17:32:41.660735+00:00');
INSERT INTO "schema_migrations" VALUES(5,'0005_live.sql','2026-11-26T17:32:41.661373+00:00');
INSERT INTO "schema_migrations" VALUES(6,'0006_live_loads.sql','2026-11-26T17:32:41.661598+00:00');
INSERT INTO "schema_migrations" VALUES(7,'0007_live_pace.sql','2026-11-26T17:32:41.680612+00:00');
INSERT INTO "schema_migrations" VALUES(8,'0008_idempotency.sql','2026-11-26T17:32:41.680828+00:00');
INSERT INTO "schema_migrations" VALUES(9,'0009_live_robust.sql','2026-11-26T17:32:41.681398+00:00');
INSERT INTO "schema_migrations" VALUES(10,'0010_templates.sql','2026-11-26T17:32:41.681577+00:00');
INSERT INTO "schema_migrations" VALUES(11,'0011_webhooks.sql','2026-11-26T17:32:41.698483+00:00');
INSERT INTO "schema_migrations" VALUES(12,'0012_chat.sql','2026-11-26T17:32:41.698819+00:00');
INSERT INTO "schema_migrations" VALUES(13,'0013_delivery_totals.sql','2026-11-26T17:32:41.699132+00:00');
INSERT INTO "schema_migrations" VALUES(14,'0014_history_totals.sql','2026-11-26T17:32:41.700848+00:00');
INSERT INTO "schema_migrations" VALUES(15,'0015_chat_last_event.sql','2026-11-26T17:32:41.701309+00:00');
INSERT INTO "schema_migrations" VALUES(16,'0016_jobs_held.sql','2026-11-26T17:32:41.701465+00:00');
CREATE TABLE webhook_deliveries (
    id TEXT PRIMARY KEY,
    subscription_id TEXT NOT NULL REFERENCES webhook_subscriptions (id) ON DELETE CASCADE,
    event_id INTEGER NOT NULL REFERENCES audit_log (id) ON DELETE CASCADE,
    status TEXT NOT NULL,
    attempt_count INTEGER NOT NULL DEFAULT 0,
    last_attempt_at TEXT,
    delivered_at TEXT,
    response_code INTEGER,
    response_body TEXT,
    error_message TEXT
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
CREATE TABLE webhook_subscriptions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    target_url TEXT NOT NULL,
    secret TEXT NOT NULL,
    format TEXT NOT NULL,
    event_filter TEXT NOT NULL,
    scope TEXT NOT NULL,
    api_key_id TEXT REFERENCES api_keys (id) ON DELETE SET NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    last_delivered_at TEXT,
    last_error_at TEXT,
    enabled INTEGER NOT NULL DEFAULT 1
) STRICT;
INSERT INTO "webhook_subscriptions" VALUES('125f546d-bc82-4c31-b14b-966885d3a32f','hook','http://127.0.0.1:9/x','ssssssssssssssssssssssssssssssss','generic','[]','global',NULL,'2026-11-26T17:32:44.879700+00:00','2026-11-26T17:32:44.879700+00:00',NULL,NULL,1);
CREATE INDEX analysis_runs_newest ON analysis_runs (project_id, created_at DESC, id DESC);
CREATE INDEX export_events_run ON export_events (analysis_run_id);
CREATE INDEX api_keys_newest ON api_keys (created_at DESC, id DESC);
CREATE INDEX projects_by_update ON projects (archived, updated_at, id);
CREATE INDEX projects_by_creation ON projects (archived, created_at, id);
CREATE INDEX projects_by_name ON projects (archived, name_folded DESC, updated_at, id);
CREATE INDEX projects_by_duration ON projects
    (archived, ((duration_days IS NULL)) DESC, duration_days DESC, updated_at, id);
CREATE INDEX projects_by_duration_falling ON projects
    (archived, ((duration_days IS NULL)) DESC, duration_days, updated_at, id);
CREATE INDEX audit_log_newest ON audit_log (ts, id);
CREATE INDEX audit_log_project ON audit_log (project_id, ts, id);
CREATE INDEX audit_log_key ON audit_log (key_id, ts, id);
CREATE INDEX audit_log_action ON audit_log (action, ts, id);
CREATE INDEX live_units_aliases ON live_units (experiment, canonical_id)
    WHERE canonical_id IS NOT NULL;
CREATE UNIQUE INDEX live_conversions_key ON live_conversions (experiment, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (started_at);
CREATE INDEX project_templates_order ON project_templates
    (built_in DESC, usage_count DESC, name_folded, id);
CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, job_key);
CREATE INDEX jobs_due ON jobs (kind, due_at, id) WHERE state = 'waiting';
CREATE INDEX jobs_finished ON jobs (kind, state, finished_at, id) WHERE state <> 'waiting';
CREATE INDEX webhook_history_by_webhook ON webhook_history (kind, webhook_id, id);
CREATE INDEX webhook_history_by_time ON webhook_history (delivered_at);
CREATE INDEX webhook_subscriptions_newest ON webhook_subscriptions (created_at DESC, id DESC);
CREATE INDEX webhook_subscriptions_key ON webhook_subscriptions (api_key_id);
CREATE UNIQUE INDEX webhook_deliveries_event ON webhook_deliveries (subscription_id, event_id);
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries
    (subscription_id, ((last_attempt_at IS NULL)), last_attempt_at DESC, id DESC);
CREATE INDEX webhook_deliveries_status ON webhook_deliveries (status, last_attempt_at);
CREATE INDEX webhook_deliveries_audit ON webhook_deliveries (event_id);
CREATE INDEX chatapp_installations_newest ON chatapp_installations (updated_at DESC);
CREATE INDEX chatapp_receipts_age ON chatapp_receipts (received_at);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries
    (subscription_id, status, ((last_attempt_at IS NULL)), last_attempt_at DESC, id DESC);
CREATE TRIGGER delivery_added AFTER INSERT ON webhook_deliveries BEGIN
    INSERT INTO delivery_totals (subscription_id, status, shard, deliveries) VALUES (new.subscription_id, new.status, 0, 1)
        ON CONFLICT (subscription_id, status, shard) DO UPDATE SET deliveries = deliveries + 1;
END;
CREATE TRIGGER delivery_gone AFTER DELETE ON webhook_deliveries BEGIN
    UPDATE delivery_totals SET deliveries = deliveries - 1
        WHERE subscription_id = old.subscription_id AND status = old.status AND shard = 0;
END;
CREATE TRIGGER delivery_moved AFTER UPDATE OF status ON webhook_deliveries WHEN old.status <> new.status BEGIN
    UPDATE delivery_totals SET deliveries = deliveries - 1
        WHERE subscription_id = old.subscription_id AND status = old.status AND shard = 0;
    INSERT INTO delivery_totals (subscription_id, status, shard, deliveries) VALUES (new.subscription_id, new.status, 0, 1)
        ON CONFLICT (subscription_id, status, shard) DO UPDATE SET deliveries = deliveries + 1;
END;
CREATE UNIQUE INDEX analysis_runs_numbered ON analysis_runs (project_id, number);
CREATE UNIQUE INDEX export_events_numbered ON export_events (project_id, number);
CREATE INDEX jobs_held ON jobs (kind, holder, lane, due_at) WHERE holder IS NOT NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('audit_log',7);
INSERT INTO "sqlite_sequence" VALUES('live_experiments',1);
COMMIT;
