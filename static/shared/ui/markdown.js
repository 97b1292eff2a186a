/*
 * Markdown as templates: marked takes it apart, its tokens become elements here. Nothing is ever put
 * in as markup: raw HTML is shown as the text that it is, links lead only where links may, images are
 * links to what they show.
 */
import { Lexer } from '../../vendor/marked-18.2.1/marked.esm.js';
import { codeblock } from './codeblock.js';
import { html, nothing } from './lit.js';
import { createMarker, withMarks, withoutMarks } from './markdown-marks.js';

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', hellip: '…' };

/* The lexer leaves entities as they were written. */
function decoded(text) {
    return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
        if (name) return entities[name] ?? whole;
        const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}

/* Only these lead somewhere; anything else, such as javascript:, stays text. */
function safeAddress(href) {
    try {
        const url = new URL(href, location.href);
        return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : null;
    } catch {
        return null;
    }
}

function link(href, content, address) {
    const wanted = address ? address(decoded(href)) : decoded(href);
    const url = wanted === null ? null : safeAddress(wanted);
    if (url === null) return content;
    const foreign = url.origin !== location.origin;
    return html`<a href=${url.href} rel=${foreign ? 'noopener noreferrer' : nothing} target=${foreign ? '_blank' : nothing}
        >${content}</a
    >`;
}

function shallowest(tokens) {
    return Math.min(6, ...tokens.filter(({ type }) => type === 'heading').map(({ depth }) => depth));
}

function createWriter(options, top) {
    const labels = new Map();
    const mark = createMarker((content) => html`<mark>${content}</mark>`);
    const text = (value) => mark(decoded(value), options.text ?? ((piece) => piece));

    /* Parts that scroll are landmarks: no two of a text have the same name. */
    function unique(label) {
        labels.set(label, (labels.get(label) ?? 0) + 1);
        return labels.get(label) === 1 ? label : `${label} (${labels.get(label)})`;
    }

    const inline = {
        text: (token) => (token.tokens ? inlines(token.tokens) : text(token.text)),
        escape: (token) => text(token.text),
        strong: (token) => html`<strong>${inlines(token.tokens)}</strong>`,
        em: (token) => html`<em>${inlines(token.tokens)}</em>`,
        del: (token) => html`<del>${inlines(token.tokens)}</del>`,
        codespan: (token) => html`<code dir="ltr">${mark(token.text, (piece) => piece)}</code>`,
        br: () => html`<br />`,
        link: (token) => link(withoutMarks(token.href), inlines(token.tokens), options.address),
        image: (token) => link(withoutMarks(token.href), mark(token.text || token.href, (piece) => piece), options.address),
        html: (token) => mark(token.raw, (piece) => piece),
    };

    const block = {
        space: () => null,
        hr: () => html`<hr />`,
        html: (token) => html`<p>${mark(token.raw, (piece) => piece)}</p>`,
        paragraph: (token) => html`<p dir="auto">${inlines(token.tokens)}</p>`,
        text: (token) => (token.tokens ? inlines(token.tokens) : text(token.text)),
        code: (token) => codeblock(withoutMarks(token.text), { language: token.lang ?? '', label: unique(token.lang || 'code') }),
        blockquote: (token) => html`<blockquote dir="auto">${blocks(token.tokens)}</blockquote>`,
        heading: (token) => heading(token),
        list: (token) => list(token),
        table: (token) => tableOf(token),
        def: () => null,
    };

    function inlines(tokens) {
        return tokens.map((token) => (inline[token.type] ?? ((other) => withoutMarks(other.raw)))(token));
    }

    function blocks(tokens) {
        return tokens.map((token) => (block[token.type] ?? ((other) => html`<p>${withoutMarks(other.raw)}</p>`))(token));
    }

    /* Headings of a text lie below those of the page that holds it, without a gap. */
    function heading({ depth, tokens, text: words }) {
        const content = inlines(tokens);
        const id = options.idOf ? options.idOf(withoutMarks(words)) : nothing;
        const level = Math.min(6, depth - top + 1 + (options.headingsBelow ?? 2));
        if (level <= 2) return html`<h2 dir="auto" id=${id}>${content}</h2>`;
        if (level === 3) return html`<h3 dir="auto" id=${id}>${content}</h3>`;
        if (level === 4) return html`<h4 dir="auto" id=${id}>${content}</h4>`;
        if (level === 5) return html`<h5 dir="auto" id=${id}>${content}</h5>`;
        return html`<h6 dir="auto" id=${id}>${content}</h6>`;
    }

    function item(token) {
        const box = token.task ? html`<input type="checkbox" disabled .checked=${token.checked} aria-label=${withoutMarks(token.text)} />` : null;
        const parts = token.tokens.filter(({ type }) => type !== 'checkbox');
        return html`<li dir="auto">${box}${blocks(parts)}</li>`;
    }

    function list(token) {
        const items = token.items.map(item);
        return token.ordered
            ? html`<ol start=${token.start === '' ? 1 : token.start}>${items}</ol>`
            : html`<ul>${items}</ul>`;
    }

    function tableOf(token) {
        const align = (one) => (one.align === 'right' ? 'end' : 'start');
        return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${unique(withoutMarks(token.header.map(({ text: name }) => name).join(', ')))}>
            <table class="table">
                <thead>
                    <tr>${token.header.map((one) => (one.text === '' ? html`<td></td>` : html`<th scope="col" data-align=${align(one)}>${inlines(one.tokens)}</th>`))}</tr>
                </thead>
                <tbody>
                    ${token.rows.map((row) => html`<tr>${row.map((one) => html`<td data-align=${align(one)}>${inlines(one.tokens)}</td>`)}</tr>`)}
                </tbody>
            </table>
        </div>`;
    }

    return blocks;
}

/*
 * The template of a text in Markdown. options: text(string) makes something of plain text, such as
 * links of citation marks; headingsBelow is the level of the heading that the text stands under; address(href)
 * says where a link leads, null for nowhere; idOf(text) is the id of a heading, for links to it; breaks: each
 * end of a line is one; marked: [{from, to}] in the source, in order, shown as marked.
 */
export function markdown(source, options = {}) {
    const text = withMarks(source ?? '', options.marked ?? []);
    const tokens = Lexer.lex(text, { gfm: true, breaks: options.breaks ?? false });
    return html`<div class="prose">${createWriter(options, shallowest(tokens))(tokens)}</div>`;
}
