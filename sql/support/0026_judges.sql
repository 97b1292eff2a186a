-- How evaluators are compared with reviewers: which cases were drawn at random, whatever their reason; why the program
-- chose a case that nobody reported; how unsure the evaluators were of it (-1: not computed); and which evaluators a
-- tenant has switched off.
ALTER TABLE review_queue ADD COLUMN drawn {boolean} NOT NULL DEFAULT 0;
ALTER TABLE review_queue ADD COLUMN chosen {text} CHECK (chosen IN ('random', 'unsure'));
ALTER TABLE review_queue ADD COLUMN doubt {real} NOT NULL DEFAULT -1;
ALTER TABLE review_queue ADD COLUMN doubt_kind {text} CHECK (doubt_kind IN ('near_limit', 'disagreement'));
ALTER TABLE review_queue ADD COLUMN doubt_about {text} NOT NULL DEFAULT ''; -- evaluators, with blanks between them
CREATE INDEX review_queue_unsure ON review_queue (tenant_id, status, doubt, id);
CREATE INDEX review_queue_drawn ON review_queue (tenant_id, status) WHERE drawn = 1;

CREATE TABLE evaluator_switches (
    tenant_id {text} NOT NULL,
    evaluator {text} NOT NULL,
    switched_off_at {text} NOT NULL,
    switched_off_by {text} NOT NULL,
    PRIMARY KEY (tenant_id, evaluator)
) {strict};
