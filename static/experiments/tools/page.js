/* Tools: a list of them at /tools, each one at an address of its own. */
import '../../shared/shell.js';
import { onLocale, t } from '../../shared/i18n.js';
import { nameTitle } from '../../shared/title.js';
import { mount, pathParameters } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createTool } from './tool.js';
import { tools } from './tools.js';
import { view } from './view.js';

const state = { name: pathParameters('/tools/{name}').name ?? null, tool: null };
const update = () => state.app?.update();

const { [state.name]: chosen = null } = tools;
if (chosen !== null) state.tool = chosen.create?.(update) ?? createTool(update, createClient(), chosen);
state.app = mount(document.getElementById('page'), view, state);
if (state.tool !== null) {
    const ask = () => {
        nameTitle(t(`tool.${state.name}`));
        state.tool.live?.ask(false);
    };
    onLocale(ask);
    ask();
}
