/* The TypeScript client against the real service, from node and from a page in Chromium, where it also meets
 * answers that fail. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { close, open } from './browser.js';

const livedata = process.env.ASSAY_LIVEDATA_URL.replace(/\/$/, '');
const key = process.env.ASSAY_LIVEDATA_KEY;
const sources = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'clients', 'typescript');
const compiler = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
let built;

before(() => {
    built = mkdtempSync(join(tmpdir(), 'assay-client-'));
    writeFileSync(join(built, 'package.json'), '{"type":"module"}');
    const done = spawnSync(process.execPath, [compiler, '-p', sources, '--outDir', built, '--declaration', 'false'], {
        encoding: 'utf8',
    });
    assert.equal(done.status, 0, done.stdout);
});

after(() => rmSync(built, { recursive: true }));

const event = () => ({
    event_id: randomUUID(),
    event_type: 'order.created',
    timestamp: new Date().toISOString(),
    source: 'shop',
    order_id: `ORD-20260404-${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`,
    user_id: 'USR-10001',
    status: 'pending',
    items: [{ product_id: 'PROD-001', quantity: 3, unit_price: '10.50' }],
    total_amount: '31.50',
});

/* What a caller does first, the same in both places: waits on the stream for an order that somebody sends, and
 * asks for it. */
async function follow([module, url, key, order]) {
    const { LiveDataClient } = await import(module);
    const client = new LiveDataClient(url, key);
    const abort = new AbortController();
    const send = setTimeout(
        () =>
            fetch(`${url}/v1/events`, {
                method: 'POST',
                headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
                body: JSON.stringify(order),
            }),
        500,
    );
    let streamed;
    for await (const frame of client.streamEvents({ signal: abort.signal }))
        if (JSON.stringify(frame).includes(order.order_id)) {
            streamed = frame;
            abort.abort();
        }
    clearTimeout(send);
    const { order_id: id, total_amount: amount } = await client.getOrder(order.order_id);
    const missing = await client.getOrder('ORD-20000101-000000').catch(({ name, statusCode }) => [name, statusCode]);
    const { status } = await client.health();
    return { streamed: streamed !== undefined, id, amount, missing, healthKnown: typeof status === 'string' };
}

const wanted = (order) => ({
    streamed: true,
    id: order.order_id,
    amount: 31.5,
    missing: ['EntityNotFoundError', 404],
    healthKnown: true,
});

async function pageWithClient() {
    const page = await open('about:blank');
    await page.route('**/client/*.js', (route) =>
        route.fulfill({
            contentType: 'text/javascript',
            body: readFileSync(join(built, new URL(route.request().url()).pathname.split('/').pop()), 'utf8'),
        }),
    );
    await page.goto(livedata);
    return page;
}

test('from node: streams, reads, says what is not there', async () => {
    const order = event();
    assert.deepEqual(await follow([pathToFileURL(join(built, 'index.js')).href, livedata, key, order]), wanted(order));
});

test('from a page: streams, reads, says what is not there', async () => {
    const page = await pageWithClient();
    const order = event();
    assert.deepEqual(await page.evaluate(follow, ['/client/index.js', livedata, key, order]), wanted(order));
    await close(page, [401, 404]);
});

test('from a page: what passes is tried again, what does not is told', async () => {
    const page = await pageWithClient();
    const answers = [];
    await page.route('**/v1/catalog', (route) => answers.shift()(route));
    const ask = async (...steps) => {
        answers.push(...steps);
        return page.evaluate(
            async ([url, secret]) => {
                const { LiveDataClient, RetryPolicy } = await import('/client/index.js');
                const retryPolicy = new RetryPolicy({ initialDelayMs: 1, jitterFactor: 0 });
                const client = new LiveDataClient(url, secret, { retryPolicy, timeoutMs: 1000 });
                return client.catalog().then(
                    (catalog) => Object.keys(catalog).length > 0,
                    ({ name, message, statusCode }) => [name, message, statusCode ?? null],
                );
            },
            [livedata, key],
        );
    };
    const through = (route) => route.continue();
    const refuse = (status, headers = {}, body = '{"detail":"no"}') => (route) =>
        route.fulfill({ status, headers: { 'Content-Type': 'application/json', ...headers }, body });
    const stall = () => {}; /* until the client gives up */
    assert.equal(await ask(refuse(503), (route) => route.abort('connectionreset'), through), true);
    assert.equal(await ask(refuse(429, { 'Retry-After': '0' }), through), true);
    assert.equal(await ask(refuse(429, { 'Retry-After': new Date().toUTCString() }), through), true);
    assert.equal(await ask(stall, through), true);
    assert.deepEqual((await ask(refuse(403)))[0], 'PermissionDeniedError');
    assert.match((await ask(refuse(200, {}, '{"cut')))[0], /LiveDataError/);
    assert.match((await ask(refuse(200, { 'Content-Type': 'text/html' }, '<p>')))[1], /Expected JSON/);
    assert.equal(answers.length, 0);
    await page.context().close();
});
