/* What the page needs of a text in Markdown: its title, its sections, and where its links lead. */

/** The id of a heading as code hosts make it: '#when-something-dies'. @param {string} text */
export function headingId(text) {
    return text
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-');
}

/* The words of a heading without its marks. */
function plain(text) {
    return text.replace(/`|\*\*/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

/** {title, body, sections: [{id, title}]}: the first heading is the title, those of the second level the sections. */
export function documentOf(source) {
    const [, title = ''] = /^# (.+)$/m.exec(source) ?? [];
    const body = source.replace(/^# .+\n/, '');
    const code = /^```[^]*?^```/gm; /* comments of scripts look like headings */
    const sections = [...body.replace(code, '').matchAll(/^## (.+)$/gm)].map(([, text]) => ({ id: headingId(text), title: plain(text) }));
    return { title: plain(title), body, sections };
}

/*
 * The address of a link in the text `path` ('operate/deploy'): other texts have pages here, headings of
 * the same one are on it. null for files that nginx does not serve.
 */
export function addressIn(path, href) {
    if (/^[a-z]+:/i.test(href) || href.startsWith('#')) return href;
    const { pathname, hash } = new URL(href, `http://docs/${path}.md`);
    if (pathname === '/index.md') return `/docs/${hash}`;
    const found = /^\/((?:use|operate|develop)\/[a-z-]+)\.md$/.exec(pathname);
    return found ? `/docs/${found[1]}${hash}` : null;
}
