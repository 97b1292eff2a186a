-- How far the partitions of Kafka's topics were applied. A row moves in the transaction that applies the events, so
-- that none counts twice; what the group has committed in Kafka is for monitors only.
CREATE TABLE kafka_offsets (
    topic {text} NOT NULL,
    partition_number {integer} NOT NULL,
    next_offset {integer} NOT NULL,  -- of the first record that is not applied
    end_offset {integer} NOT NULL,   -- of the record that will be written next, as far as the bridge knows
    seen_at {integer} NOT NULL,      -- when the bridge last heard of the broker
    PRIMARY KEY (topic, partition_number)
) {clustered};
