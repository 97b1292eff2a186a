-- Documents that were taken from a folder: where each came from and as what, so that a restart takes only what has
-- changed. origin: the host of the folder; name: the path. doc_id is null when the file was refused, which `problem` says.
CREATE TABLE kb_sources (
    tenant_id {text} NOT NULL,
    origin {text} NOT NULL,
    name {text} NOT NULL,
    doc_id {text},
    size_bytes {integer} NOT NULL,
    modified_at {integer} NOT NULL, -- microseconds since 1970
    problem {text},
    PRIMARY KEY (tenant_id, origin, name)
) {clustered};
