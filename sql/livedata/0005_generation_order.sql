-- Which generations were raised since a host has looked: by the number of the journal's last row at that time. Numbers
-- of the journal grow in the order of commits, unlike times, which are those of several clocks.
ALTER TABLE cache_generation ADD COLUMN seq {integer} NOT NULL DEFAULT 0;
DROP INDEX cache_generation_by_time;
CREATE INDEX cache_generation_by_seq ON cache_generation (seq);
