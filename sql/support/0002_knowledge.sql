-- The knowledge base of each tenant. Chunks hold the text; the search index is files that can be built
-- again from them, and these tables say which files are current.

-- One row per tenant that has ever had a document. Keys of chunks and documents are drawn from
-- `next_key`, so that what was indexed under a key is never mistaken for something newer.
CREATE TABLE kb_state (
    tenant_id {text} PRIMARY KEY,
    version {integer} NOT NULL,
    next_key {integer} NOT NULL
) {strict};

CREATE TABLE kb_documents (
    tenant_id {text} NOT NULL,
    doc_id {text} NOT NULL,
    document_key {integer} NOT NULL, -- of the version that is searched
    version {integer} NOT NULL,
    title {text} NOT NULL,
    source {text} NOT NULL,
    file_type {text} NOT NULL,
    language {text} NOT NULL,
    content_hash {text} NOT NULL,
    size_bytes {integer} NOT NULL,
    categories {json} NOT NULL,
    page_count {integer} NOT NULL,
    chunk_count {integer} NOT NULL,
    auto_generated {boolean} NOT NULL,
    last_updated {text} NOT NULL,
    created_at {text} NOT NULL,
    PRIMARY KEY (tenant_id, doc_id)
) {strict};
CREATE UNIQUE INDEX kb_documents_by_key ON kb_documents (tenant_id, document_key);

CREATE TABLE kb_chunks (
    tenant_id {text} NOT NULL,
    chunk_key {integer} NOT NULL,
    document_key {integer} NOT NULL,
    chunk_index {integer} NOT NULL,
    page {integer},
    header {text} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (tenant_id, chunk_key)
) {strict};
CREATE UNIQUE INDEX kb_chunks_in_order ON kb_chunks (tenant_id, document_key, chunk_index);

CREATE TABLE kb_segments (
    tenant_id {text} NOT NULL,
    name {text} NOT NULL,
    bytes {integer} NOT NULL,
    created_at {text} NOT NULL,
    PRIMARY KEY (tenant_id, name)
) {strict};

-- What a segment holds, in its order. A document that was replaced is dead in it.
CREATE TABLE kb_segment_documents (
    tenant_id {text} NOT NULL,
    segment {text} NOT NULL,
    place {integer} NOT NULL,
    document_key {integer} NOT NULL,
    dead {boolean} NOT NULL,
    PRIMARY KEY (tenant_id, segment, place)
) {strict};
CREATE INDEX kb_segment_documents_by_key ON kb_segment_documents (tenant_id, document_key);

CREATE TABLE kb_ingest_log (
    id {identity},
    ts {text} NOT NULL,
    tenant_id {text} NOT NULL,
    doc_id {text} NOT NULL,
    version {integer} NOT NULL,
    documents {integer} NOT NULL,
    chunks {integer} NOT NULL,
    chunk_config {text} NOT NULL,
    duration_ms {integer} NOT NULL
) {strict};

CREATE TABLE document_stats (
    tenant_id {text} NOT NULL,
    doc_id {text} NOT NULL,
    citation_count {integer} NOT NULL,
    last_cited_at {text},
    PRIMARY KEY (tenant_id, doc_id)
) {strict};

-- What an upload waits for. The work itself is a job of the same key.
CREATE TABLE tasks (
    task_id {text} PRIMARY KEY,
    tenant_id {text} NOT NULL,
    doc_id {text} NOT NULL,
    path {text} NOT NULL,
    status {text} NOT NULL,
    meta {json},
    result {json},
    created_at {text} NOT NULL,
    finished_at {text}
) {strict};
CREATE INDEX tasks_by_end ON tasks (finished_at);

-- Programs that drain queues say here that they are alive. Microseconds since 1970.
CREATE TABLE heartbeats (
    name {text} PRIMARY KEY,
    beat_at {integer} NOT NULL
) {strict};

-- include kits/jobs_1.sql
