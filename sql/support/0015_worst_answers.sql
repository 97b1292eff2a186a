-- The worst answers of an evaluator, in the order that they are shown in: of the operator, and of one tenant. Evaluators
-- that find faults give 1 to what is bad; those that failed are no answers.
CREATE INDEX trace_evaluations_worst ON trace_evaluations (evaluator_name,
    (CASE WHEN evaluator_name IN ('answer_length_anomaly', 'language_mismatch', 'pii_leak_suspicion', 'refusal_detected')
          THEN -score ELSE score END), evaluated_at, trace_id)
    WHERE verdict NOT IN ('error', 'timeout');
CREATE INDEX trace_evaluations_worst_of_tenant ON trace_evaluations (tenant_id, evaluator_name,
    (CASE WHEN evaluator_name IN ('answer_length_anomaly', 'language_mismatch', 'pii_leak_suspicion', 'refusal_detected')
          THEN -score ELSE score END), evaluated_at, trace_id)
    WHERE verdict NOT IN ('error', 'timeout');

-- By time alone: the evaluations of an answer stand side by side and are written to one page, not to one for each
-- evaluator; with what trends read, so that these read nothing else.
DROP INDEX trace_evaluations_by_time;
DROP INDEX trace_evaluations_of_all;
CREATE INDEX trace_evaluations_by_time ON trace_evaluations (tenant_id, evaluated_at, evaluator_name, verdict, score);
CREATE INDEX trace_evaluations_of_all ON trace_evaluations (evaluated_at, evaluator_name, verdict, score);
