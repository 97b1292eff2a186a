/*
 * A form that is answered while it is being filled in: waits for a pause, asks the API, and shows
 * the answer, the problems at their fields, or a notice. The page has #problems (summary),
 * #notices, #result-body and #announcer.
 */
import { ApiError, callApi } from './api.js';
import { byId, html } from './dom.js';
import { focusField, showFieldErrors } from './forms.js';
import { t } from './i18n.js';
import { released } from './press.js';
import { errorNotice, problemSummary, readProblems } from './problems.js';
import { tokenForm } from './token.js';

const pauseMs = 350; /* of typing, before the API is asked */

function labelIn(form, field) {
    const element = form.querySelector(
        `[data-field="${field}"] :is(.field-label > span:first-child, .field-label, .check-text)`,
    );
    return element?.textContent.trim() ?? field;
}

/*
 * options: form; fieldNames of the form; request() gives {path, body}; show(body, answer) shows an
 * answer and returns one line for screen readers; changed(body) is called for every request, before
 * it is sent.
 */
export function liveForm({ form, fieldNames, request, show, changed }) {
    let timer = null;
    let running = null;
    let problems = [];

    const labelOf = (field) => labelIn(form, field);

    function showSummary() {
        const summary = problemSummary(problems, labelOf, (problem) => focusField(form, problem));
        byId('problems').replaceChildren(...(problems.length > 0 ? [summary] : []));
    }

    /* `explicit`: the reader pressed the button, so the summary appears and takes the focus. */
    function showProblems(error, explicit) {
        problems = readProblems(error, fieldNames, labelOf);
        showFieldErrors(form, problems, explicit ? null : document.activeElement);
        if (explicit || byId('problems').childElementCount > 0) showSummary();
        if (explicit) byId('problems').firstElementChild?.focus();
        byId('notices').replaceChildren(
            html('p', { class: 'notice', 'data-tone': 'plain' }, t('live.stale')),
        );
        byId('announcer').textContent = t('live.stale');
    }

    function clearProblems() {
        problems = [];
        showFieldErrors(form, []);
        byId('problems').replaceChildren();
        byId('notices').replaceChildren();
    }

    function showFailure(error, explicit) {
        byId('result-body').toggleAttribute('data-stale', true);
        if (error.kind === 'validation') {
            showProblems(error, explicit);
            return;
        }
        clearProblems();
        const retry = () => ask(true);
        const notice =
            error.kind === 'unauthorized' ? tokenForm(error, retry) : errorNotice(error, retry);
        byId('notices').replaceChildren(notice);
        if (explicit) (notice.querySelector('input') ?? notice).focus();
    }

    function showAnswer(body, answer, explicit) {
        clearProblems();
        byId('result-body').toggleAttribute('data-stale', false);
        byId('announcer').textContent = show(body, answer);
        const below = byId('result-body').getBoundingClientRect().top > innerHeight * 0.75;
        if (explicit && below)
            byId('results').scrollIntoView({ block: 'start', behavior: 'smooth' });
    }

    async function ask(explicit) {
        clearTimeout(timer);
        running?.abort();
        const mine = new AbortController();
        running = mine;
        const { path, body } = request();
        changed(body);
        byId('result-body').setAttribute('aria-busy', 'true');
        try {
            const { data } = await callApi(path, { method: 'POST', body, signal: mine.signal });
            await released();
            if (running === mine) showAnswer(body, data, explicit);
        } catch (error) {
            if (!(error instanceof ApiError) && !mine.signal.aborted) throw error;
            await released();
            if (running === mine && error instanceof ApiError) showFailure(error, explicit);
        } finally {
            if (running === mine) byId('result-body').setAttribute('aria-busy', 'false');
        }
    }

    form.addEventListener('submit', (event) => {
        event.preventDefault();
        ask(true);
    });
    form.addEventListener('input', () => {
        clearTimeout(timer);
        timer = setTimeout(() => ask(false), pauseMs);
    });
    form.addEventListener('focusout', async () => {
        await released();
        showFieldErrors(form, problems, document.activeElement);
    });

    return { ask };
}
