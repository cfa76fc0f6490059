/** The role of a caller, by the rules `rest.auth.roles.*`. Pure. */
import { ROLES, type Role, type RoleRules } from '../../config/rest-auth-settings';

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
