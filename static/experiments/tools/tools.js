/* All tools by the name in their address. */
import { assignment } from './assignment.js';
import { bandit } from './bandit.js';
import { corrections } from './corrections.js';
import { file } from './file/file.js';
import { flags } from './flags.js';
import { sensitivity } from './sensitivity.js';
import { sequential } from './sequential/design.js';
import { hybrid } from './sequential/hybrid.js';
import { monitor } from './sequential/monitor.js';
import { solve } from './solve.js';

export const tools = { sensitivity, solve, sequential, hybrid, monitor, corrections, assignment, flags, bandit, file };
