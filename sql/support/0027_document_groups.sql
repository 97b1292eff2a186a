-- The groups whose people may read a document; without a row everybody of the tenant may. The rows stay when the document
-- is deleted: its old citations, and a new document of that name, are for the same people.
CREATE TABLE kb_document_groups (
    tenant_id {text} NOT NULL,
    doc_id {text} NOT NULL,
    group_name {text} NOT NULL,
    PRIMARY KEY (tenant_id, doc_id, group_name)
) {clustered};
