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
const parsed = (file) => JSON.parse(read(file));
const tags = readdirSync(join(root, '..', 'locales')).map((name) => name.replace('.json', ''));
const languages = Object.fromEntries(
    tags.map((tag) => [tag, parsed({ path: join(root, '..', 'locales', `${tag}.json`) })]),
);
const sections = Object.keys(languages.en.pages);
const catalogue = (section, tag) => languages[tag].pages[section];

/* The English texts that nginx puts into a page below static/<service>/<page>/. */
function englishOf(file) {
    const [service] = file.name.split('/');
    const [, page] = /data-page="(\w+)"/.exec(read(file));
    const asked = ['shared', service, `${service}/${page}`];
    return Object.assign({}, ...asked.map((section) => catalogue(section, 'en') ?? {}));
}

const formsOf = (text) => (typeof text === 'string' ? [text] : Object.values(text));
const placeholders = (text) =>
    [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name))].sort();
const allPlaceholders = (text) => [...new Set(formsOf(text).flatMap(placeholders))].sort();

test('every language has every section, its name and its direction', () => {
    for (const tag of tags) {
        assert.deepEqual(Object.keys(languages[tag].pages), sections, tag);
        assert.match(languages[tag].language.direction, /^(ltr|rtl)$/, tag);
        assert.ok(languages[tag].language.name, tag);
    }
});

for (const folder of sections) {
    const english = catalogue(folder, 'en');
    for (const tag of tags)
        test(`${folder}/${tag} has the keys and placeholders of the English one`, () => {
            const texts = catalogue(folder, tag);
            assert.deepEqual(Object.keys(texts), Object.keys(english));
            for (const [key, text] of Object.entries(texts)) {
                for (const form of formsOf(text)) assert.notEqual(form.trim(), '', key);
                assert.deepEqual(allPlaceholders(text), allPlaceholders(english[key]), key);
                assert.equal(typeof text, typeof english[key], key);
            }
        });
    for (const tag of tags)
        test(`${folder}/${tag} has every plural form of its language`, () => {
            const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
            for (const [key, text] of Object.entries(catalogue(folder, tag)))
                if (typeof text === 'object')
                    assert.deepEqual(Object.keys(text).sort(), [...pluralCategories].sort(), key);
        });
}

const decoded = (text) =>
    text
        .replace(/&lt;/g, '<')
        .replace(/&gt;/g, '>')
        .replace(/&amp;/g, '&')
        .replace(/\s+/g, ' ')
        .trim();

for (const page of pages)
    test(`${page.name} says in English what the catalogue says`, () => {
        const english = englishOf(page);
        const marked = [...read(page).matchAll(/data-i18n="([^"]+)"[^>]*>([^<]*)</g)];
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
            new RegExp(`^${template.replace(/\./g, '\\.').replace(/\$\{[^}]*\}/g, '[a-z_0-9-]+')}$`),
    );
    return { plain, patterns };
}

/* Written by nginx into every page. */
const frame = ['header', 'footer'].map((name) =>
    readFileSync(join(root, '..', 'nginx', 'pages', `${name}.conf`), 'utf8'),
);
const list = JSON.parse(readFileSync(join(root, 'pages.json'), 'utf8'));
const inFrame = [
    ...frame.flatMap((text) =>
        [...text.matchAll(/data-i18n(?:-[a-z-]+)?="([^"@]+)"/g)].map(([, key]) => key),
    ),
    ...Object.keys(list).map((service) => `service.${service}`),
    ...Object.values(list).flatMap((pages) => pages.filter(({ page }) => page).map(({ page }) => `nav.${page}`)),
    'nav.docs',
    'nav.redoc',
];

test('every key that a script asks for exists, and every key is asked for', () => {
    const english = Object.assign({}, ...sections.map((section) => catalogue(section, 'en')));
    const used = modules.map((file) => keysIn(read(file)));
    const inPages = pages.flatMap((page) =>
        [...read(page).matchAll(/data-i18n(?:-[a-z-]+)?="([^"]+)"/g)].map(([, key]) => key),
    );
    const groups = new Set(Object.keys(english).map((key) => key.split('.')[0]));
    const plain = new Set([
        ...used.flatMap((keys) => keys.plain).filter((key) => groups.has(key.split('.')[0])),
        ...inPages,
        ...inFrame,
    ]);
    const patterns = used.flatMap((keys) => keys.patterns);
    const shown = new Set(
        Object.entries(list).flatMap(([, pages]) =>
            pages.filter(({ menu }) => menu === false).map(({ page }) => `nav.${page}`),
        ),
    );
    const missing = [...plain].filter(
        (key) => !(key in english) && !shown.has(key) && key !== 'service.portal',
    );
    assert.deepEqual(missing, []);
    const lists = /^(boundary|split)\./; /* asked for by column, from a list of names */
    const unused = Object.keys(english).filter(
        (key) =>
            !plain.has(key) && !patterns.some((pattern) => pattern.test(key)) && !lists.test(key),
    );
    assert.deepEqual(unused, []);
});

test('every page of the list is there, and says which one it is', () => {
    for (const [service, rows] of Object.entries(list))
        for (const { page, path, bare } of rows.filter((row) => row.page)) {
            const file = path === '/' ? 'index.html' : `${page}/page.html`;
            const source = readFileSync(join(root, service, file), 'utf8');
            assert.match(source, new RegExp(`data-service="${service}" data-page="${page}"`));
            for (const piece of [`${page}-head`, ...(bare ? [] : [`${page}-header`, 'footer'])])
                assert.ok(source.includes(`virtual="/shell/${piece}"`), `${file}: ${piece}`);
        }
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
    const elsewhere = /support\/help\/widget\.js$/; /* runs in the pages of other sites, which have no sheet of ours */
    for (const file of modules.filter(({ name }) => !elsewhere.test(name)))
        assert.doesNotMatch(
            read(file),
            /\.style\b|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/,
            file.name,
        );
});

test('templates hold no style and no listener written as an attribute', () => {
    for (const file of modules)
        for (const [template] of read(file).matchAll(/\b(?:html|svg)`[^`]*/g))
            assert.doesNotMatch(template, /\sstyle=|\son[a-z]+=/, file.name);
});

test('lock files name no registry', () => {
    for (const path of [
        join(root, 'package-lock.json'),
        join(root, '..', 'tests', 'browser', 'package-lock.json'),
    ])
        assert.doesNotMatch(readFileSync(path, 'utf8'), /"resolved"/);
});
