-- The groups of a person, a JSON list of names: documents of the support service may be for the people of some groups.
-- A group is its name; it begins with its first person or document and ends with its last.
ALTER TABLE people ADD COLUMN member_of {json} NOT NULL DEFAULT '[]';
