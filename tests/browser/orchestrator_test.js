/* The pages of the orchestrator, over its dry run: chat with one model and with several side by side, runs, comparisons,
 * keys and spending. Prompts have a test of their own. */
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

/* Asks in every column, and waits until each has answered. */
async function ask(page, prompt) {
    await page.fill('#query-input', prompt);
    await page.waitForSelector('#btn-submit:not([disabled])');
    await page.press('#query-input', 'Enter');
    for (const column of await page.locator('.chat-column').all())
        await column.locator('.message[data-role="assistant"]', { hasText: new RegExp(`Simulated response for:[^]*${prompt}`) }).last().waitFor();
    await page.waitForSelector('#btn-submit');
}

/* Answers chat requests as the gateway does, without an end where `open` says so: [{model, messages}] is what was asked. */
async function answerChats(page, { open = [] } = {}) {
    const asked = [];
    await page.route('**/v1/chat/completions', (route) => {
        const { model, messages } = route.request().postDataJSON();
        asked.push({ model, messages });
        if (open.includes(model)) return undefined; /* never answered */
        const id = 'chatcmpl-01a21b2a-c364-415b-a771-29f6fe144591';
        const chunk = (more) => `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model, choices: [], ...more })}\n\n`;
        const said = chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: `**${model}** answers ${messages.length}` }, finish_reason: null }] });
        const end = chunk({ usage: { prompt_tokens: 12, completion_tokens: 34 }, orch: { task_id: id.slice(9), model_id: model, splices: 0, accounting: { calls: 1, cost_usd: 0.0021 } } });
        return route.fulfill({ contentType: 'text/event-stream', body: `${said}${end}data: [DONE]\n\n` });
    });
    return asked;
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
    assert.deepEqual(spans.map(({ id, start, duration }) => [id, start, duration]), [['step-1', 100, 900], ['step-3', 1500, 500]]);
});

test('one model by keyboard; the conversation outlives the tab; its run can be seen', async () => {
    const page = await open(at('/'));
    await page.waitForSelector('#model-1');
    await ask(page, 'hello');
    await page.reload();
    await untilText(page, '.chat-column .message[data-role="user"]', 'hello');
    await page.waitForSelector('#thread-list .history-item[aria-current]');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('.task-link');
    await untilText(page, '.task-prompt', 'hello');
    await page.waitForSelector('#events-title');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#export')]);
    assert.match(file.suggestedFilename(), /\.md$/);
    await close(page);
});

test('conversations of earlier versions are still there', async () => {
    const page = await open(at('/'));
    await page.evaluate(() => {
        const messages = [{ role: 'user', content: 'an old question' }, { role: 'assistant', content: 'an old answer', meta: {} }];
        localStorage.setItem('orch_threads', JSON.stringify([{ id: 'old', title: 'an old question', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', messages }]));
    });
    await page.reload();
    await page.waitForSelector('#model-1');
    await page.click('#thread-list .history-item');
    await untilText(page, '.chat-column .message[data-role="assistant"]', /an old answer/);
    await ask(page, 'and a new one');
    await close(page);
});

test('four columns: each continues its own conversation, with tokens, cost and time; more are not offered', async () => {
    const page = await open(at('/'));
    const asked = await answerChats(page);
    await page.waitForSelector('#model-1');
    for (const count of [2, 3, 4]) {
        await page.click('#add-column');
        await page.waitForSelector(`#model-${count}`);
    }
    await page.waitForSelector('#add-column[disabled]');
    const models = await page.locator('.chat-column select').evaluateAll((all) => all.map((one) => /** @type {HTMLSelectElement} */ (one).value));
    assert.equal(new Set(models).size, 4);
    for (const [turn, question] of ['first', 'second'].entries()) {
        await page.fill('#query-input', question);
        await page.waitForSelector('#btn-submit:not([disabled])');
        await page.press('#query-input', 'Enter');
        await page.waitForFunction((count) => document.querySelectorAll('.message-facts').length === count, 4 * (turn + 1));
    }
    const second = asked.filter(({ messages }) => messages.length === 3);
    assert.deepEqual(second.map(({ model }) => model).sort(), models.toSorted());
    for (const { model, messages } of second) assert.deepEqual(messages.map(({ content }) => content), ['first', `**${model}** answers 1`, 'second']);
    const facts = await page.locator('.message-facts').first().textContent();
    assert.match(facts, /First token after .*in total.*12 tokens in, 34 out.*\$0\.0021/s);
    assert.equal(await page.locator('.message strong').count(), 8, 'Markdown is rendered');
    assert.match(await page.locator('.task-link').first().getAttribute('href'), /tasks\.html\?task=01a21b2a/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('#btn-new-thread');
    await page.waitForFunction(() => document.querySelectorAll('.message').length === 0);
    assert.equal(await page.locator('.chat-column').count(), 4);
    await page.click('.chat-column:last-child .column-head button');
    await page.waitForFunction(() => document.querySelectorAll('.chat-column').length === 3);
    await close(page);
});

test('one column is stopped while the others go on', async () => {
    const page = await open(at('/'));
    await page.waitForSelector('#model-1');
    const slow = await page.inputValue('#model-1');
    const asked = await answerChats(page, { open: [slow] });
    await page.click('#add-column');
    await page.waitForSelector('#model-2');
    await page.fill('#query-input', 'go');
    await page.waitForSelector('#btn-submit:not([disabled])');
    await page.press('#query-input', 'Enter');
    await untilText(page, '.chat-column:nth-child(2) .message-facts', /12 tokens in/);
    await page.waitForSelector('#btn-stop');
    await page.click('.chat-column:nth-child(1) .column-head button[aria-label^="Stop"]');
    await untilText(page, '.chat-column:nth-child(1) .message-facts', /Stopped/);
    await page.waitForSelector('#btn-submit');
    assert.equal(asked.length, 2);
    await close(page);
});

test('models that answer together are models of a column, too', async () => {
    const page = await open(at('/'));
    await page.waitForSelector('#model-1');
    await page.selectOption('#model-1', 'orch:smart');
    await ask(page, 'as you like');
    await page.selectOption('#model-1', 'orch:consensus');
    await ask(page, 'all of you');
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page);
});

test('a stream that fails says so, and can be tried again', async () => {
    const page = await open(at('/'));
    await page.waitForSelector('#model-1');
    const body = 'data: {"id":"chatcmpl-x","choices":[{"index":0,"delta":{"content":"Half"}}]}\n\ndata: {"error":{"message":"The provider is down.","type":"upstream_error","code":"provider_unavailable"}}\n\n';
    await page.route('**/v1/chat/completions', (route) => route.fulfill({ contentType: 'text/event-stream', body }), { times: 1 });
    await page.fill('#query-input', 'are you there');
    await page.waitForSelector('#btn-submit:not([disabled])');
    await page.press('#query-input', 'Enter');
    await untilText(page, '.message [role="alert"]', /The provider is down/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('.message [role="alert"] button');
    await untilText(page, '.message:last-child', /Simulated response for: are you there/);
    await close(page);
});

test('a model that asks for signing in says so, with a way on', async () => {
    const page = await open(at('/'));
    await page.waitForSelector('#model-1');
    const error = { message: 'Browser session is not authenticated.', type: 'upstream_error', param: null, code: 'model_auth_required' };
    await page.route('**/v1/chat/completions', (route) => route.fulfill({ status: 503, json: { error } }), { times: 1 });
    await page.fill('#query-input', 'let me in');
    await page.waitForSelector('#btn-submit:not([disabled])');
    await page.press('#query-input', 'Enter');
    await untilText(page, '.message [role="alert"]', /A model requires sign-in[^]*Browser session is not authenticated/);
    await page.click('.message [role="alert"] button');
    await untilText(page, '.message:last-child', /Simulated response for: let me in/);
    assert.equal(await page.locator('.message[data-role="user"]').count(), 1);
    await close(page, [503]);
});

test('each way of asking several models starts with one click, or with an own prompt', async () => {
    const page = await open(at('/tasks.html'));
    for (const [name, title] of Object.entries({ consensus: 'Consensus', debate: 'Debate', pipeline: 'Pipeline', batch: 'Batch' })) {
        await page.waitForSelector(`#run-${name}:not([disabled])`);
        const example = await page.textContent(`[aria-labelledby="mode-${name}-title"] .mode-example`);
        await page.click(`#run-${name}`);
        await untilText(page, '.facts', new RegExp(title));
        const prompt = await page.textContent('.task-prompt');
        assert.ok(prompt.includes(example.split('\n')[0]), `${name}: ${prompt}`);
        await page.click('#back');
    }
    await page.waitForSelector('#write-batch:not([disabled])');
    await page.click('#write-batch');
    await page.fill('#mode-text', 'one of mine\n\nanother of mine');
    await page.click('#mode button[type="submit"]');
    await untilText(page, '.task-prompt', /one of mine[^]*another of mine/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page);
});

test('a run shows when each call began, first answered and ended, and what it cost', async () => {
    const page = await open('about:blank');
    const time = (ms) => new Date(Date.parse('2026-01-01T00:00:00Z') + ms).toISOString();
    const calls = [
        { model_id: 'north', started_at: time(100), first_output_at: null, completed_at: time(400), failure_code: 'provider_unavailable', failure_message: 'HTTP error: 500', cost_usd: null },
        { model_id: 'south', started_at: time(400), first_output_at: time(900), completed_at: time(2100), failure_code: null, failure_message: null, cost_usd: 0.25 },
    ];
    const task = {
        task_id: '01a21b2a-c364-415b-a771-29f6fe144591', status: 'succeeded', accepted_at: time(0), completed_at: time(2200), duration_ms: 2200, execution_mode: 'api', adapter_name: 'api.local',
        failure_code: null, failure_message: null, model: null, requested_models: [], output_text: 'Done.', was_decomposed: false, subtask_count: 1, trace_id: null, prompt: 'How long?',
        reasoning: false, dry_run: false, metadata: { route: 'chat/completions' }, quorum: 1, merge_strategy: 'first_success', retry_of_task_id: null, events_total: 1,
        steps: [{ step_index: 1, model_id: 'north', model_display_name: 'North', backend: 'api', provider: 'local', status: 'succeeded', failure_message: null, output_text: 'Done.',
            duration_ms: 1700, input_tokens: 1, output_tokens: 2, cost_usd: 0.25, started_at: time(400), first_output_at: time(900), completed_at: time(2100) }],
        events: [{ event_id: 'e', sequence_no: 1, event_type: 'step.completed', created_at: time(2200), payload: { step_index: 1, details: { calls } } }],
    };
    await page.route('**/api/v1/tasks/*', (route) => route.fulfill({ json: task }));
    await page.goto(at(`/tasks.html?task=${task.task_id}`));
    await page.waitForSelector('#timeline-title');
    await page.click('[aria-labelledby="timeline-title"] summary');
    const rows = await page.locator('[aria-labelledby="timeline-title"] tbody tr').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.trim())));
    assert.deepEqual(rows, [['1. North', '100 ms', '2 sec', '800 ms', '$0.25'], ['north', '100 ms', '300 ms', '–', '–'], ['south', '400 ms', '1.7 sec', '500 ms', '$0.25']]);
    await page.waitForSelector('.chart-bar-before');
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page);
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

test('spending by day, with tokens, cache hits and latency, as plots, a table and CSV', async () => {
    const page = await open('about:blank');
    const usage = (day, calls, latency) => ({ day, calls, failures: 0, input_tokens: 1000 * calls, output_tokens: 200, cached_tokens: 100, cache_hits: 3, avg_duration_ms: latency, cost_usd: 0.5 * calls, excess_usd: 0, saved_calls: 0, saved_tokens: 0, saved_usd: 0 });
    const rows = [usage('2026-11-02', 2, 1500), usage('2026-11-04', 4, 500)];
    const asked = [];
    await page.route('**/api/v1/usage?**', (route) => {
        asked.push(new URL(route.request().url()).searchParams.get('group_by'));
        return route.fulfill({ json: { rows, total: { ...usage(null, 6, 833.3), day: undefined }, from: '2026-11-01', to: '2026-11-30', time_zone: 'UTC', currency: 'USD' } });
    });
    await page.goto(at('/analytics.html?by=day'));
    await page.waitForSelector('#spend-title');
    const cells = await page.locator('[aria-labelledby="spend-title"] tbody tr').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.trim())));
    assert.deepEqual(cells, [['Nov 4, 2026', '$2.00', '4', '0', '4,000', '200', '3', '500 ms'], ['Nov 2, 2026', '$1.00', '2', '0', '2,000', '200', '3', '1.5 sec']]);
    assert.ok(asked.includes('day') && !asked.includes('day,day'), asked.join());
    for (const name of ['Cost by day', 'Tokens by day', 'Mean latency by day']) await page.waitForSelector(`section[aria-label="${name}"] svg`);
    assert.deepEqual(await accessibilityFaults(page), []);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#csv')]);
    assert.match(file.suggestedFilename(), /\.csv$/);
    await close(page);
});

const pages = [
    ['/', '#model-1'],
    ['/compare.html', '.choices'],
    ['/tasks.html', 'tbody tr'],
    ['/prompts.html', '#add-prompt'],
    ['/models.html', 'tbody tr'],
    ['/analytics.html', '.figure'],
];
test('axe finds nothing on any page, and nothing sticks out', (t) =>
    checkPages(t, (path, options) => open(at(path), options), pages));
