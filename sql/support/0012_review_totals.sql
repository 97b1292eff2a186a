-- How many cases there are of each status and reason, so that no page counts them. The database keeps the figures
-- itself, whoever adds, judges, purges or cascades.
CREATE TABLE review_totals (
    tenant_id {text} NOT NULL,
    status {text} NOT NULL,
    reason {text} NOT NULL,
    cases {integer} NOT NULL,
    PRIMARY KEY (tenant_id, status, reason)
) {clustered};

INSERT INTO review_totals (tenant_id, status, reason, cases)
    SELECT tenant_id, status, reason, count(*) FROM review_queue GROUP BY tenant_id, status, reason;

CREATE INDEX review_queue_of_status ON review_queue (status, created_at);

-- sqlite
CREATE TRIGGER review_added AFTER INSERT ON review_queue BEGIN
    INSERT INTO review_totals (tenant_id, status, reason, cases) VALUES (new.tenant_id, new.status, new.reason, 1)
        ON CONFLICT (tenant_id, status, reason) DO UPDATE SET cases = cases + 1;
END;
CREATE TRIGGER review_gone AFTER DELETE ON review_queue BEGIN
    UPDATE review_totals SET cases = cases - 1
        WHERE tenant_id = old.tenant_id AND status = old.status AND reason = old.reason;
END;
CREATE TRIGGER review_moved AFTER UPDATE OF status, reason ON review_queue
    WHEN old.status <> new.status OR old.reason <> new.reason BEGIN
    UPDATE review_totals SET cases = cases - 1
        WHERE tenant_id = old.tenant_id AND status = old.status AND reason = old.reason;
    INSERT INTO review_totals (tenant_id, status, reason, cases) VALUES (new.tenant_id, new.status, new.reason, 1)
        ON CONFLICT (tenant_id, status, reason) DO UPDATE SET cases = cases + 1;
END;

-- postgres
-- Once a statement, in one order, so that nobody waits in a circle.
CREATE FUNCTION count_reviews() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO review_totals AS t (tenant_id, status, reason, cases)
            SELECT tenant_id, status, reason, count(*) FROM added GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (tenant_id, status, reason) DO UPDATE SET cases = t.cases + excluded.cases;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO review_totals AS t (tenant_id, status, reason, cases)
            SELECT tenant_id, status, reason, -count(*) FROM gone GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (tenant_id, status, reason) DO UPDATE SET cases = t.cases + excluded.cases;
    ELSE
        INSERT INTO review_totals AS t (tenant_id, status, reason, cases)
            SELECT tenant_id, status, reason, sum(change) FROM (
                SELECT tenant_id, status, reason, -1 AS change FROM gone
                UNION ALL SELECT tenant_id, status, reason, 1 FROM added) AS moved
            GROUP BY 1, 2, 3 HAVING sum(change) <> 0 ORDER BY 1, 2, 3
            ON CONFLICT (tenant_id, status, reason) DO UPDATE SET cases = t.cases + excluded.cases;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER review_added AFTER INSERT ON review_queue
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_reviews();
CREATE TRIGGER review_gone AFTER DELETE ON review_queue
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_reviews();
CREATE TRIGGER review_moved AFTER UPDATE ON review_queue
    REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_reviews();
ALTER TABLE review_totals SET (fillfactor = 50);
