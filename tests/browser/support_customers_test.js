/* Customers and the team: a question is handed over on the help page, an agent replies in the inbox, and the reply
 * arrives on the page that is still open; the same page in the frame of another site. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { accessibilityFaults, checkPages, close, open, untilText } from './browser.js';

const support = process.env.ASSAY_SUPPORT_URL.replace(/\/$/, '');
const at = (path) => support + path;
let signedIn;
let bearer;
let site; /* another one, which shows the help page in a frame */

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
    const form = new FormData();
    form.append('file', new Blob(['# Returns\n\nA working product can be returned within 14 days of the purchase.\n']), 'returns_policy.md');
    const uploaded = await fetch(at('/api/upload'), { method: 'POST', headers: bearer, body: form });
    assert.equal((await uploaded.json()).status, 'ok');
    site = createServer((request, reply) => {
        reply.setHeader('Content-Type', 'text/html');
        reply.end(`<!doctype html><html lang="en"><title>A shop</title><link rel="icon" href="data:,"><h1>Shop</h1>
            <script src="${at('/static/widget.js')}" data-title="Need help?" defer></script></html>`);
    });
    await new Promise((resolve) => site.listen(Number(process.env.ASSAY_WIDGET_PORT), '127.0.0.1', resolve));
});

after(() => site.close());

const asAgent = (path, options = {}) => open(at(path), { storageState: signedIn, ...options });

async function ask(page, question) {
    await page.fill('#question', question);
    await page.press('#question', 'Enter');
    await page.waitForSelector('.message[data-role="assistant"][aria-busy="false"] .message-tools');
}

/* Statuses that the help page meets on its way to find out whose page it is. */
const visiting = [401, 404];

test('a reply arrives on the open help page, and is there when the page is opened again', async () => {
    const page = await open(at('/help'));
    await page.waitForSelector('#question');
    await ask(page, 'How long may a product be returned?');
    await untilText(page, '.message[data-role="assistant"] .prose', /14 days/);
    await page.waitForSelector('.source');
    await ask(page, 'Do you sell bicycles for penguins?');
    await page.waitForSelector('.waits');
    assert.deepEqual(await accessibilityFaults(page), []);

    const inbox = await asAgent('/agent');
    await inbox.click('.ticket >> text=bicycles for penguins');
    await inbox.waitForSelector('#ticket .inbox-thread [data-role="user"]');
    await inbox.click('#assign-me');
    await inbox.waitForSelector('#assign-me', { state: 'detached' });
    await untilText(inbox, '.ticket[aria-current] .ticket-meta', /admin/);
    await inbox.fill('#respond-response', 'Not yet, but they are on their way.');
    await inbox.click('#respond button[type="submit"]');
    await untilText(inbox, '#ticket [data-role="person"]', /on their way/);
    await close(inbox);

    await untilText(page, '.message[data-role="person"]', /on their way/);
    await page.waitForSelector('.waits', { state: 'detached' });
    await page.reload();
    await untilText(page, '.message[data-role="person"]', /on their way/);
    await page.waitForSelector('.source', { timeout: 5000 });
    await page.click('.citation');
    await untilText(page, '#source .panel-text mark', /14 days/);
    await page.keyboard.press('Escape');
    await page.click('#new-conversation');
    await page.waitForSelector('.welcome');
    await page.click('#conversations');
    await page.click('.history-item >> nth=0');
    await untilText(page, '.message[data-role="person"]', /on their way/);
    await close(page, visiting);
});

test('a new question appears in the open inbox, where it is found by its words', async () => {
    const inbox = await asAgent('/agent');
    await inbox.waitForSelector('#tickets-title');
    await inbox.waitForSelector('.resource[aria-busy="false"]');
    const asked = await fetch(at('/api/ask'), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ question: 'May I bring a giraffe into the shop?' }),
    });
    assert.equal((await asked.json()).route, 'human');
    await inbox.waitForSelector('.ticket >> text=giraffe');
    await untilText(inbox, '#site-nav .nav-count', /^[1-9]/);
    await inbox.fill('#filter-q', 'no such animal');
    await inbox.waitForSelector('.ticket', { state: 'detached' });
    await inbox.fill('#filter-q', 'giraffe');
    await inbox.waitForSelector('.ticket >> text=giraffe');
    await inbox.click('.ticket >> text=giraffe');
    await inbox.waitForSelector('#ticket-title');
    await inbox.click('#draft summary');
    await inbox.click('#use-draft');
    assert.match(await inbox.inputValue('#respond-response'), /\w/);
    await close(inbox);
});

test('another site shows the help page in a frame, if the settings name it', async () => {
    const page = await open(`http://127.0.0.1:${process.env.ASSAY_WIDGET_PORT}/`);
    await page.click('#assay-help-button');
    const frame = page.frameLocator('#assay-help-frame');
    await frame.locator('#question').fill('How long may a product be returned?');
    await frame.locator('#question').press('Enter');
    await frame.locator('.message[data-role="assistant"] .citation').first().waitFor();
    await frame.locator('#close-frame').click();
    await page.waitForFunction(() => document.getElementById('assay-help-frame').style.display === 'none');
    await close(page, visiting);
    const policy = (await fetch(at('/help'))).headers;
    assert.match(policy.get('Content-Security-Policy'), /frame-ancestors 'none'/);
    assert.equal(policy.get('X-Frame-Options'), 'DENY');
    const framed = (await fetch(at('/static/widget.html'))).headers;
    assert.match(framed.get('Content-Security-Policy'), new RegExp(`frame-ancestors  ?http://127.0.0.1:${process.env.ASSAY_WIDGET_PORT};`));
    assert.equal(framed.get('X-Frame-Options'), null);
});

test('the team finds a conversation by its words and reads it with its sources', async () => {
    const page = await asAgent('/conversations');
    await page.waitForSelector('tbody tr');
    await page.fill('#filter-q', 'BICYCLES for');
    await page.waitForSelector('tbody tr:has-text("giraffe")', { state: 'detached' });
    await page.click('tbody .link-button >> text=How long may a product be returned?');
    await page.waitForSelector('#conversation [data-role="person"]');
    await page.click('#conversation .citation');
    await untilText(page, 'dialog mark', /14 days/);
    await page.keyboard.press('Escape');
    await page.click('#back');
    await page.waitForSelector('tbody tr');
    await close(page);
});

test('a document is read in the browser, and found by its name', async () => {
    const page = await asAgent('/static/documents.html');
    await page.click('#documents .link-button >> text=returns_policy.md');
    await untilText(page, 'dialog .preview', /Passage 1[^]*within 14 days of the purchase/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.keyboard.press('Escape');
    await page.fill('#filter-q', 'no such document');
    await page.waitForSelector('#documents tbody tr', { state: 'detached' });
    await page.click('#knowledge-tab-gaps');
    await page.waitForSelector('#gaps .empty');
    await page.click('#knowledge-tab-stale');
    await page.waitForSelector('#stale .empty');
    await close(page);
});

test('an answer goes from its trace to review by one press', async () => {
    const asked = await fetch(at('/api/ask'), { method: 'POST', headers: { ...bearer, 'Content-Type': 'application/json' }, body: JSON.stringify({ question: 'How long may a product be returned, exactly?' }) });
    const { trace_id: trace } = await asked.json();
    const page = await asAgent('/static/admin.html');
    await page.evaluate(() => sessionStorage.setItem('assay.person', JSON.stringify({ name: 'admin', role: 'admin' })));
    await page.goto(at(`/static/admin.html?trace=${trace}`));
    await page.click('#to-review');
    await page.waitForSelector('[role="status"] >> text=/Sent to review/');
    await page.goto(at('/static/improve.html?reason=manual'));
    await page.click('.case-item >> text=exactly');
    await page.fill('#judge-must', '14 days\nof the purchase');
    await page.fill('#judge-must_not', 'refund');
    await page.fill('#judge-notes', 'As the policy has it.');
    await page.click('#confirmed_good');
    await page.waitForSelector('.case-item', { state: 'detached' });
    const queue = await fetch(at('/api/admin/review-queue?status=confirmed_good'), { headers: bearer });
    const row = (await queue.json()).items.find((one) => one.trace_id === trace);
    assert.equal(row.reviewer_notes, 'As the policy has it.\ninclude: 14 days | of the purchase\nexclude: refund');
    await close(page);
});

test('axe finds nothing on the pages of customers and of the inbox, and nothing sticks out', async (t) => {
    await checkPages(t, asAgent, [['/help', '.welcome'], ['/agent?status=all', '.ticket'], ['/conversations', 'tbody tr'], ['/static/documents.html?tab=gaps', '#gaps .empty'], ['/static/documents.html?tab=drafts', '#drafts .empty']]);
});
