/* Segments of users: made, filled from lines and a file, given rules, asked for by an experiment, and kept while it is used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPages, close, experiments, open, untilText } from './browser.js';

async function send(method, path, body, type = 'application/json') {
    const response = await fetch(`${experiments}/api/v1${path}`, { method, headers: { 'Content-Type': type }, body: type === 'application/json' ? body && JSON.stringify(body) : body });
    assert.ok(response.ok, await response.clone().text());
    return response.json();
}

const word = Date.now().toString(36);
const create = async (name) => (await send('POST', '/segments', { name, rules: [{ attribute: 'plan', operator: 'equals', value: 'team' }] })).segment;

test('a segment is made, gets users and rules, and goes', async () => {
    const page = await open(`${experiments}/segments`);
    await page.click('#new-segment');
    await page.fill('#segment-name', `Бета ${word}`);
    await page.click('dialog button[type="submit"]');
    await page.waitForURL(/\/segments\?segment=[0-9a-f-]{36}$/);
    await untilText(page, '#name', `Бета ${word}`);
    await page.click('#change-list');
    await page.fill('#users-lines', '用户1\nuser-2\n');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#list-count', /2/);
    await page.setInputFiles('#list-file', { name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from('user-3,Ada\nuser-2,Bo\n') });
    await page.waitForSelector('dialog[open]');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#list-count', /3/);
    await untilText(page, '#list-users', /user-3/);
    await page.click('#edit-rules');
    await page.click('[data-add="rule"]');
    await page.fill('[data-rule-part="attribute"]', 'country');
    await page.fill('[data-rule-part="typed"]', 'TH');
    await page.click('#targeting-form button[type="submit"]');
    await untilText(page, '#rules-saved', /country equals "TH"/);
    await page.click('#delete-segment');
    await page.click('dialog .dialog-actions button[data-kind]:not([data-kind="quiet"])');
    await page.waitForURL(/\/segments$/);
    await close(page);
});

test('an experiment asks for a segment, and the preview says why', async () => {
    const segment = await create(`Used ${word}`);
    await send('POST', `/segments/${segment.id}/users`, 'inside\n', 'text/csv');
    const design = (await send('POST', '/templates/checkout_conversion/use')).payload;
    const project = await send('POST', '/projects', { ...design, project: { ...design.project, project_name: `Asks ${word}` } });
    const page = await open(`${experiments}/live/${project.id}`);
    await page.click('#part-tab-flag');
    await page.click('#targeting [data-edit]');
    await page.click('#targeting [data-add="rule"]');
    await page.waitForSelector('#targeting option[value="in_segment"]', { state: 'attached' });
    await page.selectOption('#targeting select[data-rule-part="operator"]', 'in_segment');
    await page.selectOption('#targeting select[data-rule-part="typed"]', `Used ${word}`);
    await page.click('#targeting-form button[type="submit"]');
    await untilText(page, '#rules-saved', new RegExp(`targetingKey in_segment "Used ${word}"`));
    await page.fill('#preview-user', 'outside');
    await page.click('#flag-preview button[type="submit"]');
    await untilText(page, '#flag-result', /does not belong to it.*plan equals "team"/);
    await page.goto(`${experiments}/segments?segment=${segment.id}`);
    await untilText(page, '.card:has(#uses-title) tbody', new RegExp(`Asks ${word}`));
    assert.ok(await page.isDisabled('#delete-segment'));
    await close(page);
});

test('axe finds nothing, and nothing sticks out', async (t) => {
    const segment = await create(`Seen ${word}`);
    await checkPages(t, (path, options) => open(experiments + path, options), [
        ['/segments', 'tbody tr'],
        [`/segments?segment=${segment.id}`, '#rules'],
    ]);
});

test('a table shows what a user would get of all flags', async () => {
    const design = (await send('POST', '/templates/checkout_conversion/use')).payload;
    const setup = { ...design.setup, targeting_rules: [{ attribute: 'country', operator: 'equals', value: 'TH' }] };
    const project = await send('POST', '/projects', { ...design, setup, project: { ...design.project, project_name: `Listed ${word}` } });
    await send('PUT', `/experiments/${project.id}/flag`, { key: `listed-${word}`, enabled: true, value_type: 'boolean', variants: [{ name: 'old', value: false }, { name: 'new', value: true }] });
    const page = await open(`${experiments}/tools/flags`);
    await untilText(page, '.card:has(#flags-title) tbody', new RegExp(`listed-${word}.*DEFAULT.*country equals "TH"`));
    await page.fill('textarea', '{"country": "TH"}');
    await untilText(page, '.card:has(#flags-title) tbody', new RegExp(`listed-${word}.*TARGETING_MATCH`));
    await page.click(`a[href="/live/${project.id}?part=flag"]`);
    await page.waitForSelector('#flag-preview');
    await close(page);
});

test('the tab Plan makes an experiment adaptive, changes it, and takes it back', async () => {
    const design = (await send('POST', '/templates/checkout_conversion/use')).payload;
    const project = await send('POST', '/projects', { ...design, project: { ...design.project, project_name: `Follows ${word}` } });
    const page = await open(`${experiments}/live/${project.id}?part=plan`);
    await page.click('#adaptive-start');
    await page.fill('#adaptive-floor', '90%');
    await page.click('dialog button[type="submit"]');
    await page.waitForSelector('#adaptive-floor[aria-invalid="true"]');
    await page.fill('#adaptive-floor', '20%');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#adaptive-now', /20.*60/);
    await page.reload();
    await page.click('#adaptive-change');
    await page.fill('#adaptive-update_minutes', '30');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#adaptive-now', /20.*30/);
    await page.click('#adaptive-stop');
    await page.click('dialog .dialog-actions button[data-kind]:not([data-kind="quiet"])');
    await page.waitForSelector('#adaptive-start:not([disabled])');
    await close(page, [422]);
});
