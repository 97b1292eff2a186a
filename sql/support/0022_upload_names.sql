-- Which document an upload of some name is of. Cleaning can make one of two names, so the document of the second one
-- has another id. A name is known by its SHA-256, for it may hold bytes that no text column takes.
CREATE TABLE kb_upload_names (
    tenant_id {text} NOT NULL,
    name_hash {text} NOT NULL,
    doc_id {text} NOT NULL,
    PRIMARY KEY (tenant_id, name_hash),
    UNIQUE (tenant_id, doc_id)
) {strict};
