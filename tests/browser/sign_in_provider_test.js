/*
 * Signing in by an identity provider with a real browser: from the button of the sign-in page to the provider's forms,
 * back to the page that was asked for, out again; and what the sign-in page says when it fails.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open, untilText } from './browser.js';

const portal = process.env.ASSAY_GUARDED_PORTAL_URL;
const port = process.env.ASSAY_PROVIDER_PORT;
const issuer = `http://127.0.0.1:${port}`;
const people = { ann: { name: 'Ann Lee', email: 'ann@example.com', email_verified: true, groups: ['staff'] } };
const clients = [
    {
        client_id: 'browser',
        client_secret: 'browser-test-secret-of-the-provider',
        redirect_uris: [`${portal}/accounts/api/oidc/callback`],
        post_logout_redirect_uris: [`${portal}/sign-in`],
    },
];

/** @type {import('node:child_process').ChildProcess} */
let provider;

before(async () => {
    const install = fileURLToPath(new URL('../oidc_provider/install', import.meta.url));
    const folder = execFileSync(install, { encoding: 'utf8' }).trim();

    provider = spawn('node', [`${folder}/provider.mjs`], {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, ASSAY_TEST_PORT: port, ASSAY_TEST_PEOPLE: JSON.stringify(people), ASSAY_TEST_CLIENTS: JSON.stringify(clients) },
    });
    await once(provider.stdout, 'data');
});

after(() => provider.kill());

/* The provider's forms, which belong to it: sign in, then agree. */
async function agree(page) {
    await page.fill('input[name="login"]', 'ann');
    await page.fill('input[name="password"]', 'any');
    await page.click('button[type="submit"]');
    await page.waitForSelector('input[name="prompt"][value="consent"]', { state: 'attached' });
    await page.click('button[type="submit"]');
}

test('a person comes in by the provider, and leaves it again', async () => {
    const page = await open(`${portal}/sign-in?next=${encodeURIComponent('/profile')}`);

    await untilText(page, '#oidc', 'Sign in with Example account');
    await page.click('#oidc');
    await page.waitForURL(`${issuer}/**`);
    await agree(page);
    await page.waitForURL(`${portal}/profile`);
    const { person } = await page.evaluate(async () => (await fetch('/accounts/api/session')).json());
    assert.equal(person.name, 'Ann Lee');
    assert.equal(person.roles.support, 'agent');
    await page.click('#person-button');
    await page.click('#sign-out-suite');
    await page.waitForURL(`${issuer}/session/end**`);
    await page.click('button[name="logout"]');
    await page.waitForURL(`${portal}/sign-in**`);
    await page.context().close();
});

test('a person who does not agree is back at the page of sign-in, which says so', async () => {
    const page = await open(`${portal}/sign-in`);

    await page.click('#oidc');
    await page.waitForURL(`${issuer}/**`);
    await page.click('a[href$="/abort"]');
    await page.waitForURL(`${portal}/sign-in?problem=oidc_denied**`);
    await untilText(page, '[role="alert"]', /canceled or refused/);
    await page.context().close();
});

for (const [code, said] of [
    ['oidc_expired', /took too long/],
    ['oidc_refused', /could not be verified/],
    ['oidc_unavailable', /does not answer/],
    ['oidc_no_access', /no access here/],
    ['oidc_account_exists', /has a password/],
    ['something_else', /./],
])
    test(`the page of sign-in explains ${code}`, async () => {
        const page = await open(`${portal}/sign-in?problem=${code}`);

        await untilText(page, '[role="alert"]', said);
        await page.context().close();
    });
