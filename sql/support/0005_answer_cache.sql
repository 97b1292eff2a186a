-- Answers that may be given again. The key holds a hash of the question, the version of the knowledge base and who
-- answers, so that none outlives a change of either. Microseconds since 1970.
CREATE TABLE answer_cache (
    tenant_id {text} NOT NULL,
    cache_key {text} NOT NULL,
    answer {json} NOT NULL,
    expires_at {integer} NOT NULL,
    PRIMARY KEY (tenant_id, cache_key)
) {strict};
CREATE INDEX answer_cache_by_end ON answer_cache (expires_at);
