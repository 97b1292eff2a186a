/*
 * Puts the modules and the style sheets of every page together, so that a first visit needs few requests:
 *
 *   node concatenate.js OUT <LIST      a line of LIST: SCRIPT SHEET..., paths below static/
 *
 * OUT/shared.js and OUT/shared.css hold what at least half of the pages need; OUT/<script>.js and .css, with - for /,
 * the rest of one page. A module becomes a function that runs once, in the order in which the browser would run it;
 * names, comments and lines stay as they are. The modules themselves stay readable at their own addresses.
 *
 * This is no bundler: it knows the forms of import and export that our modules and vendor/ use, and refuses others.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const space = /(?:\s|\/\*[^]*?\*\/|\/\/[^\n]*\n)*/y;
const named = /(import|export)\s*\{([^}]*)\}\s*from\s*(['"])(\.[^'"]+)\3;?/y;
const bare = /import\s*(['"])(\.[^'"]+)\1;?/y;
const declared = /^export ((?:async )?function\*?|class|const) (\w+)/gm;
const listed = /\bexport\s*\{([^}]*)\};?\s*$/;

/* [[name outside, name inside]] of 'a, b as c': as imports write it, the first is the other module's. */
function pairsOf(list) {
    return list
        .split(',')
        .map((pair) => pair.trim().split(/\s+as\s+/))
        .filter(([name]) => name !== '')
        .map(([first, second = first]) => [first, second]);
}

function match(pattern, text, at) {
    pattern.lastIndex = at;
    return pattern.exec(text);
}

/* {imports: [{from, pairs}], exports: [[name outside, expression]], body} of a module; its imports come first. */
function parse(path, text) {
    const imports = [];
    const exports = [];
    const resolve = (specifier) => posix.join(posix.dirname(path), specifier);
    let at = 0;
    for (;;) {
        const begin = at + match(space, text, at)[0].length;
        const from = match(named, text, begin);
        const effect = from ? null : match(bare, text, begin);
        if (!from && !effect) break;
        at = begin + (from ?? effect)[0].length;
        if (effect) imports.push({ from: resolve(effect[2]), pairs: [] });
        else if (from[1] === 'import') imports.push({ from: resolve(from[4]), pairs: pairsOf(from[2]) });
        else {
            const source = resolve(from[4]);
            imports.push({ from: source, pairs: [] });
            for (const [inside, outside] of pairsOf(from[2])) exports.push([outside, `$[${JSON.stringify(source)}].${inside}`]);
        }
    }
    let body = text.slice(at).replace(/\/\/# sourceMappingURL=.*\s*$/, '');
    body = body.replace(declared, (_, kind, name) => {
        exports.push([name, name]);
        return `${kind} ${name}`;
    });
    body = body.replace(listed, (_, list) => {
        for (const [inside, outside] of pairsOf(list)) exports.push([outside, inside]);
        return '';
    });
    if (/^(?:import\b(?!\()|export\b)/m.test(body)) throw new Error(`static/${path}: a form of import or export that is not known here`);
    return { imports, exports, body: body.replaceAll('import.meta.url', `new URL('../${path}', import.meta.url).href`) };
}

const modules = new Map();

function moduleAt(path) {
    if (!modules.has(path)) modules.set(path, parse(path, readFileSync(join(root, path), 'utf8')));
    return modules.get(path);
}

/* The paths of all modules of a script in the order of their evaluation. */
function graphOf(script) {
    const order = [];
    const open = new Set();
    const visit = (path) => {
        if (order.includes(path)) return;
        if (open.has(path)) throw new Error(`static/${path} imports itself`);
        open.add(path);
        for (const { from } of moduleAt(path).imports) visit(from);
        order.push(path);
    };
    visit(script);
    return order;
}

function written(path) {
    const { imports, exports, body } = moduleAt(path);
    const names = imports
        .filter(({ pairs }) => pairs.length > 0)
        .map(({ from, pairs }) => `const { ${pairs.map(([a, b]) => (a === b ? a : `${a}: ${b}`)).join(', ')} } = $[${JSON.stringify(from)}];`);
    const getters = exports.map(([name, expression]) => `get ${name}() { return ${expression}; }`);
    return `/* static/${path} */\n$[${JSON.stringify(path)}] = await (async () => {\n${names.join('\n')}\n${body}\nreturn { ${getters.join(', ')} };\n})();\n`;
}

/* Those of `lists` that at least half of them hold, in the order in which they first come. */
function commonOf(lists) {
    const count = new Map();
    for (const list of lists) for (const item of list) count.set(item, (count.get(item) ?? 0) + 1);
    return [...count].filter(([, times]) => times * 2 >= lists.length).map(([item]) => item);
}

const out = process.argv[2];
const pages = readFileSync(0, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
    .map(([script, ...sheets]) => ({ name: script.replace(/\.js$/, '').replaceAll('/', '-'), sheets, graph: graphOf(script) }));
const commonModules = commonOf(pages.map(({ graph }) => graph));
const commonSheets = commonOf(pages.map(({ sheets }) => sheets));
const textOf = (sheets) => sheets.map((sheet) => `/* static/${sheet} */\n${readFileSync(join(root, sheet), 'utf8')}`).join('\n');

mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'shared.js'), `export const $ = {};\n${commonModules.map(written).join('\n')}`);
writeFileSync(join(out, 'shared.css'), textOf(commonSheets));
for (const { name, sheets, graph } of pages) {
    const own = graph.filter((path) => !commonModules.includes(path));
    writeFileSync(join(out, `${name}.js`), `import { $ } from './shared.js';\n${own.map(written).join('\n')}`);
    writeFileSync(join(out, `${name}.css`), textOf(sheets.filter((sheet) => !commonSheets.includes(sheet))));
}
