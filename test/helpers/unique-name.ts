import { randomBytes } from 'node:crypto';

/** A name that no other test has: good for topics, groups, connectors, databases, slots and roles. */
export function uniqueName(prefix: string): string {
  return `${prefix}_${randomBytes(5).toString('hex')}`;
}
