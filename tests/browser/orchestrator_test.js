/* The pages of the orchestrator, over its dry run: one model streamed, several side by side, the task
 * that each leaves. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { differences } from '../../static/orchestrator/compare/differences.js';
import { spansOf } from '../../static/orchestrator/tasks/spans.js';
import { accessibilityFaults, checkPages, close, open, untilText } from './browser.js';

const orchestrator = process.env.ASSAY_ORCHESTRATOR_URL.replace(/\/$/, '');
const at = (path) => orchestrator + path;

before(async () => {
    const body = JSON.stringify({ prompt: 'What is in the first task?', models: ['sonar', 'best'], quorum: 2, dry_run: true });
    const response = await fetch(at('/api/v1/orchestrate'), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    assert.equal(response.status, 200);
});

async function ask(page, prompt) {
    await page.fill('#query-input', prompt);
    await page.waitForSelector('#btn-submit:not([disabled])');
    await page.press('#query-input', 'Enter');
    await untilText(page, '#chat-area .message:last-child', new RegExp(`Simulated response for: ${prompt}`));
    await page.waitForSelector('#btn-submit');
}

test('sentences that no other answer has are marked', () => {
    const [first, second] = differences(['Same here. Only mine!', 'same HERE.\nOnly yours.']);
    const own = (parts) => parts.filter((part) => part.own).map(({ text }) => text.trim());
    assert.deepEqual([own(first), own(second)], [['Only mine!'], ['Only yours.']]);
    assert.equal(first.map(({ text }) => text).join(''), 'Same here. Only mine!');
    assert.deepEqual(own(differences(['Alone.'])[0]), []);
});

test('steps are drawn from the start of their own calls', () => {
    const step = (index, from, to) => ({ step_index: index, model_display_name: `m${index}`, status: 'succeeded', started_at: from, completed_at: to });
    const spans = spansOf({
        accepted_at: '2026-01-01T00:00:00Z',
        steps: [step(1, '2026-01-01T00:00:00.100000Z', '2026-01-01T00:00:01Z'), step(2, null, null), step(3, '2026-01-01T00:00:01.5Z', '2026-01-01T00:00:02Z')],
    });
    assert.deepEqual(spans.map(({ id, start, duration }) => [id, start, duration]), [[1, 100, 900], [3, 1500, 500]]);
});

test('one model by keyboard; the conversation outlives the tab; its task can be seen', async () => {
    const page = await open(at('/'));
    await page.waitForSelector('#model-trigger');
    await ask(page, 'hello');
    await page.reload();
    await untilText(page, '#chat-area .message[data-role="user"]', 'hello');
    await page.waitForSelector('#thread-list .history-item[aria-current]');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('.task-link');
    await untilText(page, '.task-prompt', 'hello');
    await page.waitForSelector('#events-title');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#export')]);
    assert.match(file.suggestedFilename(), /\.md$/);
    await close(page);
});

test('several models at once, smart and debate', async () => {
    const page = await open(at('/'));
    await page.waitForSelector('#model-trigger');
    await page.selectOption('#mode', 'several');
    await page.check('#model-sonar');
    await ask(page, 'all of you');
    await page.selectOption('#mode', 'smart');
    await ask(page, 'as you like');
    await page.click('.message:last-child details > summary');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('#btn-new-thread');
    await page.selectOption('#mode', 'debate');
    await page.fill('#query-input', 'tabs or spaces');
    await page.press('#query-input', 'Enter');
    await untilText(page, '.message[data-role="assistant"]', /Simulated response/);
    assert.equal(await page.locator('#thread-list .history-item').count(), 2);
    await close(page);
});

test('a stream that fails says so, and can be tried again', async () => {
    const page = await open(at('/'));
    await page.waitForSelector('#model-trigger');
    const body = 'event: accepted\ndata: {"model_id":"sonar"}\n\nevent: error\ndata: {"text":"The provider is down.","model_id":"sonar"}\n\n';
    await page.route('**/orchestrate/stream', (route) => route.fulfill({ contentType: 'text/event-stream', body }), { times: 1 });
    await page.fill('#query-input', 'are you there');
    await page.press('#query-input', 'Enter');
    await untilText(page, '.message [role="alert"]', /The provider is down/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('.message [role="alert"] button');
    await untilText(page, '.message:last-child', /Simulated response for: are you there/);
    await close(page);
});

test('a model that asks for signing in is a banner with a way on', async () => {
    const page = await open(at('/'));
    await page.waitForSelector('#model-trigger');
    const detail = { code: 'model_auth_required', message: 'Browser session is not authenticated.', trace_id: 'x' };
    await page.route('**/orchestrate/stream', (route) => route.fulfill({ status: 503, json: { detail } }), { times: 1 });
    await page.fill('#query-input', 'let me in');
    await page.press('#query-input', 'Enter');
    await untilText(page, '#auth-banner', /Browser session is not authenticated/);
    await page.click('#auth-banner-retry');
    await untilText(page, '.message:last-child', /Simulated response for: let me in/);
    assert.equal(await page.locator('.message[data-role="user"]').count(), 1);
    assert.equal(await page.locator('#auth-banner').count(), 0);
    await close(page, [503]);
});

test('answers stand side by side', async () => {
    const page = await open(at('/compare.html'));
    await page.fill('#query-input', 'which is better');
    await page.waitForSelector('#btn-submit:not([disabled])');
    await page.click('#btn-submit');
    await page.waitForSelector('#answer-1');
    assert.match(await page.textContent('.answers'), /Simulated response for: which is better/);
    await page.check('#marked');
    await page.waitForSelector('.answers .answer-text');
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page);
});

test('tasks are found by words of their prompt', async () => {
    const page = await open(at('/tasks.html'));
    await page.waitForSelector('tbody tr');
    await page.fill('#filter-prompt_contains', 'in the first task');
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
    await page.click('tbody a');
    await untilText(page, '.task-prompt', 'What is in the first task?');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.goBack();
    await page.waitForSelector('tbody tr');
    await close(page);
});

test('a key with a budget, from the page; it is shown once and its team spends', async () => {
    const page = await open(at('/models.html?tab=owners'));
    await page.waitForSelector('#teams-title');
    await page.click('#teams-title + button');
    await page.fill('#team-name', 'Research');
    await page.click('#team button[type="submit"]');
    await untilText(page, 'tbody', /Research/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('#access-tab-keys');
    await page.click('#keys-title + button');
    await page.fill('#key-name', 'notebook');
    await page.selectOption('#key-team_id', { label: 'Research' });
    await page.fill('#key-allowed_models', 'nobody');
    await page.click('#key button[type="submit"]');
    await untilText(page, '#key', /Unknown model: nobody/);
    await page.fill('#key-allowed_models', 'gpt-5-4-api');
    await page.fill('#key-requests_per_minute', '60');
    await page.click('#key button[type="submit"]');
    await untilText(page, '#made .key-text', /^sk-assay-/);
    await untilText(page, 'tbody', /notebook[^]*Research[^]*60/);
    await page.click('tbody .menu summary, tbody summary');
    await page.click('[role="menuitem"]:nth-of-type(2)');
    await page.waitForSelector('dialog .empty');
    await page.click('dialog .button[data-kind="primary"]');
    await page.fill('#budget-limit_usd', '12.5');
    await page.fill('#budget-alert_percents', '80, 100');
    await page.click('#budget button[type="submit"]');
    await untilText(page, 'dialog tbody', /12\.50/);
    assert.deepEqual(await accessibilityFaults(page), []);
    const answer = await (await fetch(at('/v1/key'), { headers: { Authorization: `Bearer ${(await page.textContent('#made .key-text')).trim()}` } })).json();
    assert.deepEqual([answer.key.team_name, answer.budgets[0].limit_usd, answer.budgets[0].alert_percents], ['Research', 12.5, [80, 100]]);
    await close(page, [422]);
});

test('a model with a key that is typed on the page, shown by its last characters alone', async () => {
    const page = await open(at('/models.html'));
    await page.click('#add-model');
    await page.selectOption('#model-provider', 'gemini');
    await page.fill('#model-model', 'gemini-3-pro');
    await page.fill('#model-id', 'pro');
    await page.click('#model button[type="submit"]');
    await untilText(page, '#model', /need a key/);
    await page.fill('#model-api_key', 'a-key-of-this-test-1234');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('#model button[type="submit"]');
    await page.waitForSelector('#model', { state: 'detached' });
    const row = page.locator('tbody tr', { has: page.locator('.mono', { hasText: /^pro$/ }) });
    await row.getByText('…1234').waitFor();
    assert.ok(!(await page.content()).includes('a-key-of-this-test'));
    assert.deepEqual(await accessibilityFaults(page), []);
    await row.locator('summary').click();
    await page.click('[role="menuitem"]:nth-of-type(1)');
    await page.fill('#model-key-api_key', 'another-key-of-this-5678');
    await page.click('#model-key button[type="submit"]');
    await row.getByText('…5678').waitFor();
    await close(page, [422]);
});

test('analytics of calls that were made', async () => {
    const page = await open('about:blank');
    const row = (id, total, good) => ({ model_id: id, total_executions: total, successful: good, failed: total - good, success_rate: good / total, avg_duration_ms: 1500 });
    const models = [row('best', 3, 3), row('sonar', 1, 0)];
    await page.route('**/api/v1/analytics', (route) => route.fulfill({ json: { total_models: 2, total_executions: 4, models, top_models: models } }));
    await page.goto(at('/analytics.html'));
    await untilText(page, '#stat-success', '75%');
    await untilText(page, '#stat-time', '1.50');
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page);
});

const pages = [
    ['/', '#model-trigger'],
    ['/compare.html', '.choices'],
    ['/tasks.html', 'tbody tr'],
    ['/models.html', 'tbody tr'],
    ['/analytics.html', '.figure'],
];
test('axe finds nothing on any page, and nothing sticks out', (t) =>
    checkPages(t, (path, options) => open(at(path), options), pages));
