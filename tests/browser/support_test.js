/* The pages of the support service: a document goes in, its answer comes out and can be followed to
 * the passage, to the trace, to a person. One sign-in for all tests: the API allows five a minute. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { citedParts, markedRanges, partsOf, quotesOf } from '../../static/support/chat/passage.js';
import { figuresOf, toneOf } from '../../static/support/metrics/cards.js';
import { nextAddress, personOf } from '../../static/support/login/token.js';
import { stepsOf } from '../../static/support/admin/steps.js';
import { accessibilityFaults, checkLook, checkPages, close, inLook, looks, open, takeLook, untilText } from './browser.js';

const support = process.env.ASSAY_SUPPORT_URL.replace(/\/$/, '');
const at = (path) => support + path;
const directory = process.env.ASSAY_SUPPORT_DIR; /* of the stack; without it programs cannot be run */

/** What a program of the stack prints. */
async function program(...words) {
    /* What is for the tests is no setting of a stack. */
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ASSAY_')));
    const { stdout } = await promisify(execFile)('nginx/stack', ['run', '--dir', directory, ...words], { env });
    return JSON.parse(stdout);
}

const warranty = `# Гарантия

Гарантийный срок на устройство — 12 месяцев со дня покупки.

Гарантия не покрывает:
- механические повреждения;
- попадание жидкости внутрь.
`;
const returns = `# Returns

A working product can be returned within 14 days of the purchase.

Without a receipt no return is possible.
`;

const fileOf = (name, text) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(text) });

let signedIn; /* what a browser keeps of the sign-in */
let bearer; /* the same for requests of the tests themselves */

before(async () => {
    const response = await fetch(at('/api/auth/login'), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ username: 'admin', password: 'admin' }),
    });
    assert.equal(response.status, 200);
    const cookies = response.headers.getSetCookie().map((line) => {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
        return { name, value, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' };
    });
    signedIn = { cookies, origins: [] };
    bearer = { Authorization: `Bearer ${(await response.clone().json()).access_token}`, 'Content-Type': 'application/json' };
    for (const [name, text] of [['warranty.md', warranty], ['returns_policy.md', returns]]) {
        const form = new FormData();
        form.append('file', new Blob([text]), name);
        const { access_token: token } = await response.clone().json();
        const uploaded = await fetch(at('/api/upload'), { method: 'POST', headers: { Authorization: `Bearer ${token}` }, body: form });
        assert.equal((await uploaded.json()).status, 'ok');
    }
});

const show = (path, options = {}) => open(at(path), { storageState: signedIn, ...options });

async function ask(page, question) {
    await page.fill('#question', question);
    await page.press('#question', 'Enter');
    await page.waitForSelector('.message[data-role="assistant"][aria-busy="false"] .message-tools');
    await page.waitForSelector('#send');
}

const markedParts = (text, quote) => partsOf(text, markedRanges(text, quote));

test('a passage is found whatever stands between its words', () => {
    const text = '# Title\n\nThe **period** is\n12 months.\nMore.';
    const parts = markedParts(text, { answer: 'The period is 12 months [1]. Something else here [2].', index: 1 });
    assert.deepEqual(parts.filter(({ marked }) => marked).map(({ text: piece }) => piece), ['The **period** is\n12 months']);
    assert.equal(parts.map(({ text: piece }) => piece).join(''), text);
});

test('what is not quoted is marked by its excerpt, and nothing where that is not there either', () => {
    const text = 'One sentence of a document. Another sentence of it.';
    const marked = (how) => markedParts(text, how).filter((part) => part.marked).map((part) => part.text);
    assert.deepEqual(marked({ answer: 'In other words [1].', index: 1, excerpt: '…Another sentence of it.' }), ['Another sentence of it.']);
    assert.deepEqual(marked({ answer: 'In other words [1].', index: 1, excerpt: 'nowhere to be found' }), []);
    assert.deepEqual(quotesOf('First claim made here [1][2]. Second claim made here [2].', 2), ['First claim made here', 'Second claim made here']);
    assert.deepEqual(citedParts('So [1], and [12].'), ['So ', 1, ', and ', 12, '.']);
});

test('after signing in only a path of this host is gone to', () => {
    for (const bad of ['//evil.example/', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)', '', '/a b'])
        assert.equal(nextAddress(bad, '/usual'), '/usual', bad);
    assert.equal(nextAddress('/agent?ticket=1', '/usual'), '/agent?ticket=1');
    const token = `x.${Buffer.from('{"sub":"Зоя","role":"agent"}').toString('base64url')}.y`;
    assert.deepEqual(personOf(token), { name: 'Зоя', role: 'agent' });
    assert.equal(personOf('nonsense'), null);
});

test('figures turn amber before their limit and red behind it', () => {
    const higher = { limit: 65, higher: true };
    assert.deepEqual([64.9, 65, 71.4, 71.6, null].map((value) => toneOf(higher, value)), ['danger', 'caution', 'caution', 'good', 'plain']);
    const lower = { limit: 20 };
    assert.deepEqual([16, 16.1, 20, 20.1].map((value) => toneOf(lower, value)), ['good', 'caution', 'caution', 'danger']);
    const [p50] = figuresOf({ latency: { p50_sec: 7, window: '24h' } });
    assert.deepEqual([p50.value, p50.tone, p50.window], [7, 'danger', '24h']);
});

test('a step shows what it was given and what it changed', () => {
    const state = { question: 'q', search_query: '', answer: '', context_docs: [], duration_ms: 2 };
    const steps = stepsOf({
        steps: [
            { order: 0, node: 'classify_complexity', state: { ...state, complexity: 'complex' } },
            { order: 1, node: 'transform_query', state: { ...state, complexity: 'complex', search_query: 'q words', duration_ms: 3 } },
            { order: 2, node: 'retrieve', state: { ...state, complexity: 'complex', search_query: 'q words', context_docs: [{ page_content: 'd' }] } },
        ],
    });
    assert.deepEqual(steps.map(({ changed }) => changed.map(({ name }) => name)), [['complexity'], ['search_query'], ['context_docs']]);
    assert.deepEqual(steps[2].given, [{ name: 'search_query', value: 'q words' }]);
    assert.deepEqual(steps.map(({ start, duration }) => [start, duration]), [[0, 2], [2, 3], [5, 2]]);
});

test('who is not signed in is led to the sign-in page and back', async () => {
    const page = await open(at('/'));
    await page.waitForURL(/login\.html\?next=/);
    await page.fill('#sign-in-username', 'admin');
    await page.fill('#sign-in-password', 'not this');
    await page.press('#sign-in-password', 'Enter');
    await page.waitForSelector('[role="alert"]');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.fill('#sign-in-password', 'admin');
    await page.press('#sign-in-password', 'Enter');
    await page.waitForURL(/\/static\/chat\.html$/);
    await page.waitForSelector('#question');
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    assert.doesNotMatch(kept, /eyJ/, 'no token within the reach of scripts');
    await page.click('#sign-out');
    await page.waitForURL(/login/);
    await page.goto(at('/agent'));
    await page.waitForURL(/next=%2Fagent/);
    await close(page, [401]);
});

test('a question by keyboard: streamed answer, passage, vote, trace', async () => {
    const page = await show('/static/chat.html');
    await page.waitForSelector('#question:focus');
    await ask(page, 'Какой гарантийный срок на устройство?');
    assert.match(await page.textContent('.message[data-role="assistant"] .prose'), /12 месяцев/);

    await page.focus('.citation');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#source mark');
    assert.match(await page.textContent('#source mark'), /12 месяцев со дня покупки/);
    assert.equal(await page.textContent('#source-title'), 'warranty.md');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.keyboard.press('Escape');
    await page.waitForSelector('#source', { state: 'detached' });
    assert.ok(await page.evaluate(() => document.activeElement.matches('.citation')));

    const voted = page.waitForResponse((response) => response.url().endsWith('/api/feedback'));
    await page.click('.message-tools [aria-pressed]');
    assert.equal((await voted).status(), 204);
    await page.waitForSelector('.message-tools [aria-pressed="true"]');

    await page.reload();
    await page.waitForSelector('.citation'); /* the tab keeps the conversation, sources included */
    await page.click('.trace-link');
    await untilText(page, '#trace-question', 'Какой гарантийный срок на устройство?');
    await page.click('.link-button >> text=Generate answer');
    await page.waitForSelector('details[open] >> text=Generate answer');
    assert.match(await page.textContent('details[open].disclosure .step-values'), /12 месяцев/);
    assert.deepEqual(await accessibilityFaults(page), []);

    const trace = new URL(page.url()).searchParams.get('trace');
    await page.goto(`${new URL(page.url()).origin}/admin/traces/${trace}`); /* as the review queue names it */
    await untilText(page, '#trace-question', 'Какой гарантийный срок на устройство?');
    assert.equal(new URL(page.url()).pathname, '/static/admin.html');
    await close(page);
});

test('what the documents do not say goes to a person, who answers in the operator console', async () => {
    const page = await show('/static/chat.html');
    await page.waitForSelector('#question');
    await ask(page, 'Who won the chess tournament in 1927?');
    await page.waitForSelector('.message [data-tone="caution"]');
    await page.click('#ask-person');
    await page.fill('#reason', 'It is urgent');
    await page.click('#reason-send');
    await page.waitForSelector('.waits');

    await page.goto(at('/agent'));
    await page.click('.ticket >> text=chess tournament');
    await page.waitForSelector('#ticket .inbox-thread');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.fill('#respond-response', 'Nobody here knows, sorry.');
    await page.click('#respond button[type="submit"]');
    await untilText(page, '#ticket [data-role="person"]', /Nobody here knows/);

    await page.goto(at('/static/chat.html'));
    await page.click('.history-item >> text=chess tournament');
    await untilText(page, '.messages', /Nobody here knows/);
    await close(page);
});

test('a conversation is found again, and deleted', async () => {
    const page = await show('/static/chat.html');
    await page.waitForSelector('#question');
    await ask(page, 'Can a product be returned without a receipt, please?');
    await page.click('#new-conversation');
    await page.waitForSelector('.welcome');
    const title = 'Can a product be returned without a receipt, please?';
    await page.click(`.history-item >> text=${title}`);
    await page.waitForSelector('.message[data-role="assistant"]');
    await page.click(`[aria-label="Delete ${title}"]`);
    await page.click('dialog [data-kind="danger"]');
    await page.waitForSelector('.welcome');
    assert.equal(await page.locator(`.history-item >> text=${title}`).count(), 0);
    await close(page);
});

test('a stream that breaks off says so and can be tried again', async () => {
    const page = await show('/static/chat.html');
    await page.waitForSelector('#question');
    const cut = 'data: {"type":"status","node":"processing"}\n\ndata: {"type":"token","token":"Half an "}\n\n';
    await page.route('**/api/ask/stream', (route) => route.fulfill({ contentType: 'text/event-stream', body: cut }), { times: 1 });
    await page.fill('#question', 'How long may a product be returned?');
    await page.press('#question', 'Enter');
    await page.waitForSelector('.message [role="alert"]');
    assert.match(await page.textContent('.message[data-role="assistant"]'), /Half an/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('.message [role="alert"] button');
    await untilText(page, '.message[data-role="assistant"] .prose', /14 days/);
    await close(page);
});

test('without a stream the answer comes plainly', async () => {
    const page = await show('/static/chat.html');
    await page.waitForSelector('#question');
    await page.route('**/api/ask/stream', (route) => route.abort());
    await page.fill('#question', 'How long may a product be returned?');
    await page.press('#question', 'Enter');
    await untilText(page, '.message[data-role="assistant"] .prose', /14 days/);
    page.faults = page.faults.filter((fault) => !fault.includes('ERR_FAILED'));
    await close(page);
});

test('documents: what becomes of each file, versions, deletion', async () => {
    const page = await show('/static/documents.html');
    await page.waitForSelector('#documents tbody tr');
    await page.setInputFiles('#files', [fileOf('shipping.md', '# Shipping\n\nParcels leave within two days.\n'), fileOf('trick.pdf', 'not a PDF')]);
    await untilText(page, '.outcome', /shipping\.md\s*Ready\s*Version 1/);
    await untilText(page, '.upload-item[data-state="failed"]', /trick\.pdf.*Unsupported file content/s);
    await page.setInputFiles('#files', [fileOf('shipping.md', '# Shipping\n\nParcels leave within three days.\n')]);
    await untilText(page, '.outcome', /Version 2/);
    await page.waitForSelector('#documents tr:has-text("shipping.md"):has-text("2")');
    assert.deepEqual(await accessibilityFaults(page), []);
    const link = await page.getAttribute('#documents tr:has-text("shipping.md") a', 'href');
    assert.match(new URL(link, support).searchParams.get('q'), /shipping\.md/);
    await page.click('[aria-label="Delete shipping.md"]');
    await page.click('dialog [data-kind="danger"]');
    await page.waitForSelector('#documents tr:has-text("shipping.md")', { state: 'detached' });
    await close(page, [400]);
});

async function send(path, body) {
    const response = await fetch(at(path), { method: 'POST', headers: bearer, body: JSON.stringify(body) });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.json();
}

test('a case is judged by keys, joins the curated data, and a candidate is staged, refused, and put away', async () => {
    for (const question of ['By the way, within how many days can a product be returned?', 'By the way, is a receipt needed for a return?']) {
        const { trace_id: trace } = await send('/api/ask', { question });
        await send('/api/admin/review-queue', { trace_id: trace, reviewer_notes: '' });
    }
    const page = await show('/static/improve.html?q=by+the+way&order=newest'); /* not the cases of other tests, nor of those that are drawn there */
    await page.waitForSelector('.case-item');
    await page.locator('body').press('j');
    await untilText(page, '#case-title', /receipt/);
    const judged = [];
    page.on('request', (request) => request.method() === 'POST' && judged.push(request.url()));
    const held = new Promise((resolve) => page.route(/review-queue\/[^/]+$/, resolve, { times: 1 }));
    await page.locator('body').press('j');
    const route = await held;
    await page.waitForSelector('#case-title', { state: 'detached' }); /* the next is on its way, the one before is out of sight */
    await page.locator('body').press('g');
    await route.continue();
    await untilText(page, '#case-title', /days/);
    assert.deepEqual(judged, []);
    await page.locator('body').press('k');
    await untilText(page, '#case-title', /receipt/);
    await page.fill('#judge-notes', 'gb');
    assert.equal(await page.locator('.case-item').count(), 2); /* keys in a field are letters */
    await page.locator('#case-title').focus();
    await page.keyboard.press('d');
    await untilText(page, '#case-title', /days/);
    await page.locator('#case-title').focus();
    await page.keyboard.press('g');
    await page.waitForSelector('.case-item', { state: 'detached' });
    await page.click('#improve-tab-curated');
    const built = page.waitForResponse(async (response) => response.url().includes('/curated-dataset/jobs/') && (await response.json()).status === 'completed');
    await page.click('#rebuild');
    await built; /* the list is asked for when it is there, not after some time */
    await page.waitForSelector('#curated tbody tr:has-text("days")');
    await page.click('#improve-tab-experiments');
    await page.fill('#draft-name', 'Refuse much');
    await page.selectOption('#add-setting', 'embedded_min_evidence');
    await page.fill('#set-embedded_min_evidence', '7');
    await page.click('form:has(#draft-name) [type="submit"]');
    await page.waitForSelector('#set-embedded_min_evidence[aria-invalid="true"]'); /* its range is 0 to 1 */
    await page.fill('#set-embedded_min_evidence', '1');
    await page.click('form:has(#draft-name) [type="submit"]');
    await page.waitForSelector('#experiment');
    await page.click('#regression-run');
    await page.waitForSelector('.case-item:has-text("Refuse much"):has-text("Not passed")');
    await page.click('.case-item:has-text("Refuse much")');
    await page.waitForSelector('#run .two-answers');
    assert.match(await page.innerText('#run'), /Too few cases/);
    await page.click('#improve-tab-experiments');
    await page.waitForSelector('#experiment');
    await page.click('#stage');
    await untilText(page, '#experiment', /Applies to every question now/);
    await page.click('#archive');
    await page.click('dialog [data-kind="primary"], dialog [data-kind="danger"]');
    await untilText(page, '#experiment', /Archived/);
    await close(page);
});

test('from a thumbs-down to a roll-back: case, verdict, curated data, green run, staged, deployed, taken back', { skip: !directory }, async () => {
    const page = await show('/static/chat.html');
    await page.waitForSelector('#question:focus');
    await ask(page, 'Within how many days may a working product be returned?');
    const voted = page.waitForResponse((response) => response.url().endsWith('/api/feedback'));
    await page.locator('.message-tools [aria-pressed]').nth(1).click();
    assert.equal((await voted).status(), 204);

    await page.goto(at('/static/improve.html?reason=thumbs_down'));
    await page.waitForSelector('.case-item');
    await page.click('.case-item:has-text("working product")');
    await untilText(page, '#case-title', /working product/);
    await page.locator('#case-title').focus();
    await page.keyboard.press('g');
    await page.waitForSelector('.case-item:has-text("working product")', { state: 'detached' });
    await page.click('#improve-tab-curated');
    await page.click('#rebuild');
    await page.waitForSelector('#curated tbody tr:has-text("working product")');

    await page.click('#improve-tab-experiments');
    await page.fill('#draft-name', 'Four passages');
    await page.selectOption('#add-setting', 'rerank_top_k');
    await page.fill('#set-rerank_top_k', '4');
    await page.click('form:has(#draft-name) [type="submit"]');
    await untilText(page, '#experiment-title', 'Four passages');
    await page.click('#deploy'); /* nothing was shown yet */
    await page.click('dialog [data-kind="primary"], dialog [data-kind="danger"]');
    await page.waitForSelector('[role="alert"], [role="status"] >> text=/green regression run/');
    await page.click('#regression-run');
    await page.waitForSelector('.case-item:has-text("Four passages"):has-text("Passed")');

    await page.click('#improve-tab-experiments');
    await page.click('.case-item:has-text("Four passages")');
    await page.click('#stage');
    await untilText(page, '#experiment', /Applies to every question now/);
    await page.click('#deploy');
    await page.click('dialog [data-kind="primary"], dialog [data-kind="danger"]');
    await page.waitForSelector('#rollback');
    await page.click('#rollback');
    await page.click('dialog [data-kind="primary"], dialog [data-kind="danger"]');
    await page.waitForSelector('#rollback', { state: 'detached' });
    await page.waitForSelector('#deployments tbody tr:has-text("Rolled back"):has-text("By hand")');
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page, [409]);
});

test('a share of conversations is given by keyboard, and what came of it is told', async () => {
    const { id } = await send('/api/admin/experiments', { name: 'Two documents', settings_overrides: { rerank_top_k: 2 } });
    const page = await show(`/static/improve.html?tab=experiments&experiment=${id}`);
    await untilText(page, '#splits', /Not used in any conversation yet/);
    await page.fill('#share-rollout_percentage', '101');
    await page.press('#share-rollout_percentage', 'Enter');
    await page.waitForSelector('[role="alert"], [role="status"] >> text=/within/');
    await page.fill('#share-rollout_percentage', '50');
    await page.press('#share-rollout_percentage', 'Enter');
    await page.waitForSelector('[role="status"] >> text=/Done/');
    const sessions = Array.from({ length: 20 }, (_, index) => `share-${index}`); /* all on one side by chance: once in 500 000 times */
    for (const session of sessions) await send('/api/ask', { question: 'Is a receipt needed for a return?', session_id: session });
    await page.waitForSelector('.split:has-text("50% of default"):has-text("At work"):has-text("Not judged yet")');
    await page.waitForFunction((all) => {
        const [one, other] = [...document.querySelectorAll('.split dd')].map((cell) => Number(cell.textContent));
        return one + other === all; /* the page asks every few seconds */
    }, sessions.length);
    const counted = (await page.locator('.split dd').allInnerTexts()).slice(0, 2).map(Number);
    assert.ok(counted[0] > 0 && counted[1] > 0, counted.join());
    assert.match(await page.innerText('.split'), /events not sent yet/);
    /* as it is once the other service has judged, and the watch has ended it */
    const [split] = (await (await fetch(at(`/api/admin/experiments/${id}/splits`), { headers: bearer })).json()).splits;
    const judged = {
        ...split, live: false, verdict: 'no_ship', confidence: 'high', project_id: '0b7c', waiting: 0, read_at: split.started_at, withdrawn_at: split.started_at,
        reasons: [{ code: 'guardrail_vetoed', text: 'thumbs_down is worse by 12% than may be.' }],
    };
    await page.route('**/splits', (route) => route.fulfill({ json: { splits: [judged] } }));
    await untilText(page, '.split', /Stopped: worse results[^]*Not better[^]*high confidence[^]*thumbs_down is worse/);
    for (const look of looks) {
        await takeLook(page, look);
        await page.goto(inLook(at(`/static/improve.html?tab=experiments&experiment=${id}`), look));
        await page.waitForSelector('.split');
        await checkLook(page, `split, ${look.name}`, look);
    }
    await send(`/api/admin/experiments/${id}/archive`);
    await close(page, [400]);
});

test('what to do next: a document changes, and the answer that stood on it is listed until somebody has looked', { skip: !directory }, async () => {
    const upload = async (text) => {
        const form = new FormData();
        form.append('file', new Blob([text]), 'departures.md');
        const { Authorization } = bearer;
        const answer = await fetch(at('/api/upload'), { method: 'POST', headers: { Authorization }, body: form });
        assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
    };
    await upload('# Parcels\n\nParcels leave the store within two days.\n');
    await send('/api/ask', { question: 'When do parcels leave the store?' });
    await upload('# Parcels\n\nParcels leave the store within nine days.\n');
    await program('support-retention'); /* what the program that stays does every few seconds */
    const page = await show('/static/improve.html?tab=queue');
    await page.waitForSelector('#improve-tab-queue');
    await page.focus('#improve-tab-queue');
    await page.keyboard.press('End');
    await untilText(page, '#sources', /Parcels leave the store within two days\./);
    await untilText(page, '#stale', /All checked cases are current|Checked/);
    await untilText(page, '#next', /Nothing to recommend|Priority/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.focus('#sources tr:has-text("departures.md") button');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#sources tr:has-text("departures.md")', { state: 'detached' });
    await page.route('**/recommendations/current', (route) => route.fulfill({ json: { status: 'ok', recommendations: [
        { title: 'Why is my parcel so late', action: 'look', evidence: 'review: seen 4 times', source: 'backlog', priority: 8.89 },
        { title: 'Deploy experiment 2026-01-01-x', action: 'stage it', evidence: 'a green run gained 3.5 in quality', source: 'regression', priority: 8.5 },
        { title: 'Adjust threshold quality_threshold', action: 'set it to 75', evidence: 'now 80; F1 would gain 0.05', source: 'threshold', priority: 3.5 },
        { title: 'Adjust threshold slow_trace_threshold_ms', action: 'set it to 1', evidence: 'now 10000; F1 would gain 0.6', source: 'threshold', priority: 9 },
        { title: 'Re-review curated case c1', action: 'judge', evidence: 'route_drift', source: 'stale', priority: 2 },
    ] } }));
    const analysis = (await (await fetch(at('/api/admin/thresholds/analysis'), { headers: bearer })).json());
    Object.assign(analysis, { label_source: 'human_review' });
    Object.assign(analysis.thresholds.quality_threshold, { current: 80, suggested: 75, labeled_count: 24 });
    await page.route('**/thresholds/analysis?*', (route) => route.fulfill({ json: analysis }));
    await page.route('**/curated-dataset/stale', (route) => route.fulfill({ json: { items: [
        { case_id: 'trace-4711-of-a-long-name-that-must-wrap', tenant_id: 'default', status: 'stale_needs_review', staleness_reason: 'answer_contains_missing', last_checked_at: '2026-01-02T03:04:05+00:00' },
    ] } }));
    for (const look of looks) {
        await takeLook(page, look);
        await page.goto(inLook(at('/static/improve.html?tab=next'), look));
        await page.waitForSelector('#next tbody tr:nth-child(4)');
        assert.equal(await page.locator('#next tbody tr').count(), 4); /* what nobody can change here is no advice */
        assert.doesNotMatch(await page.innerText('#next'), /_|F1/); /* no raw names of settings or reasons */
        await page.waitForSelector('#stale tbody tr');
        await checkLook(page, `next, ${look.name}`, look);
    }
    await close(page);
});

const pages = [
    ['/static/improve.html?status=*', '.case-item'],
    ['/static/improve.html?tab=curated', '#curated tbody tr'],
    ['/static/improve.html?tab=runs', '.case-item'],
    ['/static/improve.html?tab=experiments', '.case-item'],
    ['/static/improve.html?tab=next', '#next .resource[aria-busy="false"]'],
    ['/static/login.html', '#sign-in-username'],
    ['/static/chat.html', '.welcome'],
    ['/static/documents.html', '#documents tbody tr'],
    ['/static/admin.html', 'tbody tr'],
    ['/static/admin.html?tab=evaluations', '#trend-title'],
    ['/static/admin.html?tab=models', '#models'],
    ['/static/admin.html?tab=audit', 'tbody tr'],
    ['/static/trends.html', '.card h2'],
    ['/static/trends.html?tab=backlog', '#week'],
    ['/static/metrics.html', '.figure'],
    ['/agent?status=all', '.ticket'],
];

test('axe finds nothing on any page, and nothing sticks out', (t) => checkPages(t, show, pages));
