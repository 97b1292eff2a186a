/*
 * Copies the third-party files that pages refer to into vendor/, under names that carry the version
 * (so that they may be cached for good), and fails when a page refers to a file that is not there.
 *
 * swagger-ui-dist and Inter come from node_modules (`npm ci`, pinned by package-lock.json). Redoc
 * is fetched as one package and pinned here: its prebuilt bundle needs none of the hundred packages
 * that installing it as a dependency would bring.
 */
import { execFileSync } from 'node:child_process';
import {
    copyFileSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    readdirSync,
    rmSync,
    writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vendor = join(root, 'vendor');

const installed = [
    {
        name: 'swagger-ui',
        package: 'swagger-ui-dist',
        files: ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'],
    },
    {
        name: 'inter',
        package: '@fontsource-variable/inter',
        files: [
            'files/inter-latin-wght-normal.woff2',
            'files/inter-cyrillic-wght-normal.woff2',
            'LICENSE',
        ],
    },
    {
        name: 'lit-html',
        package: 'lit-html',
        folders: true, /* its modules find one another */
        files: [
            'lit-html.js',
            'async-directive.js',
            'directive.js',
            'directive-helpers.js',
            'directives/keyed.js',
            'directives/live.js',
            'directives/ref.js',
            'directives/repeat.js',
            'LICENSE',
        ],
    },
    { name: 'marked', package: 'marked', files: ['lib/marked.esm.js', 'LICENSE'] },
    {
        name: 'uplot',
        package: 'uplot',
        files: ['dist/uPlot.esm.js', 'dist/uPlot.min.css', 'LICENSE'],
    },
];

const redoc = {
    version: '2.5.4',
    integrity:
        'sha512-M6jWhG1qoBnH6TFmzJnstyCZ87HmOY/UzDm78mHiYihEdlV/YcS9ogOo1NlElnJMeLsyxHFe2yFc4sNjHTrABQ==',
    files: ['bundles/redoc.standalone.js', 'bundles/redoc.standalone.js.LICENSE.txt', 'LICENSE'],
    /* The one address that the page would fetch from elsewhere: a logo. Empty, it is left out. */
    externalImage: 'https://cdn.redoc.ly/redoc/logo-mini.svg',
};

/* Modules name a source map that is not shipped; the browser's tools would ask for it. */
function withoutSourceMap(file) {
    const source = readFileSync(file, 'utf8');
    writeFileSync(file, source.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
}

function copyFiles(from, to, files, folders = false) {
    for (const file of files) {
        const target = join(to, folders ? file : file.split('/').pop());
        mkdirSync(dirname(target), { recursive: true });
        copyFileSync(join(from, file), target);
        if (target.endsWith('.js')) withoutSourceMap(target);
    }
}

function copyInstalled({ name, package: packageName, files, folders }) {
    const from = join(root, 'node_modules', packageName);
    const { version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    copyFiles(from, join(vendor, `${name}-${version}`), files, folders);
    return `${name}-${version}`;
}

function removeExternalImage(file) {
    const source = readFileSync(file, 'utf8');
    if (!source.includes(redoc.externalImage))
        throw new Error(`${file}: the external image is gone; review what this version fetches`);
    writeFileSync(file, source.replaceAll(redoc.externalImage, 'data:,'));
}

function fetchRedoc() {
    const name = `redoc-${redoc.version}`;
    const to = join(vendor, name);
    if (existsSync(join(to, 'LICENSE'))) return name;
    const work = mkdtempSync(join(tmpdir(), 'assay-vendor-'));
    try {
        execFileSync('npm', [
            'pack',
            `redoc@${redoc.version}`,
            '--silent',
            '--pack-destination',
            work,
        ]);
        const archive = join(work, `redoc-${redoc.version}.tgz`);
        const digest = createHash('sha512').update(readFileSync(archive)).digest('base64');
        if (`sha512-${digest}` !== redoc.integrity)
            throw new Error(`redoc ${redoc.version}: the package is not the one that was reviewed`);
        execFileSync('tar', [
            '-xzf',
            archive,
            '-C',
            work,
            ...redoc.files.map((file) => `package/${file}`),
        ]);
        removeExternalImage(join(work, 'package', 'bundles', 'redoc.standalone.js'));
        copyFiles(join(work, 'package'), to, redoc.files);
    } finally {
        rmSync(work, { recursive: true });
    }
    return name;
}

function pageFiles(directory) {
    return readdirSync(directory, { recursive: true })
        .map((name) => join(directory, name))
        .filter((name) => /\.(html|css|js)$/.test(name));
}

function missingReferences() {
    const missing = [];
    const directories = readdirSync(root, { withFileTypes: true })
        .filter(
            (entry) =>
                entry.isDirectory() && !['node_modules', 'vendor', 'tools'].includes(entry.name),
        )
        .map((entry) => join(root, entry.name));
    for (const file of directories.flatMap(pageFiles))
        for (const [reference] of readFileSync(file, 'utf8').matchAll(/\/vendor\/[\w./-]+\.\w+/g))
            if (!existsSync(join(root, reference))) missing.push(`${file}: ${reference}`);
    return missing;
}

function removeOldVersions(current) {
    for (const name of readdirSync(vendor))
        if (!current.includes(name) && !name.startsWith('.'))
            rmSync(join(vendor, name), { recursive: true });
}

mkdirSync(vendor, { recursive: true });
const current = [...installed.map(copyInstalled), fetchRedoc()];
removeOldVersions(current);
const missing = missingReferences();
if (missing.length > 0) {
    console.error(`no such vendored file:\n  ${missing.join('\n  ')}`);
    process.exit(1);
}
console.log(`vendor/: ${current.join(' ')}`);
