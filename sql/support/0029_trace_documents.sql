-- All documents that any step of an answer had, cited or not: who may not read one of them does not see the trace.
-- trace_docs has only the best of the last search, which are shown and counted.
CREATE TABLE trace_used_docs (
    trace_id {text} NOT NULL REFERENCES traces (trace_id) ON DELETE CASCADE,
    doc_id {text} NOT NULL,
    PRIMARY KEY (trace_id, doc_id)
) {clustered};
INSERT INTO trace_used_docs (trace_id, doc_id)
SELECT DISTINCT s.trace_id, s.doc_id FROM cited_spans s JOIN traces t ON t.trace_id = s.trace_id;
