-- The embedding model of a segment's vectors, when every chunk in it has one.
ALTER TABLE kb_segments ADD COLUMN vectors {text};
