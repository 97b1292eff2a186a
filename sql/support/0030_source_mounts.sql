-- Where the file system of a taken file begins: its documents stay while that is not mounted. Null: taken by an older
-- version, and not seen since.
ALTER TABLE kb_sources ADD COLUMN mount {text};
