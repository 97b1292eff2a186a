-- The lines of the table that were queued before, with those of this row, so that the length of the queue is the
-- difference of its ends. It begins again when the queue was empty.
ALTER TABLE columnar_outbox ADD COLUMN line_total {integer} NOT NULL DEFAULT 0;
