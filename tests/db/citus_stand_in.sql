-- What Citus looks like from the outside, for tests on a plain PostgreSQL: the table of what is
-- distributed and functions that divide a table by hash into eight parts instead of giving them to nodes. A reference
-- table stays as it is. Like Citus, they refuse a unique key without the column, and a table that is distributed.
CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod text, colocated_with text);
CREATE FUNCTION create_reference_table(wanted regclass) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO pg_dist_partition VALUES (wanted, 'n', '') $$;
CREATE FUNCTION create_distributed_table(wanted regclass, by_column text, colocate_with text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    name text := wanted::text;
    identity text := (SELECT attname FROM pg_attribute WHERE attrelid = wanted AND attidentity <> '');
    last bigint;
BEGIN
    IF colocate_with <> 'none' AND NOT EXISTS (SELECT 1 FROM pg_dist_partition
        WHERE logicalrelid = colocate_with::regclass AND partmethod = 'h') THEN
        RAISE EXCEPTION 'relation % is not distributed', colocate_with;
    END IF;
    EXECUTE format('ALTER TABLE %I RENAME TO %I', name, 'whole_' || name);
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING INDEXES INCLUDING IDENTITY)'
        ' PARTITION BY HASH (%I)', name, 'whole_' || name, by_column);
    FOR part IN 0..7 LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 8, REMAINDER %s)', name || '_' || part,
            name, part);
    END LOOP;
    EXECUTE format('INSERT INTO %I SELECT * FROM %I', name, 'whole_' || name);
    IF identity IS NOT NULL THEN -- it goes on where it was
        EXECUTE format('SELECT last_value FROM %s', pg_get_serial_sequence('whole_' || name, identity)) INTO last;
        PERFORM setval(pg_get_serial_sequence(name, identity), last);
    END IF;
    EXECUTE format('DROP TABLE %I', 'whole_' || name);
    INSERT INTO pg_dist_partition VALUES (name::regclass, 'h', colocate_with);
END $$;
