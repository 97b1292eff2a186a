/* The texts of the pages and the rules of their markup; needs no browser. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'static');
const own = readdirSync(root, { recursive: true })
    .filter((name) => !/^(node_modules|vendor|tools)\b/.test(name))
    .map((name) => ({ name, path: join(root, name) }));
const read = ({ path }) => readFileSync(path, 'utf8');
const pages = own.filter(({ name }) => name.endsWith('.html'));
const modules = own.filter(({ name }) => name.endsWith('.js'));
const catalogues = Object.fromEntries(
    own
        .filter(({ name }) => /^shared\/locales\/\w+\.json$/.test(name))
        .map((file) => [/(\w+)\.json$/.exec(file.name)[1], JSON.parse(read(file))]),
);
const { en: english } = catalogues;

const placeholders = (text) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();

test('there are seven catalogues', () => {
    assert.deepEqual(Object.keys(catalogues).sort(), ['ar', 'de', 'en', 'es', 'fr', 'ru', 'zh']);
});

for (const [tag, catalogue] of Object.entries(catalogues))
    test(`the catalogue ${tag} has the keys and placeholders of the English one`, () => {
        assert.deepEqual(Object.keys(catalogue), Object.keys(english));
        for (const [key, text] of Object.entries(catalogue)) {
            assert.notEqual(text.trim(), '', key);
            assert.deepEqual(placeholders(text), placeholders(english[key]), key);
        }
    });

const decoded = (text) =>
    text
        .replace(/&lt;/g, '<')
        .replace(/&gt;/g, '>')
        .replace(/&amp;/g, '&')
        .replace(/\s+/g, ' ')
        .trim();

for (const page of pages)
    test(`${page.name} says in English what the catalogue says`, () => {
        const marked = [...read(page).matchAll(/data-i18n="([^"]+)"[^>]*>([^<]*)</g)];
        assert.ok(marked.length > 0);
        for (const [, key, text] of marked) assert.equal(decoded(text), english[key], key);
        for (const [tag, name, key] of read(page).matchAll(
            /<[^>]*data-i18n-([a-z-]+)="([^"]+)"[^>]*>/g,
        ))
            assert.equal(
                decoded(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)[1]),
                english[key],
                key,
            );
    });

/* Keys written out in scripts; `a.${b}` counts for every key that fits. */
function keysIn(source) {
    const plain = [...source.matchAll(/['"]([a-z_]+(?:\.[a-z_0-9]+)+)['"]/g)].map(([, key]) => key);
    const patterns = [...source.matchAll(/`([a-z_]+\.[^`]*\$\{[^`]*)`/g)].map(
        ([, template]) =>
            new RegExp(`^${template.replace(/\./g, '\\.').replace(/\$\{[^}]*\}/g, '[a-z_0-9]+')}$`),
    );
    return { plain, patterns };
}

test('every key that a script asks for exists, and every key is asked for', () => {
    const used = modules.map((file) => keysIn(read(file)));
    const inPages = pages.flatMap((page) =>
        [...read(page).matchAll(/data-i18n(?:-[a-z-]+)?="([^"]+)"/g)].map(([, key]) => key),
    );
    const groups = new Set(Object.keys(english).map((key) => key.split('.')[0]));
    const plain = new Set([
        ...used.flatMap((keys) => keys.plain).filter((key) => groups.has(key.split('.')[0])),
        ...inPages,
    ]);
    const patterns = used.flatMap((keys) => keys.patterns);
    const missing = [...plain].filter((key) => !(key in english) && key !== 'assay.token');
    assert.deepEqual(missing, []);
    const lists = /^(boundary|split)\./; /* asked for by column, from a list of names */
    const unused = Object.keys(english).filter(
        (key) =>
            !plain.has(key) && !patterns.some((pattern) => pattern.test(key)) && !lists.test(key),
    );
    assert.deepEqual(unused, []);
});

for (const page of pages)
    test(`${page.name} holds no inline script or style and loads nothing from elsewhere`, () => {
        const source = read(page);
        assert.doesNotMatch(source, /<script(?![^>]*\ssrc=)/);
        assert.doesNotMatch(source, /<style|\sstyle=|\son[a-z]+=/);
        for (const [, address] of source.matchAll(/(?:src|href)="([^"#]+)"/g))
            assert.match(address, /^\/(?!\/)/, address);
    });

test('scripts set no styles and insert no markup', () => {
    for (const file of modules)
        assert.doesNotMatch(
            read(file),
            /\.style\b|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/,
            file.name,
        );
});

test('lock files name no registry', () => {
    for (const path of [
        join(root, 'package-lock.json'),
        join(root, '..', 'tests', 'browser', 'package-lock.json'),
    ])
        assert.doesNotMatch(readFileSync(path, 'utf8'), /"resolved"/);
});
