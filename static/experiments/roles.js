/* Who may change experiments: elements for them name these roles, so that others do not see them (data-for). */
export const writers = 'experiments:analyst experiments:admin';
