/* All experiments. */
import '../../shared/shell.js';
import { startList } from '../list.js';

startList();
