/* The state of the installation: the services that there are, and whether all of each one answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { close, experiments, openAs, portal, untilText } from './browser.js';

/* The answer of nginx as change() leaves it. */
async function changed(route, change) {
    const all = await (await route.fetch()).json();
    change(all);
    await route.fulfill({ json: all });
}

/* The page as it is once routes({page}) has said what is answered differently. */
async function system(routes) {
    const page = await openAs(null, '/profile');
    await page.waitForSelector('#sessions tbody tr');
    await routes(page);
    await page.goto(`${portal}/admin/system`);
    return page;
}

test('lists the experiments service as running, with its version and its parts', async () => {
    const page = await openAs(null, '/admin/system');
    await untilText(page, '#checked', 'All services answer');
    const card = page.locator('[data-service="experiments"].card');
    assert.equal(await card.locator('.section-head .badge').textContent(), 'Running');
    const health = await (await fetch(`${experiments}/health`)).json();
    const facts = await card.locator('dd').allTextContents();
    assert.ok(facts.includes(health.version) && facts.includes(health.git_sha), facts.join());
    assert.match(await card.locator('tbody').textContent(), /Database.*Working/s);
    await close(page);
});

test('keys of the models have a page of their own, to which that of all keys leads', async () => {
    const page = await openAs(null, '/admin/keys?tab=models');
    await page.click('#area-panel a.button');
    await page.waitForURL(`${portal}/models/models.html?tab=keys`);
    await page.waitForSelector('#keys-title');
    await close(page);
});

test('shows a service that does not answer', async () => {
    const page = await system((shown) =>
        shown.route('**/health.json', (route) => changed(route, ({ experiments: one }) => (one.health = { detail: 'no answer', status_code: 502 }))),
    );
    await untilText(page, '#checked', 'Not answering: Experiments');
    assert.equal(await page.textContent('[data-service="experiments"].card .section-head .badge'), 'Not answering');
    await close(page);
});

test('a service whose analysis pool is dead is not called healthy', async () => {
    const page = await system((shown) =>
        shown.route('**/health.json', (route) => changed(route, ({ experiments: one }) => (one.pools.analysis.state = 'down'))),
    );
    await untilText(page, '#checked', 'Some parts do not work: Experiments');
    const card = page.locator('[data-service="experiments"].card');
    assert.equal(await card.locator('.section-head .badge').textContent(), 'Partly running');
    assert.match(await card.textContent(), /do not answer: analysis/);
    await close(page);
});

test('does without the list of services', async () => {
    const page = await system((shown) => shown.route('**/services.json', (route) => route.fulfill({ status: 404, body: '' })));
    await untilText(page, '#checked', 'All services answer');
    assert.equal(await page.locator('.card[data-service]').count(), 1);
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
    const page = await system(async (shown) => {
        await shown.route('**/services.json', (route) => route.fulfill({ json: list }));
        await shown.route('**/health.json', (route) => changed(route, (all) => (all.newcomer = { health: { status: 'ok' }, pools: {} })));
    });
    await untilText(page, '#checked', 'All services answer');
    assert.deepEqual(await page.locator('.card[data-service] h2').allTextContents(), ['Experiments', 'newcomer']);
    await close(page);
});
