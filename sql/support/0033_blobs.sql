-- Files that all hosts need: originals of documents, by their SHA-256, and segments of the index, by their names. A file
-- is here (`place` is database, its bytes are kb_blob_parts) or in an object store (s3). `object` is drawn anew for each
-- copy, so that what is deleted is never what somebody has just stored. A row that is not ready is a copy on its way, in
-- or out. Microseconds since 1970.
CREATE TABLE kb_blobs (
    tenant_id {text} NOT NULL,
    kind {text} NOT NULL, -- original or segment
    name {text} NOT NULL,
    object {text} NOT NULL,
    place {text} NOT NULL,
    size_bytes {integer} NOT NULL,
    sha256 {text} NOT NULL,
    stored_at {integer} NOT NULL,
    ready {boolean} NOT NULL,
    PRIMARY KEY (tenant_id, kind, name, object)
) {strict};
CREATE INDEX kb_blobs_by_age ON kb_blobs (ready, stored_at);
CREATE UNIQUE INDEX kb_blobs_by_object ON kb_blobs (object);

CREATE TABLE kb_blob_parts (
    object {text} NOT NULL,
    part {integer} NOT NULL,
    bytes {blob} NOT NULL,
    PRIMARY KEY (object, part)
) {strict};

-- Which documents have a file.
CREATE INDEX kb_documents_by_file ON kb_documents (tenant_id, file_hash);
