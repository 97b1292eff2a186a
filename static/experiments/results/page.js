/* The page of analyses: asks the API about what was observed, and shows what that means. */
import '../../shared/shell.js';
import { onLocale } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createForm } from '../../shared/ui/form.js';
import { createLive } from '../../shared/ui/live.js';
import { rememberInAddress, valuesInAddress } from '../permalink.js';
import { examples, fields } from './fields.js';
import { spreadOver } from './inputs.js';
import { requestOf } from './requests.js';
import { view } from './view.js';

const state = {};
const update = () => state.app?.update();
let kind = 'binary';

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
        followKind(values);
        state.live.input();
    },
    onSubmit: () => state.live.ask(true),
});
state.live = createLive(update, {
    client: createClient(),
    form: state.form,
    request: (values) => {
        state.asked = values;
        return requestOf(values);
    },
    changed: rememberInAddress,
});

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
state.form.write({ ...examples[kind], ...linked });
state.app = mount(document.getElementById('page'), view, state);
onLocale(() => state.live.ask(false));
state.live.ask(false);
