-- Clusters (shops, classes, cities) that users of an experiment were assigned by: names that come with exposures.
CREATE TABLE live_clusters (
    experiment {integer} NOT NULL,
    cluster {integer} NOT NULL,
    name {text} NOT NULL,
    PRIMARY KEY (experiment, cluster),
    UNIQUE (experiment, name)
) {strict};

-- The cluster of the exposure, and whether the user was sent in another one later.
ALTER TABLE live_units ADD COLUMN cluster {integer};
ALTER TABLE live_units ADD COLUMN cluster_crossed {boolean} NOT NULL DEFAULT 0;

-- How many names there are, and what the aggregates per cluster were made for: nothing where there are none.
ALTER TABLE live_experiments ADD COLUMN clusters {integer} NOT NULL DEFAULT 0;
ALTER TABLE live_experiments ADD COLUMN cluster_plan {text} NOT NULL DEFAULT '';
