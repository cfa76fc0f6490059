/** Writes the pages in docs/reference/ from the tables of all settings, for the documentation site. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../services/paths';
import { referencePages } from './reference-pages';

const folder = join(ROOT, 'docs', 'reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of referencePages()) writeFileSync(join(folder, name), text);
