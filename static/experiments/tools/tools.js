/* All tools by the name in their address. */
import { assignment } from './assignment.js';
import { bandit } from './bandit.js';
import { corrections } from './corrections.js';
import { file } from './file/file.js';
import { sensitivity } from './sensitivity.js';

export const tools = { sensitivity, corrections, assignment, bandit, file };
