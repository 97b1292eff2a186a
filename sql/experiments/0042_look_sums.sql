-- The sums of the arms at a look, from which its effects can be computed again; null = taken by an older version.
ALTER TABLE experiment_looks ADD COLUMN sums_json {text};
