/* A program signs in by OAuth with a real browser: sign-in, consent, the way back, the profile that ends it. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { checkLook, close, inLook, looks, open, openAs, portal, request, signInByForm, untilText } from './browser.js';

const person = { username: `programs${Date.now()}`, password: 'a password of the browser tests' };
const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');
const name = 'Редактор 编辑器 <b>x</b>';

/* The program: it waits at an address of this computer for what the browser brings. */
const came = [];
const program = createServer((asked, answer) => {
    const url = new URL(asked.url, 'http://x');
    if (url.pathname === '/callback') came.push(url.searchParams);
    answer.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Program</title><link rel="icon" href="data:,"><p id="thanks">Thank you</p>');
});
let redirect;
let clientId;

const post = (path, body, type) => fetch(`${portal}/accounts/api/oauth/${path}`, { method: 'POST', headers: { 'Content-Type': type }, body });

before(async () => {
    await once(program.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (program.address());
    redirect = `http://127.0.0.1:${port}/callback`;
    const first = `first ${person.password}`;
    assert.equal((await request('POST', '/accounts/api/people', { username: person.username, roles: { experiments: 'analyst' }, password: first })).status, 201);
    await request('PUT', '/accounts/api/password', { current: first, new: person.password }, { username: person.username, password: first });
    const registered = await post('register', JSON.stringify({ client_name: name, redirect_uris: ['http://127.0.0.1/callback'] }), 'application/json');
    assert.equal(registered.status, 201, await registered.clone().text());
    clientId = (await registered.json()).client_id;
});

after(() => program.close());

const address = (changes = {}) =>
    `${portal}/oauth/authorize?${new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirect,
        response_type: 'code',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        scope: 'read write',
        state: 'a state',
        resource: `${portal}/mcp`,
        prompt: 'consent',
        ...changes,
    })}`;

async function tokensOf(code) {
    const form = new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: redirect });
    return (await post('token', form.toString(), 'application/x-www-form-urlencoded')).json();
}

test('a person signs in, lets a program in, and ends it in the profile', async () => {
    const page = await open(address());
    await page.waitForURL(/\/sign-in\?next=/);
    await signInByForm(page, person);
    await untilText(page, 'h1', `Let \u2068${name}\u2069 in?`);
    await untilText(page, '#returns-to', new URL(redirect).origin);
    assert.equal(await page.isChecked('#right-read'), true);
    await page.check('#right-write');
    await page.click('#allow');
    await page.waitForSelector('#thanks');
    const back = came.pop();
    assert.deepEqual([back.get('state'), back.get('iss')], ['a state', portal]);
    const tokens = await tokensOf(back.get('code'));
    assert.equal(tokens.scope, 'read write');
    const ask = async () => (await fetch(`${portal}/experiments/api/v1/projects`, { headers: { Authorization: `Bearer ${tokens.access_token}` } })).status;
    assert.equal(await ask(), 200);
    await page.goto(`${portal}/profile`);
    await untilText(page, '#programs tbody', /Редактор/);
    await page.click('#programs tbody button');
    await page.click('dialog[open] [data-kind="danger"]');
    await untilText(page, '#programs', /No program is let in/);
    assert.equal(await ask(), 401);
    await close(page, [401]);
});

test('a person refuses, and the program hears it', async () => {
    const page = await openAs(person, `/oauth/authorize?${new URL(address({ scope: 'read' })).searchParams}`);
    await page.waitForSelector('#right-read');
    assert.equal(await page.locator('#right-write').count(), 0);
    await page.click('#refuse');
    await page.waitForSelector('#thanks');
    assert.equal(came.pop().get('error'), 'access_denied');
    await close(page);
});

for (const [what, changes, said, status] of /** @type {const} */ ([
    ['a program that nobody knows', { client_id: 'x' }, /not registered here/, [404]],
    ['an address that was not registered', { redirect_uri: 'https://elsewhere.example/' }, /has not registered/, [422]],
    ['no program', { client_id: '' }, /not registered here/, []],
    ['a request for another resource', { resource: 'https://elsewhere.example/mcp' }, /cannot be granted \(invalid_target\)/, []],
]))
    test(`the page says what is wrong: ${what}`, async () => {
        const page = await openAs(person, `/oauth/authorize?${new URL(address(changes)).searchParams}`);
        await untilText(page, '[role="alert"]', said);
        assert.equal(came.length, 0);
        assert.equal(await page.locator('#allow').count(), 0);
        await close(page, status);
    });

test('the page is readable in every look', async () => {
    for (const look of looks) {
        const page = await openAs(person, inLook(`/oauth/authorize?${new URL(address()).searchParams}`, look), look.options);
        await page.waitForSelector('#allow');
        await checkLook(page, `authorize, ${look.name}`, look);
        await close(page);
    }
});
