/* How events are sent, in three languages, for one experiment at one address. */

function curl(base, metric) {
    return `curl -X POST ${base}/exposures -H 'Content-Type: application/json' \\
  -d '{"exposures":[{"user_id":"user-1","variation_index":1}]}'

curl -X POST ${base}/conversions -H 'Content-Type: application/json' \\
  -d '{"conversions":[{"user_id":"user-1","metric":"${metric}","value":1,"idempotency_key":"order-1"}]}'`;
}

function python(base, metric) {
    return `import json, urllib.request

BASE = "${base}"

def send(kind, records):
    request = urllib.request.Request(
        f"{BASE}/{kind}", json.dumps({kind: records}).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)

send("exposures", [{"user_id": "user-1", "variation_index": 1}])
send("conversions", [{"user_id": "user-1", "metric": "${metric}", "value": 1, "idempotency_key": "order-1"}])`;
}

function javascript(base, metric) {
    return `const base = '${base}';

async function send(kind, records) {
    const response = await fetch(\`\${base}/\${kind}\`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ [kind]: records }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
}

await send('exposures', [{ user_id: 'user-1', variation_index: 1 }]);
await send('conversions', [{ user_id: 'user-1', metric: '${metric}', value: 1, idempotency_key: 'order-1' }]);`;
}

export const languages = { curl: { title: 'curl', write: curl }, python: { title: 'Python', write: python }, javascript: { title: 'JavaScript', write: javascript } };

/* The text that sends an exposure and a conversion; a metric's name stands in it as JSON would write it. */
export function snippetOf(language, { api, id, metric }) {
    const base = `${api}/api/v1/experiments/${encodeURIComponent(id)}`;
    const name = JSON.stringify(metric).slice(1, -1).replace(/['`]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
    return languages[language].write(base, name);
}
