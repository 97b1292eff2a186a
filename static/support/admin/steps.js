/*
 * What a step of an answer was given and what it changed. A trace keeps the whole state after each
 * step; readers want the difference.
 */

/* What a node works on, by its name; the state before it holds the values. */
const inputs = {
    classify_complexity: ['question'],
    transform_query: ['question', 'chat_history'],
    retrieve: ['search_query', 'hyde_query'],
    grade_docs: ['search_query', 'context_docs'],
    generate: ['question', 'graded_docs', 'chat_history'],
    verify_facts: ['answer', 'graded_docs'],
    evaluate: ['question', 'answer', 'graded_docs'],
    route_or_retry: ['quality_score', 'relevance_score', 'factuality_score', 'iteration'],
    rewrite_query: ['question', 'search_query', 'quality_score'],
    suggest_questions: ['question', 'answer'],
};

/* Members that say how a step went, or who asked, not what came of it. */
const silent = new Set(['duration_ms', 'trace_id', 'tenant_id', 'request_id', 'session_id', 'user_id', 'retrieved_docs']);

function isNothing(value) {
    return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function members(state, names) {
    return names.filter((name) => !isNothing(state[name])).map((name) => ({ name, value: state[name] }));
}

/* [{order, node, start, duration, given, changed, state}], times in milliseconds from the start. */
/** @param {support.Trace} trace */
export function stepsOf(trace) {
    let start = 0;
    let before = {};
    return trace.steps.map(({ order, node, state, ts }) => {
        const after = state ?? {};
        const duration = Math.max(0, Number(after.duration_ms ?? 0));
        const names = Object.keys(after).filter(
            (name) => !silent.has(name) && JSON.stringify(after[name]) !== JSON.stringify(before[name]),
        );
        const first = Object.keys(before).length === 0;
        const step = {
            order,
            node,
            ts,
            start,
            duration,
            given: members(first ? after : before, inputs[node] ?? []),
            changed: first ? members(after, names.filter((name) => !isDefault(after[name]) && name !== 'question')) : names.map((name) => ({ name, value: after[name] })),
            state: after,
        };
        start += duration;
        before = after;
        return step;
    });
}

/* Values that a state begins with. */
function isDefault(value) {
    return isNothing(value) || value === false || value === 0 || value === 'unknown';
}

/* A document of the state as {title, text}; null for anything else. */
export function documentOf(value) {
    if (typeof value?.page_content !== 'string') return null;
    const { title, source, doc_id: id } = value.metadata ?? {};
    return { title: title || source || id || '', name: source || '', text: value.page_content };
}
