/* The page of analyses: asks the API about what was observed, and shows what that means. */
import '../../shared/shell.js';
import { onLocale } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createForm } from '../../shared/ui/form.js';
import { createLive } from '../../shared/ui/live.js';
import { rememberInAddress, valuesInAddress } from '../permalink.js';
import { createTool } from '../tools/tool.js';
import { analysisField, examples, fields } from './fields.js';
import { spreadOver } from './inputs.js';
import { more } from './more/more.js';
import { requestOf } from './requests.js';
import { view } from './view.js';

/** @type {any} */
const state = { tool: null }; /* tool: of an analysis with a form of its own; null for the others */
const update = () => state.app?.update();
const client = createClient();
let kind = 'binary'; /* of data, in the form that most kinds share */
const left = new Map(); /* what had been typed into forms that were left, by analysis */

/* An analysis with a form of its own, filled in with what had been typed into it, or with what the address says. */
function openTool(name) {
    state.tool = createTool(update, client, {
        ...more[name],
        fields: [analysisField, ...more[name].fields],
        kept: ['analysis'],
        hasExample: true,
        left: ({ analysis }) => {
            if (analysis !== name) leave(name, analysis);
            return analysis !== name;
        },
    });
    if (left.has(name)) state.tool.form.writeTexts({ ...left.get(name), analysis: name });
    state.tool.live.ask(false);
}

function leave(name, next) {
    left.set(name, state.tool.form.texts());
    change(next);
}

/* Another analysis begins with its example, or as it was left: the address names nothing but the analysis. */
function change(name) {
    (state.tool ?? state).live.stop();
    rememberInAddress({ analysis: name });
    if (name in more) openTool(name);
    else {
        state.tool = null;
        state.form.writeTexts({ ...state.form.texts(), analysis: name });
        followKind(state.form.values());
        state.live.ask(false);
    }
    update();
    queueMicrotask(() => document.getElementById('analysis')?.focus());
}

/* Fields that several kinds of data share show the example of the chosen kind until something is entered. */
function followKind(values) {
    const now = values.analysis ?? 'binary';
    if (now === kind) return;
    kind = now;
    const texts = state.form.texts();
    const untouched = (name) => Object.values(examples).some((example) => example[name] === texts[name]) || texts[name] === '';
    const fresh = Object.entries(examples[now] ?? {}).filter(([name]) => untouched(name));
    state.form.writeTexts({ ...texts, test: '', ...Object.fromEntries(fresh) });
}

state.form = createForm(update, {
    fields,
    onInput: (values) => {
        if (values.analysis in more) return change(values.analysis);
        followKind(values);
        state.live.input();
    },
    onSubmit: () => state.live.ask(true),
});
state.live = createLive(update, {
    client,
    form: state.form,
    request: requestOf,
    changed: rememberInAddress,
});
state.fill = () => {
    state.form.write({ ...examples[kind], analysis: kind });
    state.live.ask(true);
};

/* A table that was pasted or read from a file fills both arms; false where it is none. */
state.spread = (text) => {
    const found = spreadOver(state.form.values().analysis ?? 'binary', text);
    if (found === null) return false;
    state.form.writeTexts({ ...state.form.texts(), ...found });
    kind = found.analysis ?? kind;
    state.live.input();
    return true;
};

const linked = valuesInAddress(fields);
kind = linked.analysis ?? 'binary';
if (kind in more) openTool(kind);
else state.form.write({ ...examples[kind], ...linked });
state.app = mount(document.getElementById('page'), view, state);
const ask = () => (state.tool ?? state).live.ask(false);
onLocale(ask);
if (state.tool === null) ask();
