/** Reads a unit file of systemd. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';

export const UNIT_FILE = join(ROOT, 'deploy', 'systemd', 'millrace.service');
export const ENVIRONMENT_FILE = join(ROOT, 'deploy', 'systemd', 'millrace.env');

/** All values of each key, in their order. Sections are not distinguished: no key is in two of them. */
export function readUnit(file = UNIT_FILE): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [, key = '', value = ''] of readFileSync(file, 'utf8').matchAll(/^([A-Za-z]+)=(.*)$/gm))
    values.set(key, [...(values.get(key) ?? []), value]);
  return values;
}

/** Variables of `Environment=` lines without quotes. */
export function environmentOf(unit: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  const assignments = (unit.get('Environment') ?? []).flatMap((line) => line.split(' '));
  return Object.fromEntries(assignments.map(pair));
}

/** Variables of an `EnvironmentFile=`. */
export function environmentFileOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map(pair));
}

function pair(assignment: string): [string, string] {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(assignment) ?? [];
  return [name, value];
}
