/* The list of experiments under its other address. */
import '../../shared/shell.js';
import { startList } from '../list.js';

startList();
