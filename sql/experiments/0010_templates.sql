-- Designs to start from: those that come with the product, which the program writes, and people's own.
CREATE TABLE project_templates (
    id {text} PRIMARY KEY,
    name {text} NOT NULL,
    category {text} NOT NULL,
    description {text} NOT NULL,
    built_in {boolean} NOT NULL DEFAULT 0,
    tags_json {json} NOT NULL,
    payload_json {json} NOT NULL,
    usage_count {integer} NOT NULL DEFAULT 0,
    name_folded {text} NOT NULL,
    created_at {text} NOT NULL,
    updated_at {text} NOT NULL
) {strict};

CREATE INDEX project_templates_order ON project_templates
    (built_in DESC, usage_count DESC, name_folded, id);
