-- Vectors of chunks in eight bits: component = byte * scale. A chunk that is split into children has one
-- for each. Segments of the index copy them.
CREATE TABLE kb_chunk_vectors (
    tenant_id {text} NOT NULL,
    chunk_key {integer} NOT NULL,
    child {integer} NOT NULL,
    model {text} NOT NULL,
    scale {real} NOT NULL,
    vector {blob} NOT NULL,
    PRIMARY KEY (tenant_id, chunk_key, child),
    FOREIGN KEY (tenant_id, chunk_key) REFERENCES kb_chunks (tenant_id, chunk_key) ON DELETE CASCADE
) {strict};

-- The model of which every chunk of the document has a vector; '' = none.
ALTER TABLE kb_documents ADD COLUMN vector_model {text} NOT NULL DEFAULT '';
CREATE INDEX kb_documents_by_vectors ON kb_documents (vector_model);
