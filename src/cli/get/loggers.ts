/** `millrace get loggers` */
import { byName, selectNamed } from '../connectors/name-pattern';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { objectOf, textOf } from '../rest/reply';
import { withClient } from '../rest/clients';

const LIST = '/admin/loggers';
/** The latest time that a Date can have. */
const LATEST = 8.64e15;

export async function run(invocation: Invocation): Promise<number> {
  const reply = await withClient(invocation, (client) => client.request(LIST));
  const all = Object.entries(objectOf(reply, `GET ${LIST}`))
    .map(([name, entry]) => ({ name, ...objectOf(entry, `GET ${LIST}`) }))
    .map(({ name, ...entry }: { name: string; level?: unknown; last_modified?: unknown }) => ({
      name,
      level: textOf(entry.level),
      changed: timeOf(entry.last_modified),
    }))
    .sort(byName(({ name }) => name));
  const loggers = selectNamed(all, invocation.args, 'logger', ({ name }) => name);
  writeAnswer(invocation, loggers, () => ({
    headings: ['NAME', 'LEVEL', 'CHANGED'],
    rows: loggers.map(({ name, level, changed }) => [name, level, changed ?? '']),
  }));
  return 0;
}

function timeOf(value: unknown): string | null {
  return typeof value === 'number' && Math.abs(value) <= LATEST ? new Date(value).toISOString() : null;
}
