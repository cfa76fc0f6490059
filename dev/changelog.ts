/** Moves the files of changes/ into CHANGELOG.md (their README has the format): `npm run changelog -- VERSION` */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './services/paths';

const KINDS = ['Added', 'Changed', 'Fixed', 'Removed', 'Security'];

/** A file's name and its one line. */
export type Change = readonly [file: string, line: string];

/** The changelog with a section for `version` above the older ones. Throws if a line has no kind. */
export function withRelease(changelog: string, version: string, date: string, changes: readonly Change[]): string {
  const lines = new Map(KINDS.map((kind) => [kind, [] as string[]]));
  for (const [file, line] of changes) {
    const [, kind = '', text = ''] = /^(\w+): (.+)\n?$/.exec(line) ?? [];
    const found = lines.get(kind);
    if (!found) throw new Error(`changes/${file} is not one line that begins with ${KINDS.join(':, ')}:`);
    found.push(`- ${text.charAt(0).toUpperCase()}${text.slice(1)}`);
  }
  const sections = KINDS.flatMap((kind) => {
    const found = lines.get(kind) ?? [];
    return found.length === 0 ? [] : [`### ${kind}\n\n${found.join('\n')}\n`];
  });
  const older = changelog.indexOf('\n## [') + 1;
  const release = [`## [${version}] - ${date}\n`, ...sections].join('\n');
  return `${changelog.slice(0, older)}${release}\n${changelog.slice(older)}`;
}

/** Of changes/. */
export const readChanges = (): Change[] =>
  readdirSync(join(ROOT, 'changes'))
    .filter((file) => file !== 'README.md')
    .sort()
    .map((file) => [file, readFileSync(join(ROOT, 'changes', file), 'utf8')]);

if (require.main === module) {
  const [, , version] = process.argv;
  if (version === undefined) throw new Error('usage: npm run changelog -- VERSION');
  const path = join(ROOT, 'CHANGELOG.md');
  const changes = readChanges();
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(path, withRelease(readFileSync(path, 'utf8'), version, today, changes));
  for (const [file] of changes) rmSync(join(ROOT, 'changes', file));
}
