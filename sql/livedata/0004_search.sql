-- The index of entity rows: one document a row, and the words of its values. Words that all rows of a type
-- share are not repeated here (common/livedata/reads/search.c).
CREATE TABLE search_docs (
    id {identity},
    tenant_id {text} NOT NULL,
    entity_type {text} NOT NULL,
    entity_id {text} NOT NULL,
    snippet {text} NOT NULL,
    words {text} NOT NULL
) {strict};
CREATE UNIQUE INDEX search_docs_by_entity ON search_docs (tenant_id, entity_type, entity_id);

CREATE TABLE search_terms (
    tenant_id {text} NOT NULL,
    term {text} NOT NULL,
    doc_id {integer} NOT NULL,
    entity_type {text} NOT NULL,
    times {integer} NOT NULL,
    PRIMARY KEY (tenant_id, term, doc_id)
) {strict};
CREATE INDEX search_terms_by_doc ON search_terms (doc_id);
