-- Signed tokens of support that were issued before this moment (microseconds since 1970, UTC) count no more: when the
-- person's sessions were last ended, with a new password or when he was switched off. NULL = they never were.
ALTER TABLE people ADD COLUMN sessions_valid_from {integer};
