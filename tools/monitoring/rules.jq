# The rules of Prometheus from config/monitoring/alerts.json.
"# Alert rules for Prometheus. Written by `make docs` from config/monitoring/alerts.json; docs/operate/alerts.md describes them.",
"groups:",
(.alerts | group_by(.service)[] |
  "  - name: assay-\(.[0].service)",
  "    rules:",
  (.[] |
    "      - alert: \(.name)",
    "        expr: \(.expr | @json)",
    "        for: \(.for)",
    "        labels:",
    "          severity: \(.severity)",
    "        annotations:",
    "          summary: \(.summary | @json)",
    "          guide: docs/operate/alerts.md#\(.name | ascii_downcase)"))
