-- Which passage of which version of a document each cited sentence of an answer stands on; what changed since.

CREATE TABLE cited_spans (
    trace_id {text} NOT NULL,
    place {integer} NOT NULL, -- of the citation in the answer
    tenant_id {text} NOT NULL,
    doc_id {text} NOT NULL,
    document_key {integer} NOT NULL, -- the version that was last found to hold it
    sentence {text} NOT NULL,
    span {text} NOT NULL,
    cited_at {text} NOT NULL,
    changed_at {text},
    reviewed_at {text},
    PRIMARY KEY (trace_id, place)
) {strict};
CREATE INDEX cited_spans_standing ON cited_spans (tenant_id, doc_id, document_key) WHERE changed_at IS NULL;
CREATE INDEX cited_spans_changed ON cited_spans (tenant_id, changed_at) WHERE changed_at IS NOT NULL;
CREATE INDEX cited_spans_by_time ON cited_spans (cited_at);
