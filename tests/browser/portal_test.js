/* The landing page: the services that there are, their state, and the way to them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { close, experiments, open, portal, untilText } from './browser.js';

/* The answer of nginx as change() leaves it. */
async function changed(route, change) {
    const all = await (await route.fetch()).json();
    change(all);
    await route.fulfill({ json: all });
}

test('lists the experiments service as running and leads to it', async () => {
    const page = await open(`${portal}/`);
    await untilText(page, '#checked', 'All services answer');
    const card = page.locator('[data-service="experiments"].service');
    assert.equal(await card.locator('.badge').textContent(), 'Running');
    const health = await (await fetch(`${experiments}/health`)).json();
    const facts = await card.locator('dd').allTextContents();
    assert.ok(facts.includes(health.version) && facts.includes(health.git_sha), facts.join());
    await card.locator('a.button').first().click();
    await page.waitForSelector('.site-nav [aria-current="page"]');
    assert.equal(page.url(), new URL('/projects', experiments).href);
    await close(page);
});

test('shows a service that does not answer', async () => {
    const page = await open('about:blank');
    await page.route('**/health.json', (route) => changed(route, ({ experiments: one }) => (one.health = { detail: 'no answer', status_code: 502 })));
    await page.goto(`${portal}/`);
    await untilText(page, '#checked', 'Not answering: Experiments');
    assert.equal(await page.textContent('[data-service="experiments"].service .badge'), 'Not answering');
    await close(page);
});

test('a service whose analysis pool is dead is not called healthy', async () => {
    const page = await open('about:blank');
    await page.route('**/health.json', (route) => changed(route, ({ experiments: one }) => (one.pools.analysis.state = 'down')));
    await page.goto(`${portal}/`);
    await untilText(page, '#checked', 'Some parts do not answer: Experiments');
    const card = page.locator('[data-service="experiments"].service');
    assert.equal(await card.locator('.badge').textContent(), 'Partly answering');
    assert.match(await card.textContent(), /Not answering: analysis/);
    await close(page);
});

test('does without the list of services', async () => {
    const page = await open('about:blank');
    await page.route('**/services.json', (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(`${portal}/`);
    await untilText(page, '#checked', 'All services answer');
    assert.equal(await page.locator('.service a').count(), 0);
    assert.match(await page.textContent('.service'), /has not been told its address/);
    await close(page, [404]);
});

test('lists a service that it has no words for under its own name, and ignores what is no service', async () => {
    const list = [
        { name: 'experiments', url: `${experiments}/` },
        { name: 'newcomer', url: 'http://127.0.0.1:9/' },
        { name: 'evil', url: 'javascript:alert(1)' },
        { name: '../x', url: 'http://127.0.0.1:9/' },
        null,
    ];
    const page = await open('about:blank');
    await page.route('**/services.json', (route) => route.fulfill({ json: list }));
    await page.route('**/health.json', (route) => changed(route, (all) => (all.newcomer = { health: { status: 'ok' }, pools: {} })));
    await page.goto(`${portal}/`);
    await untilText(page, '#checked', 'All services answer');
    assert.deepEqual(await page.locator('.service h3').allTextContents(), [
        'Experiments',
        'newcomer',
    ]);
    await close(page);
});
