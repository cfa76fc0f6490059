/** What the roles allow. */
import type { Role } from '../worker-api';

const POWER: Readonly<Record<Role, number>> = { reader: 0, operator: 1, admin: 2 };

/** @returns why the role does not allow what needs `needed`; null: it does */
export function roleObjection(role: Role, needed: Role): string | null {
  if (POWER[role] >= POWER[needed]) return null;
  return `Your role is ${role}; this needs the role ${needed}`;
}
