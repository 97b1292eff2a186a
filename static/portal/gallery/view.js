/* The gallery as a template: one section per component. */
import { areaChart, lineChart } from '../../shared/ui/charts/line.js';
import { barChart } from '../../shared/ui/charts/bar.js';
import { forestPlot } from '../../shared/ui/charts/forest.js';
import { heatMap } from '../../shared/ui/charts/heat-map.js';
import { waterfall } from '../../shared/ui/charts/waterfall.js';
import { badge } from '../../shared/ui/badge.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { copyButton } from '../../shared/ui/copy.js';
import { confirm } from '../../shared/ui/dialog.js';
import { empty } from '../../shared/ui/empty.js';
import { html } from '../../shared/ui/lit.js';
import { markdown } from '../../shared/ui/markdown.js';
import { menu } from '../../shared/ui/menu.js';
import { notice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { tabs } from '../../shared/ui/tabs.js';
import { toast } from '../../shared/ui/toast.js';
import { area, bars, forest, heat, lines, text, trace } from './data.js';

function section(id, title, content) {
    return html`<section class="card section" id=${id} aria-labelledby=${`${id}-title`}>
        <div class="section-head"><h2 id=${`${id}-title`}>${title}</h2></div>
        ${content}
    </section>`;
}

async function ask(app) {
    const answer = await confirm({ title: 'Delete this project?', text: 'Its history goes with it.', action: 'Delete', type: 'Checkout' });
    app.set({ answer });
    if (answer) toast('Deleted', { action: { title: 'Undo', run: () => app.set({ answer: 'undone' }) } });
}

const tones = ['danger', 'caution', 'info', 'good', 'plain'];

function buttons(app) {
    return html`<div class="button-row">
        <button type="button" class="button" data-kind="primary">Primary</button>
        <button type="button" class="button">Plain</button>
        <button type="button" class="button" data-kind="quiet">Quiet</button>
        <button type="button" class="button" data-kind="danger" id="ask" @click=${() => ask(app)}>Delete…</button>
        <button type="button" class="button" disabled>Disabled</button>
        <button type="button" class="button" id="say" @click=${() => toast('Saved')}>Say so</button>
        ${menu({ label: 'More', title: 'More', items: [{ title: 'Rename', run: () => {} }, { title: 'Delete', tone: 'danger', run: () => {} }] })}
        ${copyButton({ text: () => 'copied text' })}
    </div>`;
}

function resources({ loading, failed, empty: none, stale }) {
    const how = {
        isEmpty: (data) => data.length === 0,
        empty: { title: 'No projects yet', text: 'The first one appears here.' },
        ready: (data) => html`<ul class="plain-list">${data.map((item) => html`<li>${item}</li>`)}</ul>`,
    };
    return html`<div class="gallery-columns">
        ${[loading, failed, none, stale].map((resource) => resourceView(resource, how))}
    </div>`;
}

/* One step of the sample wizard. */
export function stepView(form, name) {
    return name === 'check'
        ? html`<pre class="mono">${JSON.stringify(form.values())}</pre>`
        : html`<div class="field-grid">${form.field(name)}</div>`;
}

export function view({ parts, tab, sent, selected, chosen, made }, app) {
    return html`<div class="gallery">
        ${section('buttons', 'Buttons, menu, dialog, toast, copy', buttons(app))}
        ${section('tones', 'Badges and notices', html`<div class="gallery-columns">
            <p class="button-row">${tones.map((tone) => badge(tone, tone, { dot: true }))}</p>
            ${tones.map((tone) => notice({ tone, title: `A ${tone} notice`, body: html`<p>What it means.</p>` }))}
        </div>`)}
        ${section('resources', 'Resources', resources(parts.resources))}
        ${section('form', 'Form', html`${parts.form.view(null, { label: 'Sample', action: 'Send' })}
            <pre class="mono" id="sent">${sent === null ? '' : JSON.stringify(sent)}</pre>`)}
        ${section('list', 'List', parts.list.view())}
        ${section('tabs', 'Tabs', tabs({
            id: 'sample-tabs',
            label: 'Parts',
            tabs: [{ name: 'first', title: 'First', count: 3 }, { name: 'second', title: 'Second' }, { name: 'third', title: 'Third' }],
            current: tab,
            onSelect: (name) => app.set({ tab: name }),
            panel: (name) => html`<p>The ${name} panel.</p>`,
        }))}
        ${section('text', 'Markdown', markdown(text))}
        ${section('code', 'Code', codeblock("curl -sS 'http://127.0.0.1:8008/health'", { language: 'shell' }))}
        ${section('log', 'Log', parts.log.view({ label: 'Events' }))}
        ${section('upload', 'Upload', parts.upload.view({ id: 'sample-files', label: 'Documents', hint: 'Text or Markdown, up to 1 MB each' }))}
        ${section('line', 'Lines', lineChart(lines))}
        ${section('area', 'Area', areaChart(area))}
        ${section('bars', 'Bars', barChart(bars))}
        ${section('heat', 'Heat map', heatMap(heat))}
        ${section('forest', 'Forest plot', forestPlot(forest))}
        ${section('waterfall', 'Waterfall', html`${waterfall({ ...trace, onSelect: (span) => app.set({ selected: span.name }) })}
            <p role="status" id="selected">${selected ?? ''}</p>`)}
        ${section('live', 'Live series', parts.live.view())}
        ${section('combobox', 'Combobox', html`${parts.combobox.view()}<p role="status" id="chosen">${chosen ?? ''}</p>`)}
        ${section('wizard', 'Wizard', html`${parts.wizard.view({ label: 'Make one', last: 'Make it' })}<p role="status" id="made">${made === null ? '' : JSON.stringify(made)}</p>`)}
        ${section('nothing', 'Empty', empty({ title: 'No templates yet', text: 'A template keeps a design for next time.', action: html`<button type="button" class="button">Make one</button>` }))}
    </div>`;
}
