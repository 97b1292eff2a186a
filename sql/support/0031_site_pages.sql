-- What a web server said about a page, for the next request: its ETag and Last-Modified, as they were sent.
ALTER TABLE kb_sources ADD COLUMN etag {text};
ALTER TABLE kb_sources ADD COLUMN last_modified {text};
