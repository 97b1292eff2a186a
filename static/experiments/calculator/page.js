/*
 * The calculator page: reads the design, asks the API while the reader types, and shows what comes
 * back. The API is the only judge of what is valid; the page never repeats its rules.
 */
import '../../shared/shell.js';
import { currentLocale, onLocale, t } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createForm } from '../../shared/ui/form.js';
import { createLive } from '../../shared/ui/live.js';
import { accessToken } from '../../shared/ui/session.js';
import { toast } from '../../shared/ui/toast.js';
import { fields, presets, sections } from './fields.js';
import { curlCommand, designOf, linkTo, rememberInAddress } from './link.js';
import { view } from './view.js';

const path = '/api/v1/calculate';
const state = { preset: null, cut: [], at: null, inView: false, opened: new Set() };
const update = () => state.app?.update();

/* Folded parts that are in use, or that a problem is in, are open; none closes by itself. */
function openParts() {
    const names = new Set([...Object.keys(state.form.values()), ...state.form.problems().map(({ name }) => name)]);
    for (const { name, folded, fields: inside } of sections)
        if (folded && inside.some((field) => names.has(field))) state.opened.add(name);
}

/* The first test of a metric is what the API plans when none is named. */
function designFrom({ planned_test: test, ...design }) {
    return test === undefined || test === 'z_test' ? design : { ...design, planned_test: test };
}

state.form = createForm(update, {
    fields,
    onInput: () => {
        state.preset = null;
        state.live.input();
    },
    onSubmit: () => state.live.ask(true),
});

state.live = createLive(update, {
    client: createClient(),
    form: state.form,
    request: (values) => ({ path, body: designFrom(values) }),
    changed: (values) => {
        openParts();
        rememberInAddress(designFrom(values));
    },
});

/* After a press of the button the answer comes into sight, wherever it is. */
state.live.answered = (explicit) => {
    state.at = null;
    setTimeout(() => {
        watchHeadline();
        const results = document.getElementById('results');
        if (explicit && results.getBoundingClientRect().top > innerHeight * 0.75)
            results.scrollIntoView({ block: 'start', behavior: 'smooth' });
    });
};

function write(design, preset) {
    state.form.write(design);
    state.preset = preset;
    state.cut = [];
    state.live.ask(false);
}

/* An example overwrites a design, and one press brings the design back. */
function replace(preset, design) {
    const kept = { texts: structuredClone(state.form.texts()), preset: state.preset };
    write(design, preset);
    if (kept.preset !== null) return;
    const undo = () => {
        state.form.writeTexts(kept.texts);
        state.preset = kept.preset;
        state.live.ask(false);
    };
    toast(t('design.replaced', { name: t(`preset.${preset}`) }), { tone: 'info', action: { title: t('design.undo'), run: undo } });
}

Object.assign(state, {
    onPreset: replace,
    onReset: () => replace(presets[0].name, presets[0].design),
    onMove: (at) => {
        if (at !== state.at) state.app.set({ at });
    },
    link: () => linkTo(state.live.body),
    command: () => curlCommand(path, state.live.body, { language: currentLocale(), withToken: accessToken() !== null }),
});

let watched = null;

/* The bar at the foot of a narrow screen leaves while the figures themselves are in sight. */
function watchHeadline() {
    const headline = document.querySelector('.headline');
    if (headline === watched) return;
    watched = headline;
    new IntersectionObserver(([entry]) => state.app.set({ inView: entry.isIntersecting })).observe(headline);
}

const linked = designOf(new URLSearchParams(location.search));
state.form.write(linked?.design ?? presets[0].design);
state.preset = linked === null ? presets[0].name : null;
state.cut = linked?.cut ?? [];
state.app = mount(document.getElementById('page'), view, state);
onLocale(() => state.live.ask(false));
state.live.ask(false);
