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
    await page.fill('#preview-user', user);
    await page.fill('#preview-attributes', attributes);
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

const read = async (path) => (await fetch(`${experiments}/api/v1${path}`)).json();
const create = async (setup = {}) => (await send('POST', '/projects', { ...design, setup: { ...design.setup, ...setup } })).id;
const tabOf = (id) => open(`${experiments}/live/${id}?part=flag`);
const save = (page, card) => page.click(`${card} form button[type="submit"]`);
const values = { enabled: true, value_type: 'boolean', variants: [{ name: 'control', value: false }, { name: 'new', value: true }] };

test('a flag is saved as it was entered, and what cannot be read is named', async () => {
    const id = await create();
    const page = await tabOf(id);
    await page.click('#flag [data-edit]');
    await page.check('#values-enabled');
    await page.fill('#values-key', `sizes-${id}`);
    await page.selectOption('#values-value_type', 'string');
    await page.fill('#values-variants_name-1', '较大');
    await page.fill('#values-variants_value-0', '5');
    await page.fill('#values-variants_value-1', 'ใหญ่ "L"');
    await page.selectOption('#values-default_variation', '1');
    await page.fill('#values-forced', 'anna maria b\nu2');
    await page.fill('#values-ramp', '2026-12-01 08:00 10%\n2026-12-03 100%');
    await save(page, '#flag');
    await untilText(page, '[data-field="forced"] .field-error', /u2/);
    await page.fill('#values-forced', 'anna maria b\nu2 A');
    await save(page, '#flag');
    await untilText(page, '#flag tbody', /较大\s*"ใหญ่ \\"L\\""/);
    const flag = await read(`/experiments/${id}/flag`);
    assert.deepEqual(flag.variants, [{ name: 'control', value: '5' }, { name: '较大', value: 'ใหญ่ "L"' }]);
    assert.deepEqual([flag.key, flag.enabled, flag.value_type, flag.default_variation, flag.fixed_variation, flag.holdout], [`sizes-${id}`, true, 'string', 1, null, null]);
    assert.deepEqual(flag.forced, [{ user_id: 'anna maria', variation_index: 1 }, { user_id: 'u2', variation_index: 0 }]);
    assert.deepEqual(flag.ramp.map(({ starts_at: at, share }) => [Date.parse(at), share]), [[Date.parse('2026-12-01T08:00Z'), 0.1], [Date.parse('2026-12-03T00:00Z'), 1]]);
    await untilText(page, '#flag-code code', new RegExp(`getStringValue\\('sizes-${id}', "ใหญ่ \\\\"L\\\\"", \\{ targetingKey`));
    await page.click('#flag-language-tab-python');
    await untilText(page, '#flag-code code', new RegExp(`get_string_value\\("sizes-${id}", `));
    await page.click('#flag [data-edit]');
    await page.selectOption('#values-value_type', 'number');
    await save(page, '#flag');
    await page.waitForSelector('#flag [role="alert"]'); /* a text is no number */
    assert.equal((await read(`/experiments/${id}/flag`)).value_type, 'string');
    await close(page, [422]);
});

test('a ramp that is held goes on, and what the form does not ask for stays', async () => {
    const id = await create();
    await send('PUT', `/experiments/${id}/flag`, { ...values, dimensions: ['country'], ramp: [{ starts_at: '2026-01-01T00:00:00Z', share: 0.1 }, { starts_at: '2026-01-02T00:00:00Z', share: 1 }], ramp_held_at: 0, holdout: { name: 'Q4', share: 0.05 } });
    const before = await read(`/experiments/${id}/flag`);
    const page = await tabOf(id);
    await untilText(page, '#flag-settings', /10%\s*held here/);
    await page.click('#flag [data-edit]');
    await page.check('#values-ramp_goes_on');
    await save(page, '#flag');
    await page.waitForSelector('#flag form', { state: 'detached' });
    const after = await read(`/experiments/${id}/flag`);
    assert.deepEqual(after, { ...before, ramp_held_at: null, updated_at: after.updated_at });
    await close(page);
});

test('who was overtaken sees what is saved, and chooses', async () => {
    const id = await create();
    const page = await tabOf(id);
    await page.click('#flag [data-edit]');
    await page.fill('#values-forced', 'mine A');
    await send('PUT', `/experiments/${id}/flag`, { ...values, forced: [{ user_id: 'theirs', variation_index: 1 }] });
    await save(page, '#flag');
    await untilText(page, '#flag [role="alert"]', /Somebody else has saved/);
    await untilText(page, '#flag tbody', /new\s*true/); /* theirs is shown */
    assert.equal(await page.inputValue('#values-forced'), 'mine A');
    assert.equal((await read(`/experiments/${id}/flag`)).forced[0].user_id, 'theirs');
    await page.click('#flag [data-take]');
    await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#values-forced')).value === 'theirs B');
    await send('PUT', `/experiments/${id}/flag`, { ...values, forced: [{ user_id: 'again', variation_index: 1 }] });
    await page.fill('#values-forced', 'mine A');
    await save(page, '#flag');
    await untilText(page, '#flag form button[type="submit"]', 'Save mine in its place');
    await save(page, '#flag');
    await page.waitForSelector('#flag form', { state: 'detached' });
    assert.deepEqual((await read(`/experiments/${id}/flag`)).forced, [{ user_id: 'mine', variation_index: 0 }]);
    await close(page, [409]);
});

/* Fills in the rule at `index` of a card's rows. */
async function enter(page, index, attribute, operator, typed) {
    const row = page.locator('#targeting .rule-row').nth(index);
    await row.locator('[data-rule-part="attribute"]').fill(attribute);
    await row.locator('select').selectOption(operator);
    await row.locator('[data-rule-part="typed"]').fill(typed);
}

test('rules are saved as they were entered, also after somebody changed the design', async () => {
    const kept = [rule, { attribute: 'sizes', operator: 'in', value: ['5', 6, 'a, b'] }, { attribute: 'beta', operator: 'exists', value: false }];
    const id = await create({ targeting_rules: kept });
    const page = await tabOf(id);
    await page.click('#targeting [data-edit]');
    await page.click('#targeting form > .button-row > [data-add="rule"]');
    await enter(page, 3, 'app', 'version_gte', '2.10');
    await page.click('#targeting [data-add="group"]');
    await enter(page, 4, 'city', 'in', '北京，القاهرة, 7');
    await page.click('#targeting .rule-group [data-add="rule"]');
    await enter(page, 5, 'age', 'gte', 'many');
    const other = await read(`/projects/${id}`);
    await send('PUT', `/projects/${id}`, { ...other.payload, project: { ...other.payload.project, market: 'AT' } });
    await enter(page, 5, 'age', 'gte', 'true');
    await save(page, '#targeting');
    await untilText(page, '#targeting-problems', /^1 · 2 — /);
    await enter(page, 5, 'age', 'gte', '18');
    await save(page, '#targeting');
    await untilText(page, '#targeting [role="alert"]', /Somebody else has saved/);
    await save(page, '#targeting');
    await untilText(page, '#rules-saved', /age gte 18/);
    const { setup, project } = (await read(`/projects/${id}`)).payload;
    assert.equal(project.market, 'AT');
    assert.deepEqual(setup.targeting_rules, [...kept, { attribute: 'app', operator: 'version_gte', value: '2.10' }]);
    assert.deepEqual(setup.targeting_groups, [{ match: 'any', rules: [{ attribute: 'city', operator: 'in', value: ['北京', 'القاهرة', 7] }, { attribute: 'age', operator: 'gte', value: 18 }] }]);
    await close(page, [409, 422]);
});

/* Both editors open. */
async function editing(page) {
    for (const card of ['#flag', '#targeting']) await page.click(`${card} [data-edit]`);
    await page.click('#targeting [data-add="group"]');
    await page.waitForSelector('.rule-group');
}

test('axe finds nothing in the tab, and nothing sticks out', async (t) => {
    await checkPages(t, (path, options) => open(experiments + path, options), [[`/live/${id}?part=flag`, '#flag tbody'], [`/live/${id}?part=flag&edit`, editing]]);
});
