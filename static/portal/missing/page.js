/* The page for addresses that lead nowhere: the frame, and ways on. */
import '../../shared/shell.js';
