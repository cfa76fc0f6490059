/**
 * Writes the table and the pictures of docs/performance.md from bench/results.json.
 * `npm run bench -- report [CHECK.json …]` first puts the figures of `npm run bench -- check --json CHECK.json` into
 * bench/results.json; rows that no check measures are edited there by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDirSync } from 'fs-extra';
import { ROOT } from '../dev/services/paths';
import { bars } from './lib/report-page/bars';
import { insert, summary, table, withCheck, type CheckResult, type Results } from './lib/report-page/results';

const RESULTS = join(ROOT, 'bench', 'results.json');
const PAGE = join(ROOT, 'docs', 'performance.md');
const IMAGES = join(ROOT, 'docs', 'images', 'performance');

/** Titles of the pictures, by the name of their file. */
const PICTURES: Readonly<Record<string, string>> = {
  throughput: 'Rows and records per second: more is better',
  ratios: 'Beside the fastest reader of the same data: more is better',
  cpu: 'CPU seconds per million rows: less is better',
  start: 'Start of a worker: less is better',
  memory: 'Memory: less is better',
  idle: 'CPU of an idle worker: less is better',
  latency: 'COMMIT → consumer: less is better',
  scale: 'Growth with the number of tables and with time: less is better',
};

const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;
let results = read<Results>(RESULTS);
for (const file of process.argv.slice(2)) results = withCheck(results, read<CheckResult>(file));
writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
ensureDirSync(IMAGES);
for (const [name, title] of Object.entries(PICTURES)) {
  const rows = results.rows.filter(({ picture }) => picture === name);
  writeFileSync(join(IMAGES, `${name}.svg`), bars(title, rows));
}
const page = insert(readFileSync(PAGE, 'utf8'), 'results', `${summary(results)}\n\n${table(results)}`);
writeFileSync(PAGE, page);
console.log(`${results.rows.length} rows in docs/performance.md, ${Object.keys(PICTURES).length} pictures`);
