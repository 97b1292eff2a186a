/* The client against a server that answers well and badly. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import * as livedata from 'livedata-client';

const { LiveDataClient, RetryPolicy, CircuitBreaker, CircuitState } = livedata;
const QUICK = new RetryPolicy({ initialDelayMs: 1, jitterFactor: 0 });
const ONCE = new RetryPolicy({ maxAttempts: 1 });
const JSON_TYPE = { 'Content-Type': 'application/json' };
const ORDER = { entity_type: 'order', entity_id: 'A', data: { order_id: 'A', status: 'new', total_amount: '7.5' } };
const HEALTHY = {
    status: 'healthy',
    checked_at: '2026-01-01T00:00:00Z',
    components: [{ name: 'freshness', status: 'healthy', message: '', source: 'live', metrics: { last_event_age_seconds: 4.5 } }],
};

let steps = [];
let requests = [];
const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
        requests.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
        const step = steps[Math.min(requests.length, steps.length) - 1];
        if (step.stall) await new Promise((resolve) => setTimeout(resolve, step.stall));
        response.writeHead(step.status ?? 200, { ...JSON_TYPE, ...step.headers });
        response.write(step.raw ?? JSON.stringify(step.body ?? {}));
        if (step.cut) setTimeout(() => response.destroy(), 30);
        else if (!step.open) response.end();
    });
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const url = `http://127.0.0.1:${server.address().port}//`;
after(() => {
    server.closeAllConnections();
    server.close();
});
beforeEach(() => {
    steps = [];
    requests = [];
});
const client = (options = {}) => new LiveDataClient(url, 'k', { retryPolicy: QUICK, ...options });

test('sends what the service reads', async () => {
    steps = [{ body: ORDER }];
    await client({ apiVersion: '2026-04-11', headers: { 'X-Extra': '1' } }).getEntity('order', 'a/b ü', {
        asOf: new Date('2026-01-02T03:04:05.006Z'),
    });
    assert.equal(requests[0].url, '/v1/entity/order/a%2Fb%20%C3%BC?as_of=2026-01-02T03%3A04%3A05.006Z');
    const { 'x-api-key': key, 'x-live-version': version, 'x-extra': extra, accept } = requests[0].headers;
    assert.deepEqual([key, version, extra, accept], ['k', '2026-04-11', '1', 'application/json']);
});

test('numbers sent as text become numbers', async () => {
    steps = [{ body: ORDER }];
    assert.equal((await client().getOrder('A')).total_amount, 7.5);
});

for (const [status, name] of [[401, 'AuthError'], [403, 'PermissionDeniedError'], [404, 'EntityNotFoundError'], [400, 'LiveDataError'], [500, 'LiveDataError']])
    test(`${status} is a ${name}`, async () => {
        steps = [{ status, body: { detail: 'no' } }];
        await assert.rejects(client().getEntity('order', 'a%2F'), (error) => {
            assert.equal(error.name, name);
            assert.ok(error instanceof livedata[name] && error instanceof livedata.LiveDataError);
            assert.deepEqual([error.message, error.statusCode], ['no', status]);
            if (status === 404) assert.deepEqual([error.entityType, error.entityId], ['order', 'a%2F']);
            return true;
        });
    });

test('answers that are no JSON are said to be so', async () => {
    steps = [{ raw: '<html>', headers: { 'Content-Type': 'text/html' } }];
    await assert.rejects(client().catalog(), /Expected JSON response but received 'text\/html'/);
    steps = [{ raw: '{', status: 200 }];
    await assert.rejects(client().catalog(), livedata.LiveDataError);
    steps = [{ raw: '<html>', status: 502 }];
    await assert.rejects(client({ retryPolicy: ONCE }).catalog(), { statusCode: 502 });
});

test('failures that pass are tried again', async () => {
    steps = [{ status: 503 }, { raw: '{"a', cut: true }, { body: ORDER }];
    assert.equal((await client().getEntity('order', 'A')).entity_id, 'A');
    assert.equal(requests.length, 3);
});

test('a POST is repeated only under a key', async () => {
    steps = [{ status: 503 }, { body: { answer: [] } }];
    await assert.rejects(client().query('orders'));
    assert.equal(requests.length, 1);
    requests = [];
    await client().query('orders', { idempotencyKey: 'x' });
    assert.equal(requests.length, 2);
});

test('Retry-After is seconds or a date, and a long one is the caller’s affair', async () => {
    for (const [header, expected] of [['0', 0], [new Date(Date.now() + 3600e3).toUTCString(), 3600], ['soon', 0]]) {
        steps = [{ status: 429, body: { detail: 'slow' }, headers: { 'Retry-After': header } }];
        await assert.rejects(client({ retryPolicy: ONCE }).catalog(), (error) => {
            assert.ok(error instanceof livedata.RateLimitError && Math.abs(error.retryAfter - expected) < 5);
            return true;
        });
    }
    requests = [];
    steps = [{ status: 429, headers: { 'Retry-After': '60' } }];
    await assert.rejects(client().catalog(), livedata.RateLimitError);
    assert.equal(requests.length, 1);
});

test('delays', () => {
    const policy = new RetryPolicy({ jitterFactor: 0 });
    assert.deepEqual([0, 1, 2, 10].map((n) => policy.computeDelay(n)), [250, 500, 1000, 30000]);
    assert.deepEqual([-1, 0, 5, 99999].map((asked) => policy.computeDelay(0, asked)), [0, 0, 5, 30000]);
    assert.ok(policy.isRetryableMethod('post', { 'idempotency-KEY': 'x' }) && !policy.isRetryableMethod('POST'));
});

test('a stalled server times out; an abort is the caller’s own', async () => {
    steps = [{ body: HEALTHY, stall: 300 }];
    await assert.rejects(client({ timeoutMs: 30, retryPolicy: ONCE }).health(), /Request timed out after 30ms/);
    const breaker = new CircuitBreaker({ failureThreshold: 1 });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    await assert.rejects(client({ circuitBreaker: breaker }).health({ signal: abort.signal }), { name: 'AbortError' });
    assert.equal(breaker.state, CircuitState.CLOSED);
});

test('the breaker opens, refuses, probes and closes', async () => {
    const breaker = new CircuitBreaker({ failureThreshold: 2, resetTimeoutMs: 40 });
    const guarded = client({ circuitBreaker: breaker, retryPolicy: ONCE });
    steps = [{ status: 500 }, { status: 404 }, { status: 500 }, { status: 500 }, { body: HEALTHY }];
    for (let i = 0; i < 4; i++) await assert.rejects(guarded.health());
    assert.equal(breaker.state, CircuitState.OPEN);
    assert.throws(() => new CircuitBreaker({ failureThreshold: 1 }).recordFailure() ?? breaker.beforeCall(), /circuit is open/);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await guarded.health()).status, 'healthy');
    assert.equal(breaker.state, CircuitState.CLOSED);
    const half = new CircuitBreaker({ failureThreshold: 1, resetTimeoutMs: 0 });
    half.recordFailure();
    half.beforeCall();
    assert.throws(() => half.beforeCall(), /probe in flight/);
    half.release();
    half.beforeCall();
});

test('freshness is judged by the age of the last event, or cannot be told', async () => {
    steps = [{ body: HEALTHY }];
    assert.equal(await client().isFresh(), true);
    assert.equal(await client().isFresh(4), false);
    steps = [{ body: { ...HEALTHY, status: 'degraded' } }];
    await assert.rejects(client().isFresh(), { name: 'DataFreshnessError', message: /Pipeline is degraded/ });
    steps = [{ body: { ...HEALTHY, components: [] } }];
    await assert.rejects(client().isFresh(), /unavailable/);
});

test('old data are not fresh, whatever else is wrong', async () => {
    const [component] = HEALTHY.components;
    const old = { ...component, status: 'degraded', metrics: { last_event_age_seconds: 90 } };
    steps = [{ body: { ...HEALTHY, status: 'degraded', components: [old] } }];
    assert.equal(await client().isFresh(), false);
    assert.equal(await client().isFresh(600), true);
});

test('freshness is demanded by one option', async () => {
    const freshness = { as_of: '2026-01-01T00:00:00Z', position: 'p2', event_age_seconds: 1, valid_until: '2026-01-01T00:00:02Z' };
    steps = [{ body: { ...ORDER, freshness } }, { body: { accepted: 0, results: [], position: 'p9' } }, { body: { answer: [] } },
        { status: 412, body: { detail: 'too old', code: 'events_too_old', event_age_seconds: 70.5 } }];
    const order = await client().getEntity('order', 'A', { fresh: { atLeast: 'p1', maxStaleness: 2000, wait: '200ms' } });
    assert.match(requests[0].url, /\?at_least=p1&max_staleness=2000ms&wait=200ms$/);
    assert.equal(order.freshness.position, 'p2');
    const sent = await client().sendHeartbeat('till', { feeds: ['order'] });
    assert.equal(requests[1].body, '{"heartbeats":[{"source":"till","feeds":["order"]}]}');
    await client().query('orders', { fresh: sent.position });
    assert.equal(requests[2].body, '{"question":"orders","at_least":"p9"}');
    await assert.rejects(client().getMetric('revenue', '1h', { fresh: { maxEventAge: 60000 } }),
        { name: 'StaleDataError', code: 'events_too_old', eventAgeSeconds: 70.5, statusCode: 412 });
});

test('pages follow the cursor', async () => {
    steps = [{ body: { rows: [1, 2], has_more: true, next_cursor: 'c' } }, { body: { answer: [3], has_more: false } }];
    const pages = [];
    for await (const page of client().paginate('orders', { pageSize: 2 })) pages.push(page);
    assert.deepEqual(pages, [[1, 2], [3]]);
    assert.equal(requests[1].body, '{"question":"orders","limit":2,"cursor":"c"}');
});

test('entities are held to a pinned contract', async () => {
    const contract = { entity: 'order', version: '1', fields: [{ name: 'order_id', type: 'string', required: true }] };
    steps = [{ body: ORDER }, { body: contract }, { body: { ...ORDER, data: {} } }];
    const pinned = client({ contractVersion: 'order:v1' });
    assert.deepEqual((await pinned.getEntity('order', 'A')).data, { order_id: 'A' });
    await assert.rejects(pinned.getEntity('order', 'A'), /Missing required fields: order_id/);
    assert.equal(requests.length, 3);
    assert.throws(() => client({ contractVersion: 'order' }), /<entity>:<version>/);
});

test('frames are read however they are cut', async () => {
    steps = [{ raw: ': hi\r\n\r\nid: 7\r\ndata: {"a":\r\ndata: 1}\r\n\r\nevent: x\ndata:{"a":2}', headers: { 'Content-Type': 'text/event-stream' } }];
    const events = [];
    for await (const event of client().streamEvents({ eventType: 'order', reconnect: false })) events.push(event);
    assert.deepEqual(events, [{ a: 1 }, { a: 2 }]);
    assert.equal(requests[0].url, '/v1/stream/events?event_type=order');
});

test('a stream begins after a position, and goes on after its last event', async () => {
    steps = [{ raw: 'id: 4\ndata: {"n":1}\n\n', cut: true }, { raw: 'id: 5\ndata: {"n":2}\n\n', open: true }];
    const abort = new AbortController();
    for await (const event of client().streamEvents({ after: 'p-3', signal: abort.signal })) if (event.n === 2) abort.abort();
    assert.deepEqual(requests.map((request) => request.url), ['/v1/stream/events?after=p-3', '/v1/stream/events']);
});

test('a plan comes instead of a question', async () => {
    const plan = { entity: 'machine', select: 'count' };
    steps = [{ body: { rows: [{ count: 2 }], plan } }, { body: { question: null, sql: 'SELECT 1', plan } }];
    assert.deepEqual((await client().query(plan)).plan, plan);
    assert.deepEqual((await client().explainQuery(plan)).plan, plan);
    for (const request of requests) assert.deepEqual(JSON.parse(request.body), { plan });
});

test('a stream goes on where it broke off, and ends at once when it is called off', async () => {
    steps = [{ raw: 'id: 1\ndata: {"n":1}\n\n', cut: true }, { raw: 'id: 2\ndata: {"n":2}\n\n', open: true }];
    const abort = new AbortController();
    const seen = [];
    for await (const event of client().streamEvents({ signal: abort.signal })) {
        seen.push(event.n);
        if (event.n === 2) abort.abort();
    }
    assert.deepEqual(seen, [1, 2]);
    assert.equal(requests[1].headers['last-event-id'], '1');
});

test('what is no JSON in a stream is an error, and refusals are mapped', async () => {
    const read = async () => {
        for await (const _ of client().streamEvents({ reconnect: false }));
    };
    steps = [{ raw: 'data: {\n\n' }];
    await assert.rejects(read(), /Failed to read SSE stream/);
    steps = [{ status: 429, body: { detail: 'many' } }];
    await assert.rejects(read(), livedata.RateLimitError);
});

test('versions of the last answer are remembered', async () => {
    steps = [{ body: HEALTHY, headers: { 'X-Live-Version': 'a', 'X-Live-Deprecated': 'true' } }];
    const one = client();
    await one.health();
    assert.deepEqual([one.lastServerVersion, one.lastDeprecated, one.lastLatestVersion], ['a', 'true', null]);
});

test('items of a batch', () => {
    assert.match(client().batchEntity('order', 'A').id, /^entity-[0-9a-f]{8}$/);
    assert.deepEqual(client().batchQuery('q', { a: 1 }, 'x'), { id: 'x', type: 'query', params: { question: 'q', context: { a: 1 } } });
});

test('events are sent complete and safe to repeat', async () => {
    const result = { event_id: 'e', status: 'dead_lettered', reason: 'schema: source', detail: 'source: field required' };
    steps = [{ status: 503 }, { body: { accepted: 1, applied: 0, dead_lettered: 1, duplicates: 0, results: [result] } }];
    assert.deepEqual(await client().sendEvent({ event_type: 'click', timestamp: '2026-01-01T00:00:00Z' }), result);
    assert.equal(requests[0].body, requests[1].body);
    const [event] = JSON.parse(requests[0].body).events;
    assert.match(event.event_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(event.timestamp, '2026-01-01T00:00:00Z');
    const keys = requests.map((request) => request.headers['idempotency-key']);
    assert.ok(keys[0] && keys[0] === keys[1]);
});

test('resilience can be read and changed', () => {
    const breaker = new CircuitBreaker({ failureThreshold: 2, resetTimeoutMs: 7, halfOpenMaxCalls: 3 });
    const plain = new LiveDataClient(url, 'k');
    assert.deepEqual([breaker.failureThreshold, breaker.resetTimeoutMs, breaker.halfOpenMaxCalls], [2, 7, 3]);
    assert.equal(plain.retryPolicy.maxAttempts, 3);
    assert.equal(plain.circuitBreaker, undefined);
    assert.equal(plain.configureResilience({ retryPolicy: QUICK, circuitBreaker: breaker }), plain);
    assert.deepEqual([plain.retryPolicy, plain.circuitBreaker], [QUICK, breaker]);
    assert.ok(livedata.isRetryableMethod('get') && !livedata.isRetryableMethod('POST'));
    assert.ok(livedata.isRetryableMethod('POST', { 'idempotency-key': '1' }) && livedata.RETRYABLE_STATUS.has(429));
});

test('another brand is a package that exports the same', async () => {
    const name = `shopdata-${process.pid}`;
    const folder = join('node_modules', name);
    const installed = join('node_modules', 'livedata-client');
    symlinkSync('..', installed); // as it stands beside its alias where it is installed
    execFileSync(process.execPath, ['bin/brand-alias.mjs', name, 'Shop']);
    try {
        const shop = await import(name);
        assert.equal(shop.ShopClient, LiveDataClient);
        assert.equal(shop.ShopError, livedata.LiveDataError);
        assert.equal(shop.RetryPolicy, RetryPolicy);
        const own = Object.keys(livedata).filter((each) => each !== 'brandAlias');
        assert.deepEqual(Object.keys(shop).sort(), own.map((each) => each.replace('LiveData', 'Shop')).sort());
    } finally {
        rmSync(folder, { recursive: true });
        rmSync(installed);
    }
});

test('features are read in pages and kept in order', async () => {
    steps = [
        { raw: '{"entity_id":"A","at":null,"n":1,"reason":null}\n{"entity_id":"B","at":"x","n":2,"reason":null}\n' },
        { raw: '{"entity_id":"C","at":"y","n":null,"reason":"deleted"}\n', headers: { 'Content-Type': 'application/x-ndjson' } },
    ];
    async function* asked() {
        yield { entity_id: 'A' };
        yield { entity_id: 'B', at: new Date('2026-01-02T03:04:05.006Z') };
        yield { entity_id: 'C', at: '2026-01-01T00:00:00Z' };
    }
    const found = [];
    for await (const row of client().streamFeatures('user', asked(), { columns: ['n'], pageSize: 2 })) found.push(row);
    assert.deepEqual(found.map(({ entity_id: id, n, reason }) => [id, n, reason]), [['A', 1, null], ['B', 2, null], ['C', null, 'deleted']]);
    assert.deepEqual(requests.map(({ url: to, body }) => [to, JSON.parse(body)]), [
        ['/v1/features', { entity_type: 'user', columns: ['n'], rows: [{ entity_id: 'A' }, { entity_id: 'B', at: '2026-01-02T03:04:05.006Z' }] }],
        ['/v1/features', { entity_type: 'user', columns: ['n'], rows: [{ entity_id: 'C', at: '2026-01-01T00:00:00Z' }] }],
    ]);
});

test('features that are refused, cut short or no lines are errors', async () => {
    steps = [{ status: 422, body: { detail: 'no such column' } }, { raw: '{"entity_id":"A"}\n' }, { raw: '<html>' }];
    await assert.rejects(client().features('user', [{ entity_id: 'A' }]), /no such column/);
    await assert.rejects(client().features('user', [{ entity_id: 'A' }, { entity_id: 'B' }]), /1 lines for 2 rows/);
    await assert.rejects(client().features('user', [{ entity_id: 'A' }]), /Expected lines of JSON/);
    assert.deepEqual(await client().features('user', []), []);
});
