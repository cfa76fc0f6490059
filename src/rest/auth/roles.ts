/** The role of a caller, by the rules `rest.auth.roles.*`, and what a route requires of it. Pure. */
import { ROLES, type Role, type RoleRules } from '../../config/rest-auth-settings';

/**
 * Readers read and validate; operators also change what runs; admins also change configs, offsets and log levels.
 * `signature`: requests between workers need no role, but a signature, which the herder verifies.
 */
export type Requirement = Role | 'signature';

/** Who may send requests to a route. */
export interface RequiredRole {
  /** Express pattern. */
  readonly path: string;
  readonly role: Requirement;
  /** Workers of the group also request it from each other, with a mark instead of credentials. */
  readonly forWorkers?: true;
}

export interface Identity {
  readonly user: string;
  /** Values of the token's roles claim. */
  readonly claims: readonly string[];
}

/** The most powerful role that a rule gives; null: none. */
export function roleOf(rules: RoleRules, { user, claims }: Identity): Role | null {
  const names = new Set(['*', `user:${user}`, ...claims.map((claim) => `claim:${claim}`)]);
  return ROLES.findLast((role) => rules[role].some((who) => names.has(who))) ?? null;
}

export function includes(role: Role | null, required: Role): boolean {
  return role !== null && ROLES.indexOf(role) >= ROLES.indexOf(required);
}
