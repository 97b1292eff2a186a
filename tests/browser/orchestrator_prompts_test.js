/* Prompts: written, changed beside what differs, tried with values, put into production, and their code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffLines, partsOf, snippets, variablesOf } from '../../static/orchestrator/prompts/template.js';
import { accessibilityFaults, close, open, untilText } from './browser.js';

const orchestrator = process.env.ASSAY_ORCHESTRATOR_URL.replace(/\/$/, '');
const at = (path) => orchestrator + path;

test('variables are those that the service fills in', () => {
    const messages = [{ role: 'system', content: 'Be {{tone}}, {{ b.c }} or {{tone}}. {{ not one }} {{}' }, { role: 'user', content: '{{name}}' }];
    assert.deepEqual(variablesOf(messages), ['tone', 'b.c', 'name']);
    assert.deepEqual(partsOf('a {{b}} c'), [{ text: 'a ', name: null }, { text: '{{b}}', name: 'b' }, { text: ' c', name: null }]);
});

test('what differs between two texts, line by line', () => {
    const told = (before, after) => diffLines(before, after).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`);
    assert.deepEqual(told(['a', 'b', 'c'], ['a', 'x', 'c', 'd']), [' a', '-b', '+x', ' c', '+d']);
    assert.deepEqual(told([], ['a']), ['+a']);
    assert.deepEqual(told(['a'], []), ['-a']);
});

test('the code of a call names the prompt, its version and its variables', () => {
    const code = snippets({ name: 'greeting', version: 2, variables: ['name'], model: 'gpt', base: 'http://host/v1' });
    assert.match(code.curl, /^curl -sS http:\/\/host\/v1\/responses[^]*"prompt": \{"id": "greeting", "version": "2", "variables": \{"name": "…"\}\}/);
    assert.match(code.python, /base_url="http:\/\/host\/v1"[^]*prompt=\{"id": "greeting"/);
});

test('a prompt from its first version to production', async () => {
    const page = await open(at('/prompts.html'));
    await page.click('#add-prompt');
    assert.ok(await page.isDisabled('#save-prompt'));
    await page.fill('#prompt-name', 'two words');
    await page.fill('#content-0', 'Be {{tone}}.');
    await page.fill('#content-1', 'Greet {{ name }}.');
    await untilText(page, '#variables', /tone, name/);
    await page.click('#save-prompt');
    await untilText(page, '#editor [role="alert"]', /Letters, digits/);
    await page.fill('#prompt-name', 'greeting');
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('#save-prompt');
    await untilText(page, '#prompt-title', /^greeting$/);
    assert.equal(await page.title(), 'greeting · Assay');
    await page.click('#new-version');
    await untilText(page, '#diff', /No changes/);
    await page.fill('#content-0', 'Be {{tone}} and brief.');
    await untilText(page, '#diff [data-kind="added"]', /and brief/);
    await untilText(page, '#diff [data-kind="removed"]', /Be \{\{tone\}\}\./);
    await page.click('#save-prompt');
    await page.waitForSelector('#promote');
    await untilText(page, '#diff', /and brief/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('#promote');
    await page.waitForSelector('#promote', { state: 'detached' });
    await page.selectOption('#version', '1');
    await page.waitForSelector('#promote');
    await page.goBack();
    await page.waitForSelector('#promote', { state: 'detached' });
    assert.ok(await page.isDisabled('#run-trial'));
    await page.fill('#value-tone', 'kind');
    await page.fill('#value-name', 'Ann');
    await page.click('#run-trial');
    await untilText(page, '#trial-answer', /Simulated response for: .*Be kind and brief\.[^]*Greet Ann\./);
    await page.click('#code-tab-python');
    await untilText(page, '#code-panel', /client\.responses\.create[^]*"id": "greeting", "version": "2"/);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.click('#back');
    await untilText(page, 'tbody', /greeting[^]*Version 2[^]*tone, name/);
    await page.click('tbody a');
    await page.click('#delete-prompt');
    await page.click('dialog button:has-text("Delete")');
    await page.waitForSelector('#add-prompt');
    await page.waitForSelector('.empty');
    await close(page, [422]);
});
