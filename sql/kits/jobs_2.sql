-- Who holds what, found by the range of holders: a server that has no statistics of a young table yet takes a range
-- for few rows, and by "IS NOT NULL" alone it read every job of the kind, the finished ones too, at each claim.
DROP INDEX jobs_held;
CREATE INDEX jobs_held ON jobs (kind, holder, lane, due_at) WHERE holder IS NOT NULL;
