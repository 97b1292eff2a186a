/* The list of experiments: its filters and pages, and what can be done with a row. */
import '../../shared/shell.js';
import { startList } from '../list.js';

startList();
