/*
 * A newcomer's first hour on the demonstration, as `make run` makes it: signs in once, decides, asks and is answered,
 * compares, looks something up, lets others in, and leaves. One journey, in this order.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { close, open, signInByForm, untilText } from './browser.js';

const portal = process.env.ASSAY_DEMO_URL?.replace(/\/$/, '');
const administrator = { username: 'admin', password: process.env.ASSAY_DEMO_PASSWORD };
const chosen = 'a password of their own choice';
const run = Date.now().toString(36); /* people are new on a stack that has seen this journey, too */
const endsWithinMs = 5000; /* a session that was ended, in what another browser shows */

const shown = async (page, selector) => (await page.locator(selector).filter({ visible: true }).allTextContents()).map((text) => text.trim());
const areas = (page) => shown(page, '.site-areas a');

/* The pages of the area in the menu; those about its API are for everybody. */
async function menu(page) {
    const names = await shown(page, '.site-nav > ul:not(.site-nav-areas) a');
    return names.filter((name) => name !== 'Try the API' && name !== 'API reference');
}

/* A browser of its own, signed in through the form of the page at `path`, which follows. */
async function signIn(person, path) {
    const page = await open(portal + path);
    await page.waitForURL(/\/sign-in\?next=/);
    await signInByForm(page, person);
    return page;
}

/* By the menus, as a person goes. */
async function go(page, area, name) {
    await page.click(`.site-areas a:has-text("${area}")`);
    await page.locator('.site-nav > ul:not(.site-nav-areas) a').getByText(name, { exact: true }).click();
    await page.waitForSelector(`.site-nav a[aria-current="page"]:has-text("${name}")`);
}

/* An administrator adds somebody with one role. */
async function addPerson(page, { username, name, password }, area, role) {
    await page.goto(`${portal}/admin/people`);
    await page.click('#add');
    await page.fill('#person-username', username);
    await page.fill('#person-name', name);
    await page.selectOption(`#person-role_${area}`, role);
    await page.fill('#person-password', password);
    await page.click('dialog button[type="submit"]');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.locator('#people tbody tr', { hasText: name }).waitFor();
}

/* Somebody new replaces the password that they were given, and then sees what they asked for. */
async function begin(person, path) {
    const page = await signIn(person, path);
    await page.waitForURL(/\/profile\?change=password/);
    await page.fill('#password-current', person.password);
    await page.fill('#password-new', chosen);
    await page.click('#password button[type="submit"]');
    return page;
}

test('the first hour', { skip: !portal }, async (t) => {
    let page;

    await t.test('signs in once, and home shows what waits', async () => {
        page = await signIn(administrator, '/');
        await page.waitForURL(`${portal}/`);
        assert.deepEqual(await areas(page), ['Experiments', 'Support', 'Models', 'Data']);
        await untilText(page, '[data-card="experiments"]', /[1-9]\d*\s+experiments? ready to decide/);
        await untilText(page, '[data-card="support"]', /[1-9]\d*\s+customer questions? waiting/);
        await untilText(page, '[data-card="installation"]', /All services are running/);
    });

    await t.test('reads a decision that is ready and ships it with a note', async () => {
        await page.click('[data-card="experiments"] .home-rows a:has-text("Checkout in two steps")');
        await untilText(page, '.experiment-verdict-head .badge', 'Ready to decide');
        await untilText(page, '#verdict', 'Ship it');
        await untilText(page, '#reasons', /is better than control/);
        await page.click('#ship');
        await page.fill('dialog #outcome-note', 'To everybody from Monday.');
        await page.click('dialog button[type="submit"]');
        await untilText(page, '.experiment-verdict-head .badge', 'Decided');
        await untilText(page, '.outcome-note', 'To everybody from Monday.');
    });

    await t.test('a customer asks, hands over, and sees the reply arrive', async () => {
        const customer = { username: `carla${run}`, name: `Carla ${run}`, password: 'given to carla' };
        await addPerson(page, customer, 'support', 'viewer');
        const second = await begin(customer, '/support/');
        await second.waitForURL(/\/support\/static\/chat\.html$/);
        assert.deepEqual(await menu(second), ['Ask']);
        await second.fill('#question', 'How long does the warranty last?');
        await second.press('#question', 'Enter');
        await untilText(second, '.message[data-role="assistant"][aria-busy="false"]', /12 months/);
        await second.click('#ask-person');
        await second.fill('#reason', 'Mine has a dent.');
        await second.click('#reason-send');
        await second.waitForSelector('.waits');

        await go(page, 'Support', 'Inbox');
        await page.click('.ticket:has-text("How long does the warranty last?")');
        await untilText(page, '#ticket .inbox-thread [data-role="user"]', /warranty/);
        await page.fill('#respond-response', 'A dent is not covered, but we look at it for free.');
        await page.click('#respond button[type="submit"]');
        await untilText(page, '#ticket [data-role="person"]', /for free/);

        await untilText(second, '.message[data-role="person"]', /for free/);
        await second.waitForSelector('.waits', { state: 'detached' });
        await close(second, [401, 404]);
    });

    await t.test('compares two models', async () => {
        await go(page, 'Models', 'Compare');
        await page.waitForSelector('.choices input:checked >> nth=1');
        await page.fill('#query-input', 'Which is better, tea or coffee?');
        await page.click('#btn-submit:not([disabled])');
        await page.waitForSelector('#answer-1');
        const answers = await shown(page, '.answers .card');
        assert.equal(answers.length, 2);
        for (const answer of answers) assert.match(answer, /Simulated/);
        assert.equal(await page.locator('.answers .badge[data-tone="danger"]').count(), 0);
    });

    await t.test('finds an order, and how fresh it is', async () => {
        await go(page, 'Data', 'Explore');
        const found = page.locator('#found button', { hasText: 'ORD-' }).first();
        await found.waitFor();
        const order = await found.textContent();
        await found.click();
        await untilText(page, '#entity-title', order);
        assert.match(await page.textContent('[data-trust]'), /Last change .* ago\.\s+Data (up to date|may be behind)/);
    });

    await t.test('a person with one role sees its area and nothing else', async () => {
        const colleague = { username: `dora${run}`, name: `Dora ${run}`, password: 'given to dora' };
        await addPerson(page, colleague, 'data', 'viewer');
        const second = await begin(colleague, '/data/explorer');
        await second.waitForURL(`${portal}/data/explorer`);
        await second.waitForSelector('#found button');
        assert.deepEqual(await areas(second), ['Data']);
        assert.deepEqual(await menu(second), ['Overview', 'Explore', 'Events', 'Failed events', 'Alerts', 'Service levels', 'Contracts']);
        await second.goto(`${portal}/`);
        await second.waitForSelector('[data-card="data"] .home-figure');
        assert.deepEqual(await shown(second, '[data-card] h2'), ['Data']);
        await second.goto(`${portal}/admin/people`);
        await untilText(second, '#access', /You need another role for this page/);
        await close(second, [401, 403]);
    });

    await t.test('signs out everywhere: another browser is signed out, too', async () => {
        const second = await signIn(administrator, '/support/agent');
        await second.waitForSelector('.ticket');
        await page.click('#person-button');
        await page.click('.person-links a');
        await page.waitForSelector('#sessions tbody tr:nth-child(2)');
        await page.click('#everywhere');
        await page.locator('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
        await page.waitForURL(`${portal}/sign-in`);
        const isSignedOut = async () => (await fetch('/support/api/agent/tickets?limit=1')).status === 401;
        await second.waitForFunction(isSignedOut, undefined, { timeout: endsWithinMs });
        await second.locator('.site-nav').getByText('Documents', { exact: true }).click();
        await second.waitForURL(/\/sign-in\?next=/);
        await close(second, [401]);
        await close(page, [401]);
    });
});
