/* A text of the documentation as a template, with the way back and its sections beside it. */
import { currentLocale, t } from '../../shared/i18n.js';
import { html } from '../../shared/ui/lit.js';
import { markdown } from '../../shared/ui/markdown.js';
import { resourceView } from '../../shared/ui/resource.js';
import { addressIn, headingId } from './document.js';

function contents(sections) {
    if (sections.length < 3) return null;
    return html`<nav class="guide-contents" aria-labelledby="guide-contents">
        <h2 id="guide-contents">${t('guide.contents')}</h2>
        <ul lang="en" dir="ltr">
            ${sections.map(({ id, title }) => html`<li><a href=${`#${id}`}>${title}</a></li>`)}
        </ul>
    </nav>`;
}

function ready(path, { title, body, sections }) {
    const address = (href) => addressIn(path, href);
    return html`<div class="guide">
        <article lang="en" dir="ltr">
            <h1>${title}</h1>
            ${markdown(body, { address, idOf: headingId, headingsBelow: 1 })}
        </article>
        ${path === 'index' ? null : contents(sections)}
    </div>`;
}

/** @param {{ path: string, text: Resource<{ title: string, body: string, sections: { id: string, title: string }[] }> }} state */
export function view({ path, text }) {
    if (text === null) return html``;
    return html`${path === 'index' ? null : html`<p class="guide-back"><a href="/docs/">${t('guide.title')}</a></p>`}
        ${currentLocale() === 'en' ? null : html`<p class="section-note">${t('guide.english')}</p>`}
        ${resourceView(text, { skeleton: { lines: 8, height: 'row' }, ready: (data) => ready(path, data) })}`;
}
