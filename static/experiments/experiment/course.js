/* The course of an experiment: the effect with its two intervals, and people per day. */
import { t } from '../../shared/i18n.js';
import { formatDate, formatDateTime, formatInteger } from '../../shared/numbers.js';
import { lineChart } from '../../shared/ui/charts/line.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { tabs } from '../../shared/ui/tabs.js';
import { armName } from '../arms.js';
import { difference, interval, known, signed } from '../figures.js';

const dayMs = 86400000;
const timeOf = ({ date }) => Date.parse(`${date}T00:00:00Z`);
const dayText = (at) => new Intl.DateTimeFormat(document.documentElement.lang, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(at);
const at = { kind: 'time', format: dayText, formatLong: (time) => formatDate(new Date(time + dayMs / 2)) };

/* The first intervals are so wide that nothing else could be seen: what the later half needs decides. */
function limits(points, least) {
    const later = points.slice(Math.floor(points.length / 2));
    const ends = later.flatMap(({ always_valid_lower: low, always_valid_upper: high, ci_lower: lower, ci_upper: upper }) => [low ?? lower, high ?? upper]);
    const values = [0, ...ends, ...later.map(({ effect }) => effect), ...(known(least) ? [least] : [])];
    const [min, max] = [Math.min(...values), Math.max(...values)];
    const room = (max - min) * 0.08 || 1;
    return { min: min - room, max: max + room };
}

function effectTable(points, type) {
    const end = (name, title, cell) => ({ name, title, align: 'end', cell });
    return {
        columns: [
            { name: 'date', title: t('experiment.day'), cell: ({ time }) => at.formatLong(time) },
            end('effect', t('observed.effect'), ({ effect, ci_lower: lower, ci_upper: upper }) => difference(effect, type, [lower, upper])),
            end('interval', t('experiment.interval_95'), ({ ci_lower: lower, ci_upper: upper }) => interval(lower, upper, type)),
            end('always', t('experiment.interval_any'), ({ always_valid_lower: lower, always_valid_upper: upper }) =>
                known(lower) ? interval(lower, upper, type) : '–',
            ),
        ],
        rows: points,
    };
}

function effectChart({ days, metric_type: type }, treatment, least) {
    const points = days
        .map((day) => ({ time: timeOf(day), ...day.comparisons.find(({ treatment_index: index }) => index === treatment) }))
        .filter(({ effect }) => known(effect));
    if (points.length < 2) return null;
    const { min, max } = limits(points, least);
    const inside = (value) => Math.min(max, Math.max(min, value));
    const line = (low, high) =>
        points.map((point) => ({ x: point.time, y: inside(point.effect), ...(known(point[low]) && { low: inside(point[low]), high: inside(point[high]) }) }));
    return html`<div class="chart" id="effect-over-time">
        <h3>${t('experiment.effect_over_time', { name: armName(treatment) })}</h3>
        ${lineChart({
            label: t('experiment.effect_over_time', { name: armName(treatment) }),
            series: [
                { name: t('experiment.interval_any'), points: line('always_valid_lower', 'always_valid_upper') },
                { name: t('experiment.interval_95'), points: line('ci_lower', 'ci_upper') },
            ],
            x: { title: t('experiment.day'), ...at },
            y: { title: type === 'binary' ? t('observed.axis_points') : t('observed.effect'), format: signed, min, max },
            marks: [{ y: 0, name: '0' }, ...(known(least) ? [{ y: least, name: t('experiment.least') }] : [])],
            table: effectTable(points, type),
        })}
    </div>`;
}

/* Days without anybody are days with nobody. */
function filled(days, step) {
    const byTime = new Map(days.map((day) => [timeOf(day), day]));
    const times = [...byTime.keys()];
    const count = (times.at(-1) - times[0]) / (step * dayMs) + 1;
    if (count > 1000) return days;
    return Array.from({ length: count }, (_, index) => {
        const time = times[0] + index * step * dayMs;
        return byTime.get(time) ?? { date: new Date(time).toISOString().slice(0, 10), people: days[0].people.map(() => 0) };
    });
}

/* Only days that are over: an unfinished one would look like a fall. */
function peopleChart({ days, step_days: step }) {
    if (days.length < 2) return null;
    const all = filled(days, step).filter((day) => timeOf(day) + step * dayMs <= Date.now());
    if (all.length < 2) return null;
    const title = step === 1 ? t('experiment.people_per_day') : t('experiment.people_per_days', { count: step });
    return html`<div class="chart" id="people-per-day">
        <h3>${title}</h3>
        ${lineChart({
            label: title,
            series: days[0].people.map((_, arm) => ({ name: armName(arm), points: all.map((day) => ({ x: timeOf(day), y: day.people[arm] })) })),
            x: { title: t('experiment.day'), ...at },
            y: { title: t('experiment.people'), format: formatInteger, min: 0 },
        })}
    </div>`;
}

/** @param {experiments.LiveCourse} course */
function ready(course, { treatment, actions, arms, least }) {
    const chosen = Math.min(treatment, arms - 1);
    const effect = effectChart(course, chosen, least);
    const people = peopleChart(course);
    if (course.status === 'pending') return html`<p class="section-note">${t('experiment.course_pending')}</p>`;
    if (!effect && !people) return html`<p class="section-note">${t('experiment.course_short')}</p>`;
    const charts = html`<div class="course">${effect}${people}</div>`;
    return html`${arms > 2
            ? tabs({
                  id: 'treatment',
                  label: t('experiment.course'),
                  tabs: Array.from({ length: arms - 1 }, (_, index) => ({ name: String(index + 1), title: armName(index + 1) })),
                  current: String(chosen),
                  onSelect: actions.treatment,
                  panel: () => charts,
              })
            : charts}
        <p class="section-note">
            ${t('experiment.course_note')} ${people ? t('experiment.course_today') : ''}${course.is_current ? '' : ` ${t('experiment.course_as_of', { time: formatDateTime(course.computed_at) })}`}
        </p>`;
}

export function courseCard(page, arms, least) {
    return html`<section class="card section stack" aria-labelledby="course-title" id="course">
        <div class="section-head"><h2 id="course-title">${t('experiment.course')}</h2></div>
        ${resourceView(page.course, {
            quiet: true,
            skeleton: { lines: 1, height: 'card' },
            ready: (course) => ready(course, { ...page, arms, least }),
        })}
    </section>`;
}
