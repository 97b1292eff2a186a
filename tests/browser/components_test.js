/* The components, in the gallery of the portal: what they do by pointer, by keys and to data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLook, close, experiments, looks, open, portal, untilText } from './browser.js';

const gallery = `${portal}/gallery`;

async function shown(query = '', options = {}) {
    const page = await open(gallery + query, options);
    await page.waitForSelector('#list tbody tr');
    return page;
}

const focused = (page) => page.evaluate(() => document.activeElement.textContent.trim());

for (const look of looks)
    test(`axe finds nothing in the gallery: ${look.name}`, async () => {
        const page = await shown(`?${look.query}`, look.options);
        await checkLook(page, `the gallery, ${look.name}`);
        await close(page);
    });

test('all that a page loads has been named to the browser before', async () => {
    const page = await shown();
    const unnamed = await page.evaluate(() => {
        const named = new Set([...document.querySelectorAll('link, script')].map((one) => one.href || one.src));
        return performance
            .getEntriesByType('resource')
            .map(({ name }) => name)
            .filter((name) => name.endsWith('.js') && !name.includes('/uplot-') && !named.has(name)); /* fetched when shown */
    });
    assert.deepEqual(unnamed, []);
    await close(page);
});

test('a form reads each field by its kind and sends what the API wants', async () => {
    const page = await shown();
    await page.fill('#sample-baseline', '7 %');
    await page.fill('#sample-effect', '12%');
    await page.fill('#sample-users', '12,000');
    await page.click('#form button[type="submit"]');
    await untilText(page, '#sent', /"baseline"/);
    const sent = JSON.parse(await page.textContent('#sent'));
    assert.deepEqual([sent.baseline, sent.effect, sent.users], [0.07, 12, 12000]);
    await close(page);
});

test('a rate that can only be percent asks, and one press answers', async () => {
    const page = await shown();
    await page.fill('#sample-baseline', '4.2');
    const question = page.locator('[data-field="baseline"] .field-question');
    assert.match(await question.textContent(), /Did you mean\s*4\.2%/);
    await question.locator('button').click();
    assert.equal(await page.inputValue('#sample-baseline'), '4.2%');
    assert.equal(await question.count(), 0);
    await close(page);
});

test('a field says what it has understood', async () => {
    const page = await shown('?lang=de');
    await page.fill('#sample-deviation', '1.234');
    assert.equal(await page.textContent('#sample-deviation-echo'), '= 1,234');
    await page.fill('#sample-baseline', '0,05');
    assert.match(await page.textContent('#sample-baseline-echo'), /^= 5\s%$/);
    await close(page);
});

test('cells pasted from a spreadsheet go into one field each', async () => {
    const page = await shown();
    await page.focus('#sample-users');
    await page.evaluate(() => {
        const data = new DataTransfer();
        data.setData('text', '1000\t100\n');
        document.activeElement.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
    });
    assert.deepEqual(
        [await page.inputValue('#sample-users'), await page.inputValue('#sample-conversions')],
        ['1000', '100'],
    );
    await close(page);
});

test('a list keeps its filters, order and page in the address', async () => {
    const page = await shown();
    await page.click('#list .table-sort:has-text("Users")');
    await page.waitForURL(/sort=-users/);
    assert.equal(await page.getAttribute('#list th[aria-sort]', 'aria-sort'), 'descending');
    assert.match(await page.textContent('#list tbody tr'), /Reviews/);
    await page.click('#list [aria-label="Next page"]');
    await page.waitForURL(/page=2/);
    await untilText(page, '.pager-range', '6–10 of 12');
    await page.goBack();
    await untilText(page, '.pager-range', '1–5 of 12');
    await page.fill('#filter-name', 'se');
    await untilText(page, '.pager-range', '1–1 of 1');
    await page.reload();
    await untilText(page, '.pager-range', '1–1 of 1');
    assert.equal(await page.inputValue('#filter-name'), 'se');
    await close(page);
});

test('nothing stays in full ink when it is out of date', async () => {
    const page = await shown();
    const ink = (selector) => page.$eval(selector, (element) => getComputedStyle(element).color);
    assert.notEqual(
        await ink('#resources .resource[data-stale] li'),
        await ink('#resources .empty-title'),
    );
    await close(page);
});

test('a dialog asks for the word, gives the focus back, and the message offers to undo', async () => {
    const page = await shown();
    await page.click('#ask');
    const action = page.locator('.dialog-actions button').last();
    assert.equal(await action.isDisabled(), true);
    await page.fill('#confirm-type', 'Checkout');
    await action.click();
    await untilText(page, '.toast span', 'Deleted');
    assert.equal(await focused(page), 'Delete…');
    await page.click('.toast button:has-text("Undo")');
    await page.waitForSelector('.toast', { state: 'detached' });
    await page.click('#ask');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await close(page);
});

test('tabs and menus follow the arrow keys', async () => {
    const page = await shown();
    await page.focus('#sample-tabs-tab-first');
    await page.keyboard.press('ArrowRight');
    await untilText(page, '#sample-tabs-panel', 'The second panel.');
    await page.keyboard.press('End');
    await untilText(page, '#sample-tabs-panel', 'The third panel.');
    assert.equal(await focused(page), 'Third');

    const list = page.locator('.tab-list').first();
    await list.evaluate((element) => element.style.setProperty('max-width', '6rem'));
    for (const [click, hidden] of [['first', 'third'], ['third', 'first']]) {
        await page.evaluate((name) => document.getElementById(`sample-tabs-tab-${name}`).click(), click);
        await page.waitForFunction(
            ([chosen, away]) => {
                const outer = document.querySelector('.tab-list').getBoundingClientRect();
                const seen = (name) => {
                    const inner = document.getElementById(`sample-tabs-tab-${name}`).getBoundingClientRect();
                    return inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
                };
                return seen(chosen) && !seen(away);
            },
            [click, hidden],
        );
    }

    await page.focus('#buttons .menu summary');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(page), 'Rename');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(page), 'Delete');
    await page.keyboard.press('Escape');
    assert.equal(await focused(page), 'More');
    assert.equal(await page.locator('.menu[open]').count(), 0);
    await close(page);
});

test('Markdown becomes elements, never markup', async () => {
    const page = await shown();
    const prose = page.locator('#text .prose');
    assert.equal(await prose.locator('b').count(), 0);
    assert.match(await prose.textContent(), /<b onclick="alert\(1\)">Raw markup<\/b> stays text/);
    assert.deepEqual(await prose.locator('a').evaluateAll((links) => links.map((link) => link.href)), [
        'https://example.org/sale',
    ]);
    assert.match(await prose.textContent(), /Fish & chips/);
    assert.equal(await prose.locator('th').count(), 2);
    assert.equal(await prose.locator('pre').textContent(), '{"status": "open", "days": 30}');
    await close(page);
});

test('the log can be held while lines come', async () => {
    const page = await shown();
    assert.equal(await page.locator('#log .log-line').count(), 3);
    await page.click('#log button[aria-pressed="false"]');
    assert.equal(await page.textContent('#log button[aria-pressed="true"]').then((text) => text.trim()), 'Resume (0 new lines)');
    await close(page);
});

test('an upload that fails says so and can be tried again; what is too large is not sent', async () => {
    const page = await shown();
    await page.setInputFiles('#sample-files', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('text') });
    await page.waitForSelector('.upload-item[data-state="failed"]');
    assert.equal(await page.locator('.upload-item button:has-text("Try again")').count(), 1);
    await page.setInputFiles('#sample-files', { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1000001) });
    await untilText(page, '.upload-item:last-child .field-error', 'Larger than 1 MB');
    await close(page, [404, 405]);
});

test('every chart has a table that says the same', async () => {
    const page = await shown();
    for (const [id, rows, first] of [
        ['line', 24, '2026-01-05T00:00'],
        ['area', 20, '0'],
        ['bars', 4, 'Knowledge base'],
        ['heat', 4, 'May'],
        ['forest', 3, 'Conversion'],
        ['waterfall', 5, 'answer'],
    ]) {
        assert.equal(await page.locator(`#${id} .chart-plot svg`).count(), 1, id);
        assert.equal(await page.locator(`#${id} tbody tr`).count(), rows, id);
        assert.equal((await page.locator(`#${id} tbody th`).first().textContent()).trim(), first);
    }
    await page.click('#waterfall .link-button:has-text("generate")');
    await untilText(page, '#selected', 'generate');
    await close(page);
});

/* Texts of four services' errors, as their contracts write them. */
const envelopes = [
    { body: { detail: 'Rate limit exceeded', error_code: 'rate_limited', status_code: 429, request_id: 'r-1' }, status: 429, gives: ['limited', 'Rate limit exceeded', 'rate_limited', 'r-1'] },
    { body: { detail: 'Not enough permissions', error_code: 'forbidden' }, status: 403, gives: ['forbidden', 'Not enough permissions', 'forbidden', null] },
    { body: { type: 'about:blank', title: 'Too Many Requests', status: 429, detail: 'Rate limit exceeded: 60 requests/minute allowed.' }, status: 429, gives: ['limited', 'Rate limit exceeded: 60 requests/minute allowed.', null, null] },
    { body: { detail: 'order/42 not found', code: 'entity_not_found' }, status: 404, gives: ['missing', 'order/42 not found', 'entity_not_found', null] },
    { body: { detail: [{ loc: ['body', 'limit'], msg: 'x', type: 'int_type' }] }, status: 422, gives: ['validation', '', null, null] },
    { body: undefined, status: 502, gives: ['server', '', null, null] },
    { body: { error: { message: 'No such model.', type: 'invalid_request_error', param: null, code: 'model_not_found', request_id: 'r' } }, status: 404, gives: ['missing', 'No such model.', 'model_not_found', 'r'] },
];

test('the client understands five envelopes', async () => {
    const page = await shown();
    const read = await page.evaluate(async (rows) => {
        const { errorOfResponse } = await import(`${globalThis.assayBase}shared/ui/errors.js`);
        return rows.map(({ body, status }) => {
            const error = errorOfResponse({ status, headers: new Headers() }, body);
            return [error.kind, error.message, error.code, error.requestId];
        });
    }, envelopes);
    assert.deepEqual(read, envelopes.map(({ gives }) => gives));
    await close(page);
});

test('streams are taken apart wherever they are cut', async () => {
    const page = await shown();
    const read = await page.evaluate(async () => {
        const { createEventParser, createLineParser } = await import(`${globalThis.assayBase}shared/ui/stream-parsers.js`);
        const text = ': hello\r\nid: 7\r\nevent: token\r\ndata: {"text": "a\u00e9"}\r\n\r\nretry: 500\ndata: one\ndata: two\n\ndata: cut off';
        const whole = [];
        for (let size = 1; size < text.length; size += 3) {
            const parser = createEventParser();
            const events = [];
            for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
            events.push(...parser.end());
            whole.push(JSON.stringify(events));
        }
        const lines = createLineParser();
        return { events: [...new Set(whole)].map(JSON.parse), lines: [...lines.push('{"a":1}\n\n[2'), ...lines.push(']'), ...lines.end()] };
    });
    assert.deepEqual(read.lines, [{ a: 1 }, [2]]);
    assert.deepEqual(read.events, [
        [
            { event: 'token', data: { text: 'aé' }, id: '7' },
            { event: 'message', retry: 500, data: 'one\ntwo', id: '7' },
        ],
    ]);
    await close(page);
});

test('a stream that breaks off goes on after the last event', async () => {
    const page = await shown();
    const asked = [];
    await page.route('**/v1/stream', (route) => {
        asked.push(route.request().headers()['last-event-id'] ?? null);
        const id = asked.length;
        return route.fulfill({ contentType: 'text/event-stream', body: `retry: 1\nid: ${id}\ndata: ${id}\n\n` });
    });
    const received = await page.evaluate(async () => {
        const { openStream } = await import(`${globalThis.assayBase}shared/ui/stream.js`);
        const { createClient } = await import(`${globalThis.assayBase}shared/ui/client.js`);
        return new Promise((resolve) => {
            const events = [];
            const stream = openStream({
                client: createClient(),
                path: '/v1/stream',
                onEvent: ({ data }) => {
                    events.push(data);
                    if (events.length === 3) {
                        stream.close();
                        resolve(events);
                    }
                },
            });
        });
    });
    assert.deepEqual(received, [1, 2, 3]);
    assert.deepEqual(asked.slice(0, 3), [null, '1', '2']);
    await close(page);
});

test('one renewal of the token serves all requests that meet the same 401', async () => {
    const page = await shown();
    await page.route('**/v1/thing*', (route) =>
        route.request().headers().authorization === 'Bearer fresh'
            ? route.fulfill({ json: { ok: true } })
            : route.fulfill({ status: 401, json: { detail: 'expired' } }),
    );
    const [renewals, answers] = await page.evaluate(async () => {
        const { createClient } = await import(`${globalThis.assayBase}shared/ui/client.js`);
        const { setAccessToken } = await import(`${globalThis.assayBase}shared/ui/session.js`);
        let count = 0;
        const client = createClient({
            renew: async () => {
                count++;
                setAccessToken('fresh');
                return true;
            },
        });
        const all = await Promise.all([1, 2, 3].map((n) => client.get('/v1/thing', { query: { n } })));
        setAccessToken(null);
        return [count, all.map(({ data }) => data.ok)];
    });
    assert.equal(renewals, 1);
    assert.deepEqual(answers, [true, true, true]);
    await close(page, [401]);
});

test('a wizard keeps its step in the address and its draft in the tab', async () => {
    const page = await shown();
    const next = page.locator('#wizard .button[data-kind="primary"]');
    assert.equal(await next.isDisabled(), true);
    await page.fill('#steps-name', 'Checkout');
    await next.click();
    await page.waitForURL(/step=size/);
    assert.equal(await focused(page), 'Size it');
    await page.fill('#steps-size', '1200');
    await page.goBack();
    assert.equal(await page.inputValue('#steps-name'), 'Checkout');
    await page.goForward();
    await page.reload();
    await page.waitForSelector('#steps-size');
    assert.equal(await page.inputValue('#steps-size'), '1200');
    await next.click();
    await next.click();
    await untilText(page, '#made', '{"name":"Checkout","size":1200}');
    assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), []);
    await close(page);
});

test('a combobox proposes, and is worked by keys alone', async () => {
    const page = await shown();
    await page.focus('#sample-run');
    await page.keyboard.type('se');
    await page.waitForSelector('#sample-run-list [role="option"]');
    assert.equal(await page.getAttribute('#sample-run', 'aria-activedescendant'), 'sample-run-option-0');
    await page.keyboard.press('Enter');
    await untilText(page, '#chosen', 'Search test');
    await page.fill('#sample-run', 'zzz');
    await untilText(page, '.combobox-none', 'Nothing fits');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.combobox-none').count(), 0);
    await close(page);
});

test('a live chart is fetched when it is shown and says its newest values in a table', async () => {
    const page = await shown();
    await page.waitForSelector('#live canvas');
    assert.equal(await page.locator('#live tbody tr').count(), 10);
    assert.equal((await page.locator('#live tbody th').first().textContent()).trim(), '00:59');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction(() => document.querySelectorAll('#live canvas').length === 1);
    await close(page);
});

/* What moves while a page loads, as browsers measure it: 0.1 is a page that annoys. */
for (const url of [`${experiments}/`, `${experiments}/results`, `${portal}/sign-in`])
    test(`${new URL(url).pathname} stands still while it loads, at 360 px, with one typeface file`, async () => {
        const page = await open('about:blank', { viewport: { width: 360, height: 780 } });
        await page.addInitScript(() => {
            globalThis.shifted = 0;
            new PerformanceObserver((list) => {
                for (const entry of list.getEntries())
                    if (!entry.hadRecentInput) globalThis.shifted += entry.value;
            }).observe({ type: 'layout-shift', buffered: true });
        });
        await page.goto(url);
        await page.waitForSelector('#result-body[aria-busy="false"], #sign-in');
        await page.evaluate(() => document.fonts.ready);
        const [shifted, fonts] = await page.evaluate(() => [
            globalThis.shifted,
            performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.woff2')).length,
        ]);
        assert.ok(shifted < 0.05, `shifted by ${shifted}`);
        assert.equal(fonts, 1);
        await close(page);
    });

test('the navigation stands beside a wide page, and is a drawer on a narrow one', async () => {
    const page = await open(`${experiments}/results`, { viewport: { width: 360, height: 640 } });
    const nav = page.locator('#site-nav');
    assert.equal(await nav.isVisible(), false);
    await page.click('.site-menu');
    assert.equal(await nav.locator('[aria-current="page"]').textContent(), 'Analyze');
    assert.deepEqual(await nav.locator('.site-nav-areas a').allTextContents(), ['Experiments', 'Support', 'Models', 'Data']);
    await page.keyboard.press('Escape');
    assert.equal(await nav.isVisible(), false);
    assert.equal(await page.evaluate(() => document.activeElement.matches('.site-menu')), true);
    await page.setViewportSize({ width: 1280, height: 900 });
    assert.equal(await nav.isVisible(), true);
    assert.equal(await page.isVisible('.site-menu'), false);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await nav.isVisible(), false);
    await close(page);
});
