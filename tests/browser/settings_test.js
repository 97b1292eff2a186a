/* The settings of experiments: keys, webhooks with their deliveries, the chat platform, the audit log, backups, the service. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { accessibilityFaults, checkLook, close, experiments, guarded, looks, open, untilText } from './browser.js';

async function ask(url, token, method, path, body) {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const operator = (method, path, body) => ask(guarded.url, guarded.admin, method, path, body);

/* The page of a tab, both tokens given; those are the tab's own. */
async function settings(tab, { query = '', ...options } = {}) {
    const page = await open(`${guarded.url}/docs`, options);
    await page.evaluate(([token, admin]) => {
        sessionStorage.setItem('assay.token', token);
        sessionStorage.setItem('assay.admin', JSON.stringify(admin));
    }, [guarded.token, guarded.admin]);
    await page.goto(`${guarded.url}/settings?tab=${tab}${query}`);
    return page;
}

const rowOf = (page, name) => page.locator('tbody tr').filter({ hasText: name });

test('a key is issued once, works, is revoked, and is deleted after that', async () => {
    const page = await open(`${guarded.url}/settings`);
    await page.fill('#admin-token', 'wrong');
    await page.keyboard.press('Enter');
    await untilText(page, '#admin-token-title', /not the admin token/);
    await page.fill('#admin-token', guarded.admin);
    await page.keyboard.press('Enter');
    await page.fill('#key-name', 'browser');
    await page.selectOption('#key-scope', 'write');
    await page.fill('#key-rate_limit_requests', '0');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#key-rate_limit_requests[aria-invalid="true"]');
    await page.fill('#key-rate_limit_requests', '90');
    await page.keyboard.press('Enter');
    const secret = await page.textContent('#made code');
    assert.match(secret, /^abk_/);
    await ask(guarded.url, secret, 'GET', '/templates');
    await untilText(page, '#keys tbody tr td:nth-of-type(3)', '90');
    await rowOf(page, 'browser').getByRole('button', { name: 'Revoke: browser' }).click();
    await page.click('dialog button[data-kind="danger"]');
    await rowOf(page, 'browser').getByRole('button', { name: 'Delete: browser' }).click();
    await page.click('dialog button[data-kind="danger"]');
    await page.waitForSelector('#keys tbody', { state: 'detached' });
    assert.equal((await operator('GET', '/keys')).total, 0);
    const kept = await page.evaluate(() => JSON.stringify([localStorage, document.cookie, location.href]));
    assert.equal(kept.includes(guarded.admin), false);
    await close(page, [401, 422]);
});

test('a webhook is registered, tested, changed, and its deliveries say what became of them', async () => {
    const received = [];
    let status = 204;
    const receiver = createServer((request, response) => {
        let body = '';
        request.on('data', (part) => (body += part));
        request.on('end', () => {
            received.push(JSON.parse(body));
            response.writeHead(status).end();
        });
    });
    await new Promise((done) => receiver.listen(0, '127.0.0.1', () => done(null)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (receiver.address());
    try {
        const page = await settings('webhooks');
        await page.click('#new-webhook');
        await page.fill('#webhook-name', 'receiver');
        await page.fill('#webhook-target_url', 'ftp://nowhere');
        await page.fill('#webhook-secret', 'of the tests');
        await page.check('#webhook-events input[value="project.create"]');
        await page.check('#webhook-events input[value="experiment.ship"]');
        await page.press('#webhook-name', 'Enter');
        await page.waitForSelector('#webhook-target_url[aria-invalid="true"]');
        assert.deepEqual(await accessibilityFaults(page), []);
        await page.fill('#webhook-target_url', `http://127.0.0.1:${port}/`);
        await page.click('#try-webhook');
        await untilText(page, '#tried', 'Test event delivered (204)');
        assert.equal((await operator('GET', '/webhooks')).total, 0, 'tried before it is saved');
        received.length = 0;
        await page.press('#webhook-name', 'Enter');
        await page.click('[aria-label="Test: receiver"]');
        await untilText(page, '#deliveries tbody td:nth-of-type(1)', 'Delivered');
        assert.equal(received[0].event_type, 'webhook.test');
        status = 410;
        await page.click('[aria-label="Test: receiver"]');
        await untilText(page, '#deliveries tbody td:nth-of-type(1)', 'Failed');
        await page.selectOption('#deliveries #filter-status', 'delivered');
        await page.waitForFunction(() => document.querySelectorAll('#deliveries tbody tr').length === 1);
        await page.click('[aria-label="Edit: receiver"]');
        assert.equal(await page.inputValue('#webhook-secret'), '');
        assert.ok(await page.isChecked('#webhook-events input[value="experiment.ship"]'));
        for (const event of ['project.create', 'experiment.ship']) await page.uncheck(`#webhook-events input[value="${event}"]`);
        await page.fill('#webhook-name', 'everything');
        await page.keyboard.press('Enter');
        await page.click('[aria-label="Turn off: everything"]');
        await page.waitForSelector('[aria-label="Turn on: everything"]');
        const [hook] = (await operator('GET', '/webhooks')).subscriptions;
        assert.deepEqual([hook.name, hook.event_filter, hook.enabled], ['everything', [], false]);
        await page.click('[aria-label="Delete: everything"]');
        await page.click('dialog button[data-kind="danger"]');
        await page.waitForSelector('#webhooks tbody', { state: 'detached' });
        await close(page, [400]);
    } finally {
        receiver.close();
        receiver.closeAllConnections();
    }
});

test('the audit log is narrowed by the address, shows what changed, turns older pages, and is taken away', async () => {
    const { payload } = await ask(experiments, null, 'GET', '/templates/checkout_conversion');
    const { id } = await ask(experiments, null, 'POST', '/projects', payload);
    for (let mde = 1; mde <= 60; mde++) await ask(experiments, null, 'PUT', `/projects/${id}`, { ...payload, metrics: { ...payload.metrics, mde_pct: mde } });
    const page = await open(`${experiments}/settings?tab=audit&project_id=${id}`);
    await untilText(page, '#audit [role="status"]', '50 of 61');
    await page.locator('#audit tbody tr').first().getByRole('button').click();
    const changed = await page.$$eval('dialog tbody tr', (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
    assert.deepEqual(changed, [['metrics.mde_pct', '59.0', '60.0']].map((row) => row.map((text) => text.replace('.0', ''))));
    await page.keyboard.press('Escape');
    await page.click('#older');
    await untilText(page, '#audit [role="status"]', '61 of 61');
    assert.equal(await page.locator('#older').count(), 0);
    await page.selectOption('#filter-action', 'project.create');
    await untilText(page, '#audit [role="status"]', '1 of 1');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#audit-export')]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    assert.equal(lines.length, 2);
    assert.match(lines[1], new RegExp(`project\\.create,${id}`));
    await close(page);
});

test('a backup is taken, and only one that is sound is offered, with what it would add', async () => {
    const { payload } = await ask(experiments, null, 'GET', '/templates/trial_to_paid');
    await ask(experiments, null, 'POST', '/projects', payload);
    const page = await open(`${experiments}/settings?tab=backup`);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#take')]);
    const bundle = await readFile(await file.path());
    const { counts } = JSON.parse(bundle.toString()).integrity;
    await page.setInputFiles('#backup-file', { name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from(bundle.toString().replace('"generated_at":"2', '"generated_at":"1')) });
    await untilText(page, '.upload-item .field-error', /checksum/i);
    await page.setInputFiles('#backup-file', { name: 'sound.json', mimeType: 'application/json', buffer: bundle });
    await page.waitForSelector('#checked');
    const shown = await page.$$eval('#checked .figure-value', (all) => all.map((value) => Number(value.textContent.replace(/\D/g, ''))));
    assert.deepEqual(shown, [counts.projects, counts.project_revisions, counts.analysis_runs, counts.export_events, counts.catalog_metrics, counts.flags]);
    await close(page, [400]);
});

test('the service says whether it is ready, and what it is set to', async () => {
    const page = await settings('service');
    await untilText(page, '#service .badge', 'Ready');
    const checks = await page.$$eval('#checks tbody th', (all) => all.map((cell) => cell.textContent.trim()));
    const response = await fetch(`${guarded.url}/readyz`, { headers: { Authorization: `Bearer ${guarded.token}` } });
    assert.deepEqual(checks, (await response.json()).checks.map(({ name }) => name));
    assert.match(await page.textContent('[aria-labelledby="group-access"]'), /legacy/);
    await page.click('#purge-count');
    await untilText(page, '#purged', /Older than the retention period.*Audit log: 0/s);
    assert.equal(await page.locator('#purge').count(), 0, 'there is nothing to delete');
    await close(page);
    const bare = await open(`${experiments}/settings?tab=service`);
    await untilText(bare, '[aria-labelledby="group-retention"]', /nothing is deleted/);
    await close(bare);
});

/* The platform's side of an install: it sends the browser back, and gives a token for the code. */
function chatPlatform() {
    return createServer((request, response) => {
        const url = new URL(request.url, 'http://127.0.0.1');
        if (url.pathname === '/oauth/v2/authorize') {
            const back = new URL('/chatapp/oauth/callback', guarded.url);
            back.search = String(new URLSearchParams({ code: 'of the browser', state: url.searchParams.get('state') }));
            response.writeHead(302, { Location: back.href }).end();
        } else {
            response.writeHead(200, { 'Content-Type': 'application/json' });
            response.end(JSON.stringify({ ok: true, team: { id: 'T7', name: 'Team of the tests' }, access_token: 'xoxb-browser' }));
        }
    });
}

async function command(text) {
    const body = String(new URLSearchParams({ team_id: 'T7', text }));
    const moment = String(Math.floor(Date.now() / 1000));
    const signature = `v0=${createHmac('sha256', process.env.ASSAY_CHAT_SECRET).update(`v0:${moment}:${body}`).digest('hex')}`;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Chatapp-Request-Timestamp': moment, 'X-Chatapp-Signature': signature };
    return (await fetch(`${guarded.url}/chatapp/commands`, { method: 'POST', headers, body })).status;
}

test('the chat platform is not set up, then installed from here, then known by its last call', async () => {
    const bare = await open(`${experiments}/settings?tab=chat`);
    await untilText(bare, '#chat .badge', 'Not set up');
    assert.equal(await bare.locator('#chat-install').count(), 0);
    const told = await bare.$$eval('#chat-steps tbody td:nth-of-type(1)', (cells) => cells.map((cell) => cell.textContent.trim()));
    assert.deepEqual(told.slice(0, 4), ['commands', 'interactive', 'events', 'oauth/callback'].map((path) => `${experiments}/chatapp/${path}`));
    await close(bare);

    const platform = chatPlatform();
    await new Promise((done) => platform.listen(Number(process.env.ASSAY_CHAT_PORT), '127.0.0.1', () => done(null)));
    try {
        const page = await settings('chat');
        await untilText(page, '#chat .badge', 'Not installed');
        await page.click('#chat-install');
        await untilText(page, '#chat-outcome', 'The app is installed.');
        await untilText(page, '#chat .badge', 'Installed');
        assert.equal(new URL(page.url()).search, '?tab=chat', 'nothing in the address that a reload would tell again');
        assert.deepEqual(await accessibilityFaults(page), []);
        await page.goto(`${guarded.url}/chatapp/oauth/callback?error=access_denied&state=x`);
        await untilText(page, '#chat-outcome', /not confirmed/);
        await page.goto(`${guarded.url}/chatapp/oauth/callback?code=x&state=x`);
        await untilText(page, '#chat-outcome', /Begin it anew/);
        await page.reload();
        await untilText(page, '#chat .badge', 'Installed');
        assert.equal(await page.locator('#chat-outcome').count(), 0);
        const facts = () => page.$$eval('#chat dd', (all) => all.map((fact) => fact.textContent.trim()));
        assert.equal((await facts())[0], 'Team of the tests T7');
        assert.equal((await facts())[2], 'Never');
        assert.equal(await command('projects'), 200);
        await page.getByRole('button', { name: 'Refresh' }).click();
        await page.waitForFunction(() => document.querySelector('#chat time'));
        await close(page);
    } finally {
        platform.close();
        platform.closeAllConnections();
    }
});

test('axe finds nothing, and nothing sticks out', async (t) => {
    await operator('POST', '/keys', { name: 'of the views', scope: 'read' });
    await operator('POST', '/webhooks', { name: 'of the views', target_url: 'http://127.0.0.1:9/', secret: 's', format: 'generic', scope: 'global' });
    const ready = { keys: '#keys tbody tr', webhooks: '#webhooks tbody tr', chat: '#chat-steps tbody tr', audit: '#audit tbody tr', backup: '#export', service: '#checks tbody tr' };
    for (const look of looks)
        await t.test(look.name, async () => {
            const page = await settings('keys', { query: `&${look.query}`, ...look.options });
            for (const [tab, wanted] of Object.entries(ready)) {
                await page.click(`#settings-tab-${tab}`);
                await page.waitForSelector(wanted);
                await checkLook(page, `${tab}, ${look.name}`, look);
            }
            await close(page);
        });
});
