-- Which tables were spread over the nodes of a cluster, and by which column: NULL = a copy on every node
-- (common/db/distribute.h).
CREATE TABLE schema_distribution (
    table_name {text} NOT NULL PRIMARY KEY,
    column_name {text},
    distributed_at {text} NOT NULL
) {strict};
