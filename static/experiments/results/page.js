/* The results page: asks the API about what was observed, and shows what that means. */
import '../../shared/shell.js';
import { onLocale } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createForm } from '../../shared/ui/form.js';
import { createLive } from '../../shared/ui/live.js';
import { fields, requestOf, valuesOf } from './fields.js';
import { view } from './view.js';

const state = {};
const update = () => state.app?.update();

/* Puts what was entered into the address, without a step in the history. */
function rememberInAddress(values) {
    const url = new URL(location.href);
    const lang = url.searchParams.get('lang');
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) query.set(name, String(value));
    if (lang !== null) query.set('lang', lang);
    url.search = query.toString();
    history.replaceState(history.state, '', url);
}

state.form = createForm(update, {
    fields,
    onInput: () => state.live.input(),
    onSubmit: () => state.live.ask(true),
});
state.live = createLive(update, {
    client: createClient(),
    form: state.form,
    request: requestOf,
    changed: rememberInAddress,
});

state.form.write(valuesOf(new URLSearchParams(location.search)));
state.app = mount(document.getElementById('page'), view, state);
onLocale(() => state.live.ask(false));
state.live.ask(false);
