/* What reviewers and administrators find on the pages Tuning, Quality, Insights and Documents: values with what they change,
 * tables as tables, and from each problem the way to mend it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { effectOf, sourceOf, suggestionOf, valueOf } from '../../static/support/trends/effects.js';
import { sameQuestion } from '../../static/support/improve/queue.js';
import { recordsOf } from '../../static/support/records.js';
import { completeTables } from '../../static/shared/ui/markdown-tables.js';
import { withMarks, withoutMarks } from '../../static/shared/ui/markdown-marks.js';
import { accessibilityFaults, checkPages, close, open, untilText } from './browser.js';

const support = process.env.ASSAY_SUPPORT_URL.replace(/\/$/, '');
const at = (path) => support + path;
const files = {
    'parcels.md': '# Parcels\n\nParcels are **insured**.\n\n| Way | Days | Price |\n|---|---|---|\n| Parcel by post | 3 days | $4 |\n| Parcel by courier | 1 day | $9 |\n',
    'prices.csv': 'Article,Colour,Price\nLamp,red,12\nLamp,"blue, dark",14\nChair,,90\n',
};
let signedIn;
let bearer;

async function upload(name, text) {
    const form = new FormData();
    form.append('file', new Blob([text]), name);
    const answer = await fetch(at('/api/upload'), { method: 'POST', headers: bearer, body: form });
    assert.equal((await answer.json()).status, 'ok', name);
}

async function post(path, body) {
    const answer = await fetch(at(path), { method: 'POST', headers: { ...bearer, 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return answer.status === 204 ? null : answer.json();
}

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
    bearer = { Authorization: `Bearer ${(await response.json()).access_token}` };
    for (const [name, text] of Object.entries(files)) await upload(name, text);
});

const show = (path, options = {}) => open(at(path), { storageState: signedIn, ...options });

test('rows of a table get their header line, and citations stay in the last cell', () => {
    assert.equal(completeTables('| A | B |\n| 1 | 2 | [1]\n\n| A | B |\n| 3 | 4 | [2]'), '\n| A | B |\n| --- | --- |\n| 1 | 2 [1] |\n| 3 | 4 [2] |\n');
    assert.equal(completeTables('It costs:\n| Lamp | 12 |'), 'It costs:\nLamp · 12');
    assert.equal(completeTables('```\n| a | b |\n| c | d |\n```'), '```\n| a | b |\n| c | d |\n```');
    assert.equal(completeTables('a | b stays'), 'a | b stays');
});

test('lines of a CSV file become rows, whatever is empty', () => {
    assert.deepEqual(recordsOf(['Article: Lamp\nPrice: 12\nArticle: Chair\n', 'Colour: red\nPrice: 9\n']), {
        names: ['Article', 'Price', 'Colour'],
        rows: [['Lamp', '12', ''], ['Chair', '', ''], ['', '9', 'red']],
    });
    assert.equal(recordsOf(['Some prose without fields']), null);
});

test('marks lie inside the signs of Markdown and can be taken out again', () => {
    const text = '- **one** two\n| a | b |\n';
    const marked = withMarks(text, [{ from: 0, to: text.length }]);
    assert.match(marked, /^- \*\*\ue000one\*\* two\ue001\n\| \ue000a \| b\ue001 \|\n$/);
    assert.equal(withoutMarks(marked), text);
    assert.equal(withMarks('a\ue000b', [{ from: 0, to: 1 }]), 'ab', 'a text cannot bring marks of its own');
});

const analysed = {
    name: 'quality_threshold', status: 'ok', current: 80, suggested: 75, labeled_count: 20, current_metrics: { f1: 0.5 }, suggested_metrics: { f1: 0.9 }, risk: null,
    curve: [{ cutoff: 60, f1: 0.4, coverage: 1, risk: 0.3 }, { cutoff: 75, f1: 0.9, coverage: 0.8, risk: 0.125 }, { cutoff: 90, f1: 0.5, coverage: 0.4, risk: 0 }],
};

test('a value is suggested where people have judged, and never the one in force', () => {
    const of = (change, facts = {}) => suggestionOf({ ...analysed, ...change }, { inForce: 80, reviewed: true, ...facts });
    const found = { status: 'found', cutoff: 70, risk: 0.1, confidence: 0.95 };
    assert.deepEqual(of({}), { value: 75, source: 'f1' });
    assert.deepEqual(of({ risk: found }), { value: 70, source: 'risk' });
    assert.equal(of({ risk: found }, { inForce: 70 }).reason, 'best');
    assert.equal(of({}, { inForce: 75 }).reason, 'best');
    assert.equal(of({ suggested: 80 }).reason, 'best');
    assert.equal(of({}, { reviewed: false }).reason, 'too_few');
    assert.equal(of({ status: 'insufficient_data', suggested: null }).reason, 'too_few');
    assert.equal(of({ risk: { status: 'not_reached' } }).reason, 'not_reached');
    assert.deepEqual(effectOf(analysed, 70), { value: 70, answered: 0.8, wrong: 0.125, count: 16 });
    assert.deepEqual(effectOf(analysed, 95), { value: 95, answered: 0, wrong: null, count: 0 });
    assert.deepEqual(['0', '101', '7.5', '', '80'].map((text) => valueOf('quality_threshold', text)), [null, null, null, null, 80]);
    assert.deepEqual([75, 76].map((value) => sourceOf(analysed, value)), ['f1', 'manual']);
});

test('Tuning: a setting in words, a value tried, adopted, and taken back', async () => {
    const page = await show('/static/trends.html');
    await untilText(page, '#quality_threshold', /80%[^]*goes to the support team/);
    const text = await page.innerText('main');
    assert.doesNotMatch(text, /quality_threshold|_ms\b|F1/);
    assert.match(text, /No suggestion(s yet)?: too few (reviewed answers|answers are reviewed)/);
    assert.equal(await page.locator('#quality_threshold [data-action="adopt"]').isDisabled(), true); /* the value in force */
    await page.fill('#value-quality_threshold', '101');
    assert.equal(await page.getAttribute('#value-quality_threshold', 'aria-invalid'), 'true');
    await page.fill('#value-quality_threshold', '64');
    await page.click('#quality_threshold [data-action="adopt"]');
    await page.click('dialog [data-kind="primary"]');
    await untilText(page, '#quality_threshold .setting-now', /64%[^]*adopted/);
    await page.click('#quality_threshold [data-action="back"]');
    await untilText(page, '#quality_threshold .setting-now', /80%[^]*from the configuration/);
    await post('/api/admin/curated-dataset/rebuild', {});
    await page.fill('#value-quality_threshold', '64');
    await page.click('#quality_threshold [data-action="try"]');
    await page.waitForURL(/tab=runs&run=/);
    await untilText(page, '.case-item', /Confidence needed to answer: 64%/);
    await close(page);
});

test('Quality: a verdict "Incorrect" becomes a case, the press says how many, and a run is followed to its next step', async () => {
    const { trace_id: trace } = await post('/api/ask', { question: 'Which parcels are insured?' });
    const { id } = await post('/api/admin/review-queue', { trace_id: trace });
    const page = await show(`/static/improve.html?case=${id}`);
    await page.fill('#judge-must', 'insured'); /* answered so: the case passes in runs of other tests */
    const judged = page.waitForResponse((response) => response.request().method() === 'POST' && response.url().endsWith(`/review-queue/${id}`));
    await page.click('#confirmed_bad');
    assert.ok((await judged).ok()); /* what is judged is what a rebuild takes */
    await page.click('#improve-tab-curated');
    await page.click('#rebuild');
    await untilText(page, '#rebuilt', /1 new, 0 changed, \d+ unchanged/);
    await untilText(page, '#curated tbody', /Which parcels are insured\?[^]*Incorrect[^]*contains: insured/);
    await page.click('#rebuild');
    await untilText(page, '#rebuilt', /0 new, 0 changed, [1-9]\d* unchanged/);
    const waiting = await post('/api/ask', { question: 'Who insures the parcels by courier?' });
    const { id: next } = await post('/api/admin/review-queue', { trace_id: waiting.trace_id });
    const draft = await post('/api/admin/experiments', { name: 'More passages', settings_overrides: { rerank_top_k: 7 } });
    const { job_id: run } = await post(`/api/admin/experiments/${draft.id}/regression-run`, {});
    await page.goto(at(`/static/improve.html?tab=runs&run=${run}`));
    await untilText(page, '#next-step', /What comes next/); /* without a reload */
    await untilText(page, '#label-next', /Judge these next[^]*more cases: \d+[^]*Who insures the parcels by courier\?/);
    assert.match(await page.getAttribute(`#label-next a[href="?case=${next}"]`, 'href'), /case=/);
    await page.click('#to-experiment');
    await untilText(page, '#experiment-title', /More passages/);
    assert.equal(await page.innerText('#improve-tab-experiments'), 'Live trials');
    await close(page);
});

test('Tuning: what reviewed answers say, with how many they are', async () => {
    const page = await show('/static/login.html');
    const { thresholds, ...rest } = await (await fetch(at('/api/admin/thresholds/analysis'), { headers: bearer })).json();
    const quality = { ...thresholds.quality_threshold, ...analysed, risk: { status: 'found', risk: 0.1, confidence: 0.95, cutoff: 90, coverage: 0.4, needed: 29 } };
    await page.route('**/thresholds/analysis?*', (route) => route.fulfill({ json: { ...rest, label_source: 'human_review', label_count: 20, thresholds: { ...thresholds, quality_threshold: quality } } }));
    await page.goto(at('/static/trends.html'));
    await untilText(page, '#quality_threshold .suggestion', /Suggested: 90%\. It keeps wrong answers below 10% with 95% certainty/);
    const rows = await page.locator('#quality_threshold tbody tr').allInnerTexts();
    assert.match(rows[0], /Now: 80%[^]*40%[^]*8 of 20/);
    assert.match(rows[1], /Suggested: 90%[^]*40%[^]*60%[^]*0%/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page);
});

test('tables are tables: in the answer, in its source, in the reader, and of a CSV file', async () => {
    const page = await show('/static/chat.html');
    await page.fill('#question', 'What is the price of a parcel by courier?');
    await page.press('#question', 'Enter');
    await page.waitForSelector('.message[data-role="assistant"][aria-busy="false"] .message-tools');
    const answer = await page.innerText('.message[data-role="assistant"] .prose');
    assert.match(answer, /\$9/);
    assert.doesNotMatch(answer, /\|/);
    await page.click('.source');
    await page.waitForSelector('#source td mark >> text=$9');
    assert.doesNotMatch(await page.innerText('#source .panel-text'), /\||\*\*|^#/m);
    assert.equal(await page.locator('#source strong').innerText(), 'insured');
    await page.goto(at('/static/documents.html'));
    await page.click('#documents .link-button >> text=/prices/i');
    await page.waitForSelector('dialog td >> text=blue, dark');
    assert.deepEqual(await page.locator('dialog th').allInnerTexts(), ['Article', 'Colour', 'Price']);
    assert.equal(await page.locator('dialog tbody tr').count(), 3);
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page);
});

test('a file that cannot be searched says why', async () => {
    const page = await show('/static/documents.html');
    await page.setInputFiles('input[type="file"]', { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.from(' \n') });
    await untilText(page, '.outcome', /empty\.txt[^]*Stored, not searchable[^]*No text was found/);
    await close(page);
});

test('Insights: from an unanswered question to a document, from a vote to the case', async () => {
    const unanswered = 'Which colours of awnings are there?';
    await post('/api/ask', { question: unanswered });
    const { trace_id: trace, session_id: session } = await post('/api/ask', { question: 'Are parcels insured?' });
    await post('/api/feedback', { trace_id: trace, session_id: session, rating: 'down' });
    const page = await show('/static/metrics.html');
    await untilText(page, '#asked', /Are parcels insured\?/);
    await page.click(`#unanswered tr:has-text("awnings") button`);
    await page.click('#add-article'); /* nothing is written yet */
    await page.waitForSelector('#article-text:focus');
    await page.fill('#article-text', 'Awnings are green or beige.');
    await page.click('#add-article');
    await page.waitForSelector('[role="status"] >> text=/the assistant now answers the question/');
    await page.waitForFunction(() => !document.querySelector('#unanswered')?.innerText.includes('awnings'));
    const { documents } = await (await fetch(at('/api/documents?q=awnings'), { headers: bearer })).json();
    assert.deepEqual(documents.map(({ title }) => title), [unanswered]);
    await page.selectOption('#period', '7');
    await page.waitForURL(/days=7/);
    await untilText(page, '#asked', /awnings/);
    assert.match((await post('/api/ask', { question: unanswered })).answer, /green or beige/);
    await page.click('#disliked tr:has-text("insured") button');
    await page.waitForURL(/improve\.html\?/);
    await untilText(page, '#case-title', /Are parcels insured/);
    await close(page);
});

test('Quality: cases are found by their words, and each tab says what it is for', async () => {
    await post('/api/ask', { question: 'Which colours of curtains are there?' }).then(({ trace_id: trace }) => post('/api/admin/review-queue', { trace_id: trace }));
    const page = await show('/static/improve.html');
    await page.fill('#filter-q', 'curtains');
    await page.waitForURL(/q=curtains/);
    await page.waitForFunction(() => {
        const found = [...document.querySelectorAll('.case-item')].map((item) => item.textContent);
        return found.length === 1 && found[0].includes('curtains');
    });
    for (const [tab, said] of [['queue', /say whether they are correct/], ['curated', /what a correct answer must contain/], ['runs', /asks all cases/], ['experiments', /Try other settings safely/], ['next', /Begin at the top/]]) {
        await page.click(`#improve-tab-${tab}`);
        await untilText(page, '.lead-text', said);
    }
    await close(page);
});

test('Traces: a sentence says why the question went to the team, and values have names', async () => {
    const { trace_id: trace } = await post('/api/ask', { question: 'Who painted the ceiling of the great hall?' });
    const page = await show(`/static/admin.html?trace=${trace}`);
    await untilText(page, '#reason', /below the 80% that an answer needs, so a person takes over/);
    assert.doesNotMatch(await page.innerText('main'), /z score|retrieved docs|search_query|quality_score/);
    await close(page);
});

test('Insights: questions by day with their totals, and the topics', async () => {
    await post('/api/ask', { question: 'Are parcels by courier insured, too?' });
    const page = await show('/static/metrics.html');
    const asked = page.waitForRequest((request) => request.url().includes('/api/analytics/series?'));
    await page.reload();
    const query = new URL((await asked).url()).searchParams;
    assert.equal(Number(query.get('offset_minutes')), await page.evaluate(() => 0 - new Date().getTimezoneOffset()));
    await untilText(page, '#totals', /Questions\s*[1-9]\d*[^]*Answered without a person\s*\d+ \(\d+(\.\d+)?%\)[^]*Handed over to the team[^]*Cost of models\s*\$0/);
    await untilText(page, '#trend-questions', /Questions per day[^]*Answered without a person[^]*Handed over/);
    await untilText(page, '#trend-quality', /Average confidence per day/);
    assert.equal(await page.locator('#trend-cost').count(), 0); /* nothing was paid */
    await untilText(page, '#topics', /Topic[^]*\d/);
    const week = page.waitForRequest((request) => request.url().includes('series?days=7'));
    await page.selectOption('#period', '7');
    await week;
    await close(page);
});

test('Review: answers are added, the least certain first, each with its reason', async () => {
    for (const question of ['Is a parcel of 9 kg insured?', 'Which colour has the chair?']) await post('/api/ask', { question });
    const page = await show('/static/improve.html');
    await page.click('#choose');
    await untilText(page, '.toast', /Answers chosen: [1-9]\d*, of them at random: [1-9]/);
    await untilText(page, '.case-list', /Close to the limit: |Evaluators disagree: |Drawn at random/);
    assert.match(await page.innerText('#filter-order option:checked'), /Least certain first/);
    const listed = (await (await fetch(at('/api/admin/review-queue?order=unsure'), { headers: bearer })).json()).items;
    const doubts = listed.map(({ doubt }) => doubt ?? -1);
    assert.deepEqual(doubts, doubts.toSorted((one, other) => other - one));
    await page.selectOption('#filter-reason', 'drawn');
    await page.waitForURL(/drawn=true/);
    await untilText(page, '.case-list', /Drawn at random/);
    await close(page);
});

test('Evaluators: agreement in words, and one that is no use is switched off and on again', async () => {
    const page = await show('/static/login.html');
    const real = await (await fetch(at('/api/admin/evaluators'), { headers: bearer })).json();
    const counted = { status: 'measured', cases: 60, missing: 0, both_bad: 10, evaluator_only: 20, reviewer_only: 15, both_good: 15, observed: 0.4167, kappa: -0.17, kappa_low: -0.41, kappa_high: 0.07 };
    const invented = (data) => ({ ...data, evaluators: data.evaluators.map((row) => (row.name === 'retrieval_hit_rate' ? { ...row, ...counted, advice: row.active ? 'switch_off' : null } : row)) });
    await page.route('**/api/admin/evaluators', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: invented(await answer.json()) });
    });
    await page.goto(at('/static/improve.html?tab=evaluators'));
    const row = '#evaluators tbody tr:has(#switch-retrieval_hit_rate)';
    await untilText(page, row, /Relevant documents found[^]*interval[^]*Same verdict: 42%[^]*60[^]*Of little use[^]*Switch it off/);
    await untilText(page, '#evaluators tbody', new RegExp(`Too few cases[^]*still needed: ${real.cases_min - real.evaluators[0].cases}`));
    assert.doesNotMatch(await page.innerText('main'), /_/);
    await page.click('#switch-retrieval_hit_rate');
    await page.click('dialog [data-kind="primary"], dialog [data-kind="danger"]');
    await untilText(page, row, /Off since[^]*Switched off[^]*Switch on/);
    const { trace_id: trace } = await post('/api/ask', { question: 'How many days does a parcel by post take?' });
    const { evaluations } = await (await fetch(at(`/api/admin/traces/${trace}`), { headers: bearer })).json();
    assert.deepEqual(evaluations.filter(({ evaluator_name: name }) => name === 'retrieval_hit_rate'), []);
    await page.click('#switch-retrieval_hit_rate');
    await untilText(page, row, /Of little use/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page);
});

test('Review: a question asked several times is one row', () => {
    const rows = [['1', 'How?'], ['2', 'Why?'], ['3', 'how? '], ['4', null]].map(([id, question]) => ({ id, question, trace_id: `t${id}` }));
    assert.deepEqual(sameQuestion(rows).map((group) => group.map(({ id }) => id)), [['1', '3'], ['2'], ['4']]);
});

test('a reviewer sees no tab that is for administrators', async () => {
    const page = await show('/static/improve.html');
    await page.evaluate(() => sessionStorage.setItem('assay.person', JSON.stringify({ name: 'rita', role: 'reviewer' })));
    await page.goto(at('/static/improve.html?tab=runs'));
    await untilText(page, '.lead-text', /say whether they are correct/);
    assert.deepEqual(await page.locator('[role="tab"]').allInnerTexts(), ['Review', 'Evaluators', 'Cases', 'Recommendations']);
    await page.goto(at('/static/trends.html?tab=backlog'));
    await untilText(page, '#quality_threshold', /Administrators can change this value/);
    assert.deepEqual(await page.locator('[role="tab"]').allInnerTexts(), ['Settings']);
    await close(page);
});

test('axe finds nothing on the pages with problems and their remedies, and nothing sticks out', (t) =>
    checkPages(t, show, [
        ['/static/trends.html', '#quality_threshold'],
        ['/static/metrics.html', '#asked tbody tr'],
        ['/static/improve.html?tab=runs', '#runs-title'],
        ['/static/improve.html?tab=evaluators', '#evaluators tbody tr'],
    ]));
