import { randomBytes } from 'node:crypto';

/** A name that is unique among tests: for topics, groups, connectors, databases, slots and roles. */
export function uniqueName(prefix: string): string {
  return `${prefix}_${randomBytes(5).toString('hex')}`;
}
