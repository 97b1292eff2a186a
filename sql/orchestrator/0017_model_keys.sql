-- Keys of providers that administrators have typed: encrypted, with the id of the secret that opens them and the last
-- characters, which pages show.

ALTER TABLE orch_models ADD COLUMN sealed_key {text};
ALTER TABLE orch_models ADD COLUMN key_secret_id {text};
ALTER TABLE orch_models ADD COLUMN key_ending {text};
