/*
 * The calculator page: reads the design, asks the API while the reader types, and shows what comes
 * back. The API is the only judge of what is valid; the page never repeats its rules.
 */
import { accessToken } from '../../shared/api.js';
import { copyText } from '../../shared/clipboard.js';
import { byId, html } from '../../shared/dom.js';
import { prepareFields } from '../../shared/forms.js';
import { currentLocale, onLocale, t } from '../../shared/i18n.js';
import { liveForm } from '../../shared/live-form.js';
import '../../shared/shell.js';
import { fieldNames, presets } from './design-fields.js';
import { readDesign, refreshForm, translateForm, writeDesign } from './design-form.js';
import { curlCommand, designOf, linkTo, rememberInAddress } from './design-link.js';
import { resultAnnouncement, showResult } from './design-result.js';

const path = '/api/v1/calculate';
const form = byId('design');
let shown = null; /* {design, answer} of the result on the page */

const calculator = liveForm({
    form,
    fieldNames,
    request: () => ({ path, body: readDesign(form) }),
    changed: rememberInAddress,
    show: (design, answer) => {
        shown = { design, answer };
        showResult(design, answer);
        return resultAnnouncement(answer);
    },
});

function markPreset(name) {
    for (const button of byId('presets').children)
        button.setAttribute('aria-pressed', String(button.dataset.preset === name));
}

function choosePreset({ name, design }) {
    writeDesign(form, design);
    markPreset(name);
    calculator.ask(false);
}

function showPresets() {
    const pressed = byId('presets').querySelector('[aria-pressed="true"]')?.dataset.preset ?? null;
    const buttons = presets.map((preset) => {
        const attributes = { type: 'button', class: 'preset', 'data-preset': preset.name };
        const button = html('button', attributes, t(`preset.${preset.name}`));
        button.addEventListener('click', () => choosePreset(preset));
        return button;
    });
    byId('presets').replaceChildren(...buttons);
    markPreset(pressed);
}

function watchForm() {
    form.addEventListener('input', () => {
        refreshForm(form);
        markPreset(null);
    });
    byId('start-over').addEventListener('click', () => choosePreset(presets[0]));
}

function watchActions() {
    byId('copy-link').addEventListener('click', (event) =>
        copyText(event.currentTarget, linkTo(readDesign(form))),
    );
    byId('copy-curl').addEventListener('click', (event) => {
        const options = { language: currentLocale(), withToken: accessToken() !== null };
        copyText(event.currentTarget, curlCommand(path, readDesign(form), options));
    });
    byId('print').addEventListener('click', () => print());
}

/* The bar at the foot of a narrow screen leaves while the figures themselves are in sight. */
function watchHeadline() {
    const watcher = new IntersectionObserver(([entry]) => {
        byId('result-bar').toggleAttribute('data-in-view', entry.isIntersecting);
    });
    watcher.observe(document.querySelector('.headline'));
}

function showLocale() {
    showPresets();
    translateForm(form);
    refreshForm(form);
    if (shown !== null) showResult(shown.design, shown.answer);
    calculator.ask(false);
}

function start() {
    showPresets();
    prepareFields(form);
    const linked = designOf(new URLSearchParams(location.search));
    writeDesign(form, linked ?? presets[0].design);
    markPreset(linked === null ? presets[0].name : null);
    watchForm();
    watchActions();
    watchHeadline();
    onLocale(showLocale);
    calculator.ask(false);
}

start();
