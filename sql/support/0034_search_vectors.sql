-- The index of the search engine that has vectors of all chunks of the version; '' = none has.
ALTER TABLE kb_search_documents ADD COLUMN vectors {text} NOT NULL DEFAULT '';
-- When the engine refused to keep vectors (microseconds since 1970): it is asked again later.
CREATE TABLE kb_search_refusals (
    name {text} PRIMARY KEY,
    refused_at {integer} NOT NULL
);
