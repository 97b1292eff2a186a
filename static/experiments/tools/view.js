/* The list of tools, or one tool, as a template. */
import { t } from '../../shared/i18n.js';
import { address } from '../../shared/place.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { workbench } from '../workbench.js';
import { toolActions, toolForm } from './form.js';
import { tools } from './tools.js';

/* Before, during and after a test; calculator and analyses have pages of their own. */
const order = [
    ['calculator', '/'],
    ['sensitivity', '/tools/sensitivity'],
    ['solve', '/tools/solve'],
    ['sequential', '/tools/sequential'],
    ['hybrid', '/tools/hybrid'],
    ['assignment', '/tools/assignment'],
    ['flags', '/tools/flags'],
    ['bandit', '/tools/bandit'],
    ['monitor', '/tools/monitor'],
    ['analysis', '/results'],
    ['file', '/tools/file'],
    ['corrections', '/tools/corrections'],
];

const toolCard = ([name, path]) => html`<li class="card tool-card">
    <h2><a href=${address(path)}>${t(`tool.${name}`)}</a></h2>
    <p>${t(`tool.${name}_lead`)}</p>
</li>`;

function listView() {
    return html`<div class="page-head">
            <h1>${t('tools.title')}</h1>
            <p class="lead">${t('tools.lead')}</p>
        </div>
        <ul class="tool-list">${order.map(toolCard)}</ul>`;
}

function liveView(tool) {
    return workbench({
        form: toolForm(tool),
        live: tool.live,
        result: (answer) => html`${tool.result(answer, tool)} ${toolActions(tool)}`,
        announcement: (answer) => tool.announcement(answer, tool),
    });
}

function toolView(name, tool) {
    return html`<div class="page-head">
            <h1>${t(`tool.${name}`)}</h1>
            <p class="lead">${t(`tool.${name}_lead`)}</p>
            <p><a href=${address('/tools')}>${t('tools.all')}</a></p>
        </div>
        ${tool.view?.() ?? liveView(tool)}`;
}

export function view({ name, tool }) {
    if (tool !== null) return toolView(name, tool);
    if (name !== null && !(name in tools))
        return html`<h1 class="visually-hidden">${t('tools.title')}</h1>${empty({ title: t('tools.none'), action: html`<a class="button" href=${address('/tools')}>${t('tools.all')}</a>` })}`;
    return listView();
}
