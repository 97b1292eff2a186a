-- Whether the chunks of a document are parents, whose children are what is searched.
ALTER TABLE kb_documents ADD COLUMN parent_child {boolean} NOT NULL DEFAULT 0;
