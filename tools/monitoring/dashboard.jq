# A dashboard of Grafana for one service: a panel for each metric of its table, and its alerts.
# Arguments: $service; input: the rows of the table.
def unit:
  if test("timestamp_seconds$") then "dateTimeFromNow"
  elif test("_seconds(_total)?$") then "s"
  elif test("usd") then "currencyUSD"
  elif test("bytes") then "bytes"
  else "short" end;
def by: if length > 0 then " by (" + join(", ") + ")" else "" end;
def legend: if length > 0 then map("{{" + . + "}}") | join(" ") else "{{instance}}" end;
def query($expr; $legend): {expr: $expr, legendFormat: $legend, refId: "", datasource: {type: "prometheus", uid: "${source}"}};
def queries:
  . as $row |
  if .kind == "counter" then [query("sum\(.labels | by) (rate(\(.name)[$__rate_interval]))"; .labels | legend)]
  elif .kind == "gauge" and (.name | test("timestamp_seconds$")) then [query("\(.name) * 1000"; .labels | legend)]
  elif .kind == "gauge" then [query(.name; .labels | legend)]
  elif .kind == "histogram" then
    [0.5, 0.95, 0.99 | . as $q | query("histogram_quantile(\($q), sum by (le) (rate(\($row.name)_bucket[$__rate_interval])))"; "p\($q * 100)")]
  else [query("sum\(.labels | by) (rate(\(.name)_sum[$__rate_interval])) / sum\(.labels | by) (rate(\(.name)_count[$__rate_interval]))"; .labels | legend)] end;
def name_queries: to_entries | map(.value + {refId: ("ABC"[.key:.key + 1])});
def panel($at):
  {id: ($at + 2), type: "timeseries", title: (.help | rtrimstr(".")), description: .name,
   datasource: {type: "prometheus", uid: "${source}"},
   gridPos: {x: (12 * ($at % 2)), y: (6 + 8 * ($at / 2 | floor)), w: 12, h: 8},
   fieldConfig: {defaults: {unit: (if .kind == "counter" and (.name | test("usd|seconds") | not) then "cps" else (.name | unit) end), min: 0}, overrides: []},
   targets: (queries | name_queries)};
{uid: "assay-\($service)", title: "Assay: \($service)", tags: ["assay"], schemaVersion: 39, version: 1, editable: true,
 refresh: "30s", time: {from: "now-6h", to: "now"}, annotations: {list: []},
 templating: {list: [{name: "source", type: "datasource", query: "prometheus", label: "Prometheus", current: {}, hide: 0}]},
 panels: ([{id: 1, type: "timeseries", title: "Alerts that fire", description: "docs/operate/alerts.md says what to do.",
            datasource: {type: "prometheus", uid: "${source}"}, gridPos: {x: 0, y: 0, w: 24, h: 6},
            fieldConfig: {defaults: {unit: "short", min: 0, decimals: 0}, overrides: []},
            targets: [{expr: "count by (alertname) (ALERTS{alertstate=\"firing\", alertname=~\"Assay.*\"})", legendFormat: "{{alertname}}",
                       refId: "A", datasource: {type: "prometheus", uid: "${source}"}}]}]
          + [to_entries[] | .key as $at | .value | panel($at)])}
