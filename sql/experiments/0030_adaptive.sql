-- Experiments that give more users to the arms that do better. The shares are those of the newest round; rounds are
-- never changed, so that the probability with which a user was assigned can be read at any time. An exposure names
-- its round as a slice of the dimension "assignment_round".
CREATE TABLE adaptive_experiments (
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    floor_share {real} NOT NULL,
    update_minutes {integer} NOT NULL,
    paused {boolean} NOT NULL DEFAULT 0,
    round {integer} NOT NULL, -- the newest
    PRIMARY KEY (experiment_id)
) {strict};

CREATE TABLE adaptive_rounds (
    experiment_id {text} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    round {integer} NOT NULL, -- from 1
    started_at {integer} NOT NULL,
    users {integer} NOT NULL, -- exposed before the round
    shares {json} NOT NULL,   -- of 10 000, by variation
    PRIMARY KEY (experiment_id, round)
) {clustered};
