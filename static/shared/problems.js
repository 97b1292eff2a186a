/*
 * Turns an ApiError into what a reader sees: problems per field, a summary that leads to them, and
 * notices for everything that is not about a field.
 */
import { html } from './dom.js';
import { hasText, t } from './i18n.js';
import { formatUnit } from './numbers.js';

const valueErrorPrefix = /^Value error, /;

function problemText(item) {
    const key = `problem.${item.type}`;
    const values = item.ctx ?? {};
    const complete = hasText(key) && !t(key, values).includes('{{');
    return complete ? t(key, values) : String(item.msg ?? '').replace(valueErrorPrefix, '');
}

/* A rule about several fields points at the whole body; its text names the field it starts with. */
function fieldNamedIn(text, fields) {
    const found = fields
        .map((field) => ({ field, at: text.search(new RegExp(`\\b${field}\\b`)) }))
        .filter(({ at }) => at >= 0)
        .sort((a, b) => a.at - b.at);
    return found[0]?.field ?? null;
}

/* The innermost name in a location that is a field of the form. */
function fieldAt(loc, fields) {
    return loc.findLast((part) => fields.includes(part)) ?? null;
}

/* The API names fields as its callers know them; a reader knows them by their labels. */
function withLabels(text, fields, labelOf) {
    const named = text.replace(/\b[a-z]+(_[a-z]+)+\b/g, (name) =>
        fields.includes(name) ? `“${labelOf(name)}”` : name,
    );
    return named.charAt(0).toLocaleUpperCase() + named.slice(1);
}

/*
 * The items of a 422 as {field, index, message}; `field` is null when it is none of `fields`,
 * `index` when it is about the whole field. labelOf(field) is the field's name on the page.
 */
export function readProblems(error, fields, labelOf) {
    return error.items.map((item) => {
        const loc = item.loc ?? [];
        const at = fieldAt(loc, fields);
        const last = loc.at(-1);
        const text = withLabels(problemText(item), fields, labelOf);
        return {
            field: at ?? fieldNamedIn(String(item.msg ?? ''), fields),
            index: at !== null && Number.isInteger(last) ? last : null,
            message: at === null && item.type !== 'value_error' ? `${last}: ${text}` : text,
        };
    });
}

/* A summary of problems as links; `labelOf(field)` names a field, `follow(problem)` goes to it. */
export function problemSummary(problems, labelOf, follow) {
    const items = problems.map((problem) => {
        if (problem.field === null) return html('li', {}, problem.message);
        const link = html('a', { href: `#${problem.field}` }, labelOf(problem.field));
        link.addEventListener('click', (event) => {
            event.preventDefault();
            follow(problem);
        });
        return html('li', {}, link, ` — ${problem.message}`);
    });
    return html(
        'div',
        { class: 'notice', 'data-tone': 'danger', role: 'alert', tabindex: -1 },
        html('h2', { class: 'notice-title' }, t('problem.summary')),
        html('ul', {}, items),
    );
}

function noticeMeta(error) {
    const parts = [];
    if (error.retryAfterSeconds !== null)
        parts.push(
            t('notice.retry_after', { time: formatUnit(error.retryAfterSeconds, 'second') }),
        );
    if (error.code) parts.push(`${error.status} ${error.code}`);
    else if (error.status !== null) parts.push(String(error.status));
    if (error.requestId) parts.push(t('notice.request_id', { id: error.requestId }));
    return parts.length > 0 ? html('p', { class: 'notice-meta' }, parts.join(' · ')) : null;
}

/* A notice for a failure that is not about a field; `retry`, when given, is offered as a button. */
export function errorNotice(error, retry = null) {
    const tone = error.kind === 'limited' ? 'caution' : 'danger';
    const notice = html(
        'div',
        { class: 'notice', 'data-tone': tone, role: 'alert', tabindex: -1 },
        html('h2', { class: 'notice-title' }, t(`notice.${error.kind}`)),
        error.message && error.kind !== 'network'
            ? html('p', { dir: 'auto' }, error.message)
            : null,
        noticeMeta(error),
    );
    if (retry !== null) {
        const button = html(
            'button',
            { type: 'button', class: 'button', 'data-size': 'small' },
            t('notice.retry'),
        );
        button.addEventListener('click', retry);
        notice.append(html('div', { class: 'button-row' }, button));
    }
    return notice;
}
