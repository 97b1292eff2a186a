/* The data that the gallery shows: fixed, so that two looks at it are the same. */
import { formatInteger, formatMilliseconds, formatPercent } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { menu } from '../../shared/ui/menu.js';

const names = ['Checkout', 'Search', 'Onboarding', 'Pricing', 'Newsletter', 'Profile', 'Cart', 'Home', 'Help', 'Login', 'Filters', 'Reviews'];

export const rows = names.map((name, index) => ({
    id: index + 1,
    name: `${name} test`,
    state: ['running', 'done', 'failed'][index % 3],
    users: 12000 + index * 3511,
    rate: 0.04 + index / 1000,
}));

const tones = { running: 'info', done: 'good', failed: 'danger' };

export const columns = () => [
    { name: 'name', title: 'Name', sortable: true, value: (row) => row.name, cell: (row) => html`<a href=${`#run-${row.id}`}>${row.name}</a>` },
    { name: 'state', title: 'State', sortable: true, value: (row) => row.state, cell: (row) => badge(row.state, tones[row.state], { dot: true }) },
    { name: 'users', title: 'Users', align: 'end', sortable: true, value: (row) => row.users, cell: (row) => formatInteger(row.users) },
    { name: 'rate', title: 'Rate', align: 'end', sortable: true, value: (row) => row.rate, cell: (row) => formatPercent(row.rate) },
    { name: 'actions', title: 'Actions', titleHidden: true, align: 'end', cell: (row) => menu({ label: `Actions on ${row.name}`, items: [{ title: 'Open', href: `#run-${row.id}` }, { title: 'Delete', tone: 'danger', run: () => {} }] }) },
];

export const filters = () => [
    { name: 'name', label: 'Name', kind: 'search' },
    { name: 'state', label: 'State', kind: 'select', options: ['running', 'done', 'failed'].map((value) => ({ value, title: value })) },
];

export const formFields = [
    { name: 'title', kind: 'text', label: 'Title', initial: 'Checkout', wide: true, hint: 'As people will look for it.' },
    { name: 'baseline', kind: 'fraction', label: 'Baseline rate', initial: 0.042, hint: 'As 4.2% or as 0.042.' },
    { name: 'effect', kind: 'percent', label: 'Smallest effect', initial: 5, hint: 'Relative to the baseline.' },
    { name: 'users', kind: 'count', label: 'Users', initial: 1000, spread: ['conversions'] },
    { name: 'conversions', kind: 'count', label: 'Conversions', initial: 100, optional: true },
    { name: 'deviation', kind: 'number', label: 'Standard deviation', optional: true },
    { name: 'begins', kind: 'date', label: 'Begins', optional: true },
    { name: 'kind', kind: 'choice', label: 'Kind', wide: true, options: [{ value: 'rate', title: 'Rate' }, { value: 'mean', title: 'Mean' }, { value: 'count', title: 'Count' }] },
    { name: 'test', kind: 'select', label: 'Test', options: [{ value: 'z', title: 'z-test' }, { value: 'fisher', title: 'Fisher’s exact test' }] },
    { name: 'variants', kind: 'select', label: 'Variants', options: [2, 3, 4].map((value) => ({ value, title: value })) },
    { name: 'split', kind: 'number', label: 'Split', wide: true, list: { count: (values) => Number(values.variants), name: (index) => 'ABCD'[index], label: (index) => `Weight of variant ${'ABCD'[index]}`, initial: () => 1 } },
    { name: 'note', kind: 'textarea', label: 'Note', wide: true, optional: true },
    { name: 'seasonal', kind: 'flag', label: 'The metric is seasonal', wide: true },
];

export const stepFields = [
    { name: 'name', kind: 'text', label: 'Name', wide: true },
    { name: 'size', kind: 'count', label: 'Users', wide: true },
];

const hour = 3600000;
const begin = Date.UTC(2026, 0, 5);

export const lines = {
    label: 'Requests per hour',
    x: { title: 'Time', kind: 'time', format: (at) => new Date(at).toISOString().slice(11, 16), formatLong: (at) => new Date(at).toISOString().slice(0, 16) },
    y: { title: 'Requests', format: formatInteger, min: 0 },
    series: ['experiments', 'support', 'livedata'].map((name, at) => ({
        name,
        points: Array.from({ length: 24 }, (_, index) => ({ x: begin + index * hour, y: index === 9 && at === 1 ? null : Math.round(800 + 400 * Math.sin(index / 4 + at) + at * 150) })),
    })),
    marks: [{ y: 1500, name: 'Limit' }],
};

export const area = {
    label: 'Power by users per variant',
    x: { title: 'Users per variant', format: formatInteger },
    y: { title: 'Power', format: (value) => formatPercent(value, 3), max: 1 },
    series: [{ name: 'Power', points: Array.from({ length: 20 }, (_, index) => ({ x: index * 1000, y: 1 - Math.exp(-index / 6) })) }],
    marks: [{ y: 0.8, name: 'Target' }],
};

export const bars = { label: 'Answers by route', nameTitle: 'Route', valueTitle: 'Answers', format: formatInteger, bars: [{ name: 'Knowledge base', value: 812 }, { name: 'Handed over', value: 96, tone: 'caution' }, { name: 'Refused', value: 41, tone: 'danger' }, { name: 'A route with a rather long name', value: 377 }] };

export const heat = { label: 'Retention by week', rowTitle: 'Cohort', rows: ['May', 'June', 'July', 'August'], columns: ['1', '2', '3', '4', '5', '6'], format: (value) => formatPercent(value, 2), values: [[1, 0.62, 0.5, 0.42, 0.4, 0.38], [1, 0.66, 0.52, 0.47, 0.44, null], [1, 0.7, 0.58, 0.5, null, null], [1, 0.71, 0.6, null, null, null]], min: 0 };

export const forest = { label: 'Effect per metric with 95% intervals', title: 'Difference in percentage points', format: (value) => String(value), titles: { name: 'Metric', estimate: 'Difference', lower: 'From', upper: 'To' }, rows: [{ name: 'Conversion', estimate: 3, lower: 0.2, upper: 5.8, tone: 'good' }, { name: 'Return', estimate: -0.4, lower: -1.9, upper: 1.1 }, { name: 'Refunds', estimate: 1.2, lower: 0.3, upper: null, tone: 'danger' }] };

export const trace = { label: 'Steps of an answer', axis: 'Time', format: formatMilliseconds, titles: { name: 'Step', start: 'Began', duration: 'Took' }, spans: [{ id: 'a', parent: null, name: 'answer', start: 0, duration: 1240 }, { id: 'b', parent: 'a', name: 'retrieve', start: 12, duration: 95 }, { id: 'c', parent: 'b', name: 'rank', start: 60, duration: 40 }, { id: 'd', parent: 'a', name: 'generate', start: 120, duration: 1080, tone: 'caution' }, { id: 'e', parent: 'a', name: 'check', start: 1205, duration: 30 }] };

export const text = `## An answer

The window is **30 days** from delivery, *unless* the item was [on sale](https://example.org/sale) [1].

1. Open the order
2. Choose \`Return\`

- [x] Receipt
- [ ] Box

> Later returns go to a person.

| Item | Days |
|---|---:|
| Shoes | 30 |
| Books | 14 |

\`\`\`json
{"status": "open", "days": 30}
\`\`\`

<b onclick="alert(1)">Raw markup</b> stays text, and [this](javascript:alert(1)) leads nowhere. Fish &amp; chips.`;
