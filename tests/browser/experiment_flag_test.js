/* The tab Flag says what the API says: the values of the flag, and which check decides about a user. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPages, close, experiments, open, untilText } from './browser.js';
import { designOf } from './designs.js';

const design = designOf('Checkout by country');
const rule = { attribute: 'country', operator: 'in', value: ['DE', 'ประเทศไทย'] };

async function send(method, path, body) {
    const response = await fetch(`${experiments}/api/v1${path}`, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const { id } = await send('POST', '/projects', { ...design, setup: { ...design.setup, targeting_rules: [rule] } });
const address = `${experiments}/live/${id}?part=flag`;

async function ask(page, user, attributes) {
    await page.fill('#flag-user', user);
    await page.fill('#flag-attributes', attributes);
    await page.click('#flag-preview button[type="submit"]');
}

test('a user is explained by the checks of the assignment', async () => {
    const page = await open(address);
    await untilText(page, '#flag', /has no values yet/);
    await send('PUT', `/experiments/${id}/flag`, {
        enabled: true,
        value_type: 'object',
        variants: [
            { name: 'control', value: { steps: 4 } },
            { name: 'ทดลอง', value: { steps: 2 } },
        ],
    });
    await page.reload();
    await untilText(page, '#flag tbody', /"steps":2/);
    await ask(page, 'u1', '{"country": "FR"}');
    await untilText(page, '#flag-result tbody tr:last-child', /The targeting rules hold\s*Decides\s*country in \["DE","ประเทศไทย"\] · told: "FR"/);
    await ask(page, 'u1', '{"country": "ประเทศไทย"}');
    await untilText(page, '#flag-result tbody tr:last-child', /The hash of the user/);
    const said = await send('POST', `/experiments/${id}/flag/preview`, { context: { targetingKey: 'u1', country: 'ประเทศไทย' } });
    await untilText(page, '#flag-result p', new RegExp(said.variant));
    assert.equal(await page.locator('#flag-result tbody tr').count(), said.steps.length);
    await ask(page, 'u1', 'DE');
    await untilText(page, '#flag-preview', /not an object in JSON/);
    await close(page);
});

test('axe finds nothing in the tab, and nothing sticks out', async (t) => {
    await checkPages(t, (path, options) => open(experiments + path, options), [[`/live/${id}?part=flag`, '#flag tbody']]);
});
