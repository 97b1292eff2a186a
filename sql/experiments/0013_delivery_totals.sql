-- How many deliveries of a subscription are in each state, so that no list counts them. The database keeps the
-- figures itself, whoever adds, changes, purges or cascades. Sharded on a server, where several write at a time.
CREATE TABLE delivery_totals (
    subscription_id {text} NOT NULL,
    status {text} NOT NULL,
    shard {integer} NOT NULL,
    deliveries {integer} NOT NULL,
    PRIMARY KEY (subscription_id, status, shard)
) {clustered};

INSERT INTO delivery_totals (subscription_id, status, shard, deliveries)
    SELECT subscription_id, status, 0, count(*) FROM webhook_deliveries GROUP BY subscription_id, status;

CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries
    (subscription_id, status, ((last_attempt_at IS NULL)), last_attempt_at DESC, id DESC);

-- sqlite
CREATE TRIGGER delivery_added AFTER INSERT ON webhook_deliveries BEGIN
    INSERT INTO delivery_totals (subscription_id, status, shard, deliveries) VALUES (new.subscription_id, new.status, 0, 1)
        ON CONFLICT (subscription_id, status, shard) DO UPDATE SET deliveries = deliveries + 1;
END;
CREATE TRIGGER delivery_gone AFTER DELETE ON webhook_deliveries BEGIN
    UPDATE delivery_totals SET deliveries = deliveries - 1
        WHERE subscription_id = old.subscription_id AND status = old.status AND shard = 0;
END;
CREATE TRIGGER delivery_moved AFTER UPDATE OF status ON webhook_deliveries WHEN old.status <> new.status BEGIN
    UPDATE delivery_totals SET deliveries = deliveries - 1
        WHERE subscription_id = old.subscription_id AND status = old.status AND shard = 0;
    INSERT INTO delivery_totals (subscription_id, status, shard, deliveries) VALUES (new.subscription_id, new.status, 0, 1)
        ON CONFLICT (subscription_id, status, shard) DO UPDATE SET deliveries = deliveries + 1;
END;

-- postgres
-- Once a statement, in one order, so that purges write each figure once and nobody waits in a circle.
CREATE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO delivery_totals AS t (subscription_id, status, shard, deliveries)
            SELECT subscription_id, status, pg_backend_pid() % 16, count(*) FROM added GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (subscription_id, status, shard) DO UPDATE SET deliveries = t.deliveries + excluded.deliveries;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO delivery_totals AS t (subscription_id, status, shard, deliveries)
            SELECT subscription_id, status, pg_backend_pid() % 16, -count(*) FROM gone GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (subscription_id, status, shard) DO UPDATE SET deliveries = t.deliveries + excluded.deliveries;
    ELSE
        INSERT INTO delivery_totals AS t (subscription_id, status, shard, deliveries)
            SELECT subscription_id, status, pg_backend_pid() % 16, sum(change) FROM (
                SELECT subscription_id, status, -1 AS change FROM gone
                UNION ALL SELECT subscription_id, status, 1 FROM added) AS moved
            GROUP BY 1, 2 HAVING sum(change) <> 0 ORDER BY 1, 2
            ON CONFLICT (subscription_id, status, shard) DO UPDATE SET deliveries = t.deliveries + excluded.deliveries;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER delivery_added AFTER INSERT ON webhook_deliveries
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER delivery_gone AFTER DELETE ON webhook_deliveries
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER delivery_moved AFTER UPDATE ON webhook_deliveries
    REFERENCING OLD TABLE AS gone NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
ALTER TABLE delivery_totals SET (fillfactor = 50);
