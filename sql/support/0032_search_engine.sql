-- Versions of documents that are, or may be, in the search engine of SEARCH_URL. `indexed`: wholly there, and found.
-- One that is not that of kb_documents is left out of searches, and deleted there some time after gone_at.
CREATE TABLE kb_search_documents (
    tenant_id {text} NOT NULL,
    document_key {integer} NOT NULL,
    indexed {boolean} NOT NULL,
    changed_at {integer} NOT NULL, -- microseconds since 1970, as the next
    gone_at {integer},
    PRIMARY KEY (tenant_id, document_key)
) {clustered};
CREATE INDEX kb_search_documents_gone ON kb_search_documents (gone_at);
