/* The frame: people sign in once, see what their roles allow, find things, and end their sessions. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { nextPath } from '../../static/portal/sign_in/next.js';
import { accessibilityFaults, checkPages, close, open, openAs, portal, request, signInByForm, untilText } from './browser.js';

const password = 'a password of the browser tests';
const people = {
    maria: { experiments: 'analyst', models: 'viewer', data: 'viewer' },
    sam: { support: 'agent' },
    cora: { support: 'viewer' },
};

/* Made as administrators make them; the first password is replaced at once, so that no page asks for it. */
before(async () => {
    for (const [username, roles] of Object.entries(people)) {
        const first = `first ${password}`;
        const made = await request('POST', '/accounts/api/people', { username, name: `${username} of the tests`, roles, password: first });
        assert.ok([201, 409].includes(made.status), JSON.stringify(made.data));
        if (made.status === 201) await request('PUT', '/accounts/api/password', { current: first, new: password }, { username, password: first });
    }
});

const as = (username, path, options) => openAs({ username, password }, path, options);
const shown = async (page, selector) => (await page.locator(selector).filter({ visible: true }).allTextContents()).map((text) => text.trim());

test('a page asks for a sign-in and is shown after it', async () => {
    const page = await open(`${portal}/experiments/projects?q=checkout`);
    await page.waitForURL(/\/sign-in\?next=/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await signInByForm(page, { username: 'maria', password: 'wrong' });
    await untilText(page, '[role="alert"]', 'User name or password is wrong.');
    await signInByForm(page, { username: 'maria', password });
    await page.waitForURL(`${portal}/experiments/projects?q=checkout`);
    await untilText(page, '#person-initials', 'MT');
    await close(page, [401]);
});

test('an address of another site is no place to go after signing in', async () => {
    const page = await open(`${portal}/sign-in?next=${encodeURIComponent('/..//example.com/')}`);
    for (const next of ['//h/', '/.//h', '/..//h', '/%2e//h', '/a/..//h', '/\\h', 'h', 'https://h/'])
        assert.equal(nextPath(`?${new URLSearchParams({ next })}`, portal), '/', next);
    assert.equal(nextPath('?next=/data/../profile?x=//h', portal), '/profile?x=//h');
    await signInByForm(page, { username: 'maria', password });
    await page.waitForURL(`${portal}/`);
    await close(page);
});

test('a first password is replaced before anything else, and then the page that was asked for is shown', async () => {
    const username = `first${Date.now()}`;
    const given = `given ${password}`;
    assert.equal((await request('POST', '/accounts/api/people', { username, roles: { data: 'viewer' }, password: given })).status, 201);
    const page = await open(`${portal}/data/alerts`);
    await page.waitForURL(/\/sign-in/);
    await signInByForm(page, { username, password: given });
    await page.waitForURL(/\/profile\?change=password/);
    await page.goto(`${portal}/data/alerts`);
    await page.waitForURL(/\/profile\?change=password/);
    await page.fill('#password-current', given);
    await page.fill('#password-new', password);
    await page.click('#password button[type="submit"]');
    await page.waitForURL(`${portal}/data/alerts`);
    await close(page, [401, 403]);
});

test('roles shape the areas, the menu and the home page', async () => {
    const page = await as('maria', '/');
    await page.waitForSelector('[data-card="data"] .home-figure');
    assert.deepEqual(await shown(page, '.site-areas a'), ['Experiments', 'Models', 'Data']);
    assert.deepEqual(await shown(page, '[data-card] h2'), ['Experiments', 'Models', 'Data']);
    assert.equal(await page.getAttribute('.site-areas [data-area="orchestrator"] a', 'href'), '/models/tasks.html', 'the chat is not for viewers');
    await page.click('#person-button');
    assert.deepEqual(await shown(page, '.person-links a'), ['Profile']);
    await page.goto(`${portal}/experiments/projects`);
    const menu = await shown(page, '.site-nav > ul:not(.site-nav-areas) a');
    assert.ok(menu.includes('New experiment') && !menu.includes('Settings'), menu.join());
    await close(page);

    const customer = await as('cora', '/');
    await customer.waitForSelector('[data-card="ask"]');
    assert.deepEqual(await shown(customer, '.site-areas a'), ['Support']);
    await customer.goto(`${portal}/support/static/chat.html`);
    const own = await shown(customer, '.site-nav > ul:not(.site-nav-areas) a');
    assert.ok(own.includes('Ask') && !own.includes('Inbox') && !own.includes('Documents'), own.join());
    await close(customer);
});

test('the home page asks once for all areas, and a service that fails says so in its card alone', async () => {
    const page = await as('maria', '/');
    await page.waitForSelector('[data-card="data"] .home-figure');
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.route('**/home.json*', async (route) => {
        const answer = await route.fetch();
        const all = await answer.json();
        if (all.readiness) all.readiness = { detail: 'Bad Gateway', error_code: 'bad_gateway', status_code: 502 };
        await route.fulfill({ response: answer, json: all });
    });
    await page.reload();
    await page.waitForSelector('[data-card="data"] .home-figure');
    await page.waitForSelector('[data-card="experiments"] .resource[aria-busy="false"] *');
    await untilText(page, '[data-card="models"] .notice', /./);
    assert.deepEqual(asked.filter((path) => path.endsWith('home.json')), ['/home.json']);
    assert.ok(asked.length <= 15, asked.join(' '));

    await page.unroute('**/home.json*');
    await page.route('**/home.json*', (route) =>
        new URL(route.request().url()).searchParams.get('parts').split('.').length > 3 ? route.fulfill({ status: 504, json: {} }) : route.continue(),
    );
    await page.reload();
    await page.waitForSelector('[data-card="data"] .home-figure'); /* each card for itself, where all together do not answer */
    await close(page, [504]);
});

test('"start here" stays away once it was hidden', async () => {
    const page = await as('maria', '/');
    await page.click('#dismiss-start');
    await page.waitForSelector('#start', { state: 'detached' });
    await page.reload();
    await page.waitForSelector('[data-card]');
    assert.equal(await page.locator('#start').count(), 0);
    await close(page);
});

test('Ctrl+K finds pages and data, and leads there by keys alone', async () => {
    const page = await openAs(null, '/');
    await page.waitForSelector('[data-card="installation"]');
    await page.keyboard.press('Control+k');
    await page.waitForSelector('#palette-input:focus');
    assert.deepEqual(await accessibilityFaults(page, { include: [['.palette']] }), []);
    await page.fill('#palette-input', 'revenue');
    await untilText(page, '.palette-results', /Data.*revenue/s);
    await page.fill('#palette-input', 'no such thing anywhere');
    await untilText(page, '.palette-none', 'No results for “no such thing anywhere”');
    await page.fill('#palette-input', 'people');
    await untilText(page, '.palette-result[aria-selected="true"]', 'People');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${portal}/admin/people`);
    await close(page);
});

test('an administrator adds a person, changes a role and switches the person off', async () => {
    const page = await openAs(null, '/admin/people');
    await page.click('#add');
    const username = `nadia${Date.now()}`;
    await page.fill('#person-username', username);
    await page.fill('#person-name', 'Nadia');
    await page.selectOption('#person-role_support', 'reviewer');
    await page.fill('#person-password', 'short');
    await page.click('dialog button[type="submit"]');
    await page.waitForSelector('dialog [aria-invalid="true"]');
    await page.fill('#person-password', password);
    await page.click('dialog button[type="submit"]');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.fill('#filter-q', username);
    await untilText(page, '#people tbody', /Nadia.*Support: Reviewer.*Active/s);
    await page.getByRole('button', { name: 'Edit: Nadia' }).click();
    await page.selectOption('#person-role_support', 'admin');
    await page.click('dialog button[type="submit"]');
    await untilText(page, '#people tbody', /Support: Administrator/);
    await page.click('#people details.menu > summary');
    await page.getByRole('menuitem', { name: 'Switch off' }).click();
    await page.locator('dialog .button[data-kind="danger"]').click();
    await untilText(page, '#people tbody', /Switched off/);
    const refused = await request('POST', '/accounts/api/session', { username, password }, null);
    assert.equal(refused.status, 401);
    await page.goto(`${portal}/admin/audit`);
    await page.fill('#filter-q', username);
    await untilText(page, '#audit tbody', /Person added\s*Support: Reviewer/);
    await close(page, [422]);
});

test('an invitation by link becomes a person who is signed in', async () => {
    const page = await openAs(null, '/admin/people');
    await page.click('#invite');
    await page.fill('#invitation-email', `ivo${Date.now()}@shop.example`);
    await page.selectOption('#invitation-role_data', 'viewer');
    await page.click('dialog button[type="submit"]');
    const link = await page.textContent('#made code');
    await page.waitForSelector('#invitations tbody tr');
    await close(page);

    const guest = await open(link.replace(/^https?:\/\/[^/]+/, portal));
    await untilText(guest, '.section-note', /invited ivo/);
    await guest.fill('#accept-password', password);
    await guest.click('#accept button[type="submit"]');
    await guest.waitForSelector('[data-card="data"]');
    assert.deepEqual(await shown(guest, '.site-areas a'), ['Data']);
    await close(guest);

    const again = await open(link.replace(/^https?:\/\/[^/]+/, portal));
    await untilText(again, '.notice', /expired or was already used/);
    await close(again, [404]);
});

test('a session that is ended elsewhere is over; sign out leads to the sign-in page', async () => {
    const first = await as('sam', '/profile', { fresh: true });
    await first.waitForSelector('#sessions tbody tr');
    const second = await as('sam', '/profile', { fresh: true });
    await second.waitForSelector('#sessions tbody tr:nth-child(2)');
    const rows = second.locator('#sessions tbody tr');
    for (let left = await rows.count(); left > 1; left--) {
        await rows.filter({ hasNot: second.locator('.badge') }).first().getByRole('button').click();
        await second.waitForFunction((count) => document.querySelectorAll('#sessions tbody tr').length === count, left - 1);
    }
    await first.goto(`${portal}/support/agent`);
    await first.waitForURL(/\/sign-in\?next=%2Fsupport%2Fagent/);
    await second.click('#person-button');
    await second.click('#sign-out-suite');
    await second.waitForURL(`${portal}/sign-in`);
    assert.equal(await second.evaluate(() => localStorage.getItem('assay.person')), null);
    await close(first, [401]);
    await close(second);
});

test('a personal token is shown once, works for a program and ends when it is revoked', async () => {
    const page = await as('maria', '/profile');
    await page.fill('#token-name', 'script');
    await page.click('#token button[type="submit"]');
    const token = (await page.textContent('#made code')).trim();
    const ask = () => fetch(`${portal}/experiments/api/v1/projects`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal((await ask()).status, 200);
    await page.reload();
    await page.waitForSelector('#tokens tbody tr');
    assert.equal(await page.locator('#made').count(), 0);
    await page.getByRole('button', { name: 'Revoke: script' }).click();
    await page.locator('dialog .button[data-kind="danger"]').click();
    await untilText(page, '#tokens', /No personal tokens yet/);
    assert.equal((await ask()).status, 401);
    await close(page);
});

test('whoever changes the password or signs out everywhere says whether the personal tokens end', async () => {
    const person = { username: `tokens${Date.now()}`, password: `given ${password}` };
    assert.equal((await request('POST', '/accounts/api/people', { ...person, roles: { experiments: 'viewer' } })).status, 201);
    const page = await open(`${portal}/sign-in`);
    await signInByForm(page, person);
    await page.waitForURL(/\/profile\?change=password/);
    await page.fill('#password-current', person.password);
    await page.fill('#password-new', 'tokens of my own');
    assert.equal(await page.locator('#password-end_tokens').count(), 0, 'there are none');
    await page.click('#password button[type="submit"]');
    await page.waitForURL(`${portal}/`);
    await page.goto(`${portal}/profile`);
    const makeToken = async (name) => {
        await page.fill('#token-name', name);
        await page.click('#token button[type="submit"]');
        const token = (await page.textContent('#made code')).trim();
        return async () => (await fetch(`${portal}/experiments/api/v1/projects`, { headers: { Authorization: `Bearer ${token}` } })).status;
    };
    const first = await makeToken('first');
    await page.waitForSelector('#password-end_tokens');
    await page.uncheck('#password-end_tokens');
    await page.fill('#password-current', 'tokens of my own');
    await page.fill('#password-new', 'another of my own');
    await page.click('#password button[type="submit"]');
    await page.waitForFunction(() => /** @type {HTMLInputElement} */ (document.getElementById('password-current')).value === '');
    assert.equal(await first(), 200);
    assert.ok(await page.isChecked('#password-end_tokens'), 'they end unless somebody says otherwise');
    await page.click('#everywhere');
    await page.locator('dialog .button[data-kind="danger"]').click();
    await page.waitForURL(`${portal}/sign-in`);
    assert.equal(await first(), 401);
    await close(page);
});

test('who lacks the role for a page sees which it needs and who gives it, and the page asks for nothing', async () => {
    const page = await as('cora', '/');
    for (const [path, needed] of [
        ['/admin/people', /Administration: Administrator\s+\(you have no role here\)/],
        ['/admin/keys', /Experiments: Administrator/],
        ['/support/agent', /Support: Agent, Reviewer, Administrator\s+\(your role: Viewer\)/],
        ['/experiments/projects', /Experiments: Viewer, Analyst, Administrator/],
        ['/models/compare.html', /Models: Analyst, Administrator/],
    ]) {
        const asked = [];
        page.on('request', (request) => asked.push(new URL(request.url()).pathname));
        await page.goto(portal + path);
        await untilText(page, '#access', needed);
        assert.match(await page.textContent('#access'), /Who can give it to you\s+admin/);
        assert.deepEqual(asked.filter((one) => one.includes('/api/') && !one.startsWith('/accounts/')), [], path);
        assert.equal(await page.locator('#main button').count(), 0);
        page.removeAllListeners('request');
    }
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.goto(`${portal}/support/static/chat.html`);
    await page.waitForSelector('.welcome');
    assert.equal(await page.locator('#access').count(), 0);
    await close(page);
});

test('what only some roles see looks for them as it does elsewhere, and buttons that would be refused are not there', async () => {
    const looks = (page, selector) =>
        page.locator(selector).first().evaluate((element) => {
            const range = document.createRange();
            range.selectNodeContents(element);
            const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
            return { display: getComputedStyle(element).display, off: Math.abs((text.top + text.bottom - box.top - box.bottom) / 2) };
        });
    const page = await as('maria', '/experiments/projects');
    const button = 'a.button[data-for]';
    await page.waitForSelector(button);
    const { display, off } = await looks(page, button);
    assert.ok(display.endsWith('flex') && off < 1.5, `${display}, ${off} px off the middle`);
    await page.goto(`${portal}/data/alerts`);
    await page.waitForSelector('#page .card');
    assert.equal(await page.locator('#main [data-for="data:operator data:admin"]').filter({ visible: true }).count(), 0, 'maria reads data');
    await close(page);
});

test('who gets or loses a role meanwhile sees the page, or why not', async () => {
    const username = `moving${Date.now()}`;
    const given = `given ${password}`;
    const made = await request('POST', '/accounts/api/people', { username, roles: { experiments: 'viewer' }, password: given });
    await request('PUT', '/accounts/api/password', { current: given, new: password }, { username, password: given });
    const page = await as(username, '/data/alerts');
    await page.waitForSelector('#access');
    await request('PATCH', `/accounts/api/people/${made.data.id}`, { roles: { data: 'viewer', experiments: null } });
    await page.reload();
    await page.waitForSelector('#page .card');
    await page.goto(`${portal}/experiments/projects`);
    await page.waitForSelector('#access');
    await close(page, [403]);
});

test('all results of a search are on a page of their own, which says what could not be searched', async () => {
    const page = await openAs(null, '/');
    await page.waitForSelector('[data-card="installation"]');
    await page.keyboard.press('Control+k');
    await page.fill('#palette-input', 'experiment');
    await page.click('.palette-all');
    await page.waitForURL(`${portal}/search?q=experiment`);
    await page.waitForSelector('#results-pages');
    await page.focus('#search-input');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'search-result');
    await page.keyboard.press('ArrowUp');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'search-input');
    await page.route('**/api/v1/projects?*', (route) => route.fulfill({ status: 503, json: {} }));
    await page.fill('#search-input', 'no such words anywhere');
    await untilText(page, '#page', /Could not be searched: Experiments/);
    await untilText(page, '#page', /No results for “no such words anywhere”/);
    assert.equal(new URL(page.url()).searchParams.get('q'), 'no such words anywhere');
    await page.unroute('**/api/v1/projects?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('#page .notice').waitFor({ state: 'detached' });
    assert.deepEqual(await accessibilityFaults(page), []);
    await close(page, [503]);
});

test('axe finds nothing, and nothing sticks out', async (t) => {
    await checkPages(t, (address, options) => openAs(null, address.replace(portal, ''), options), [
        [`${portal}/`, '[data-card="installation"] .badge'],
        [`${portal}/profile`, '#sessions tbody tr'],
        [`${portal}/admin/people`, '#people tbody tr'],
        [`${portal}/admin/keys`, '#area-panel .section'],
        [`${portal}/admin/keys?tab=data`, '#area-panel .section'],
        [`${portal}/admin/webhooks`, '#area-panel .section'],
        [`${portal}/admin/webhooks?tab=data`, '#data-hooks .empty'],
        [`${portal}/admin/audit`, '#audit tbody tr'],
        [`${portal}/admin/backups`, '#export'],
        [`${portal}/admin/system`, '[data-service="livedata"] tbody tr'],
    ]);
});
