/** `replica.identity.autoset.values` (cdc-postgres §1.4): `<pattern>:FULL,<pattern>:INDEX <index>,…`. */
import { KEY } from './definitions';
import { PatternList, patternsProblem, splitList } from './patterns';

export interface ReplicaIdentityRule {
  readonly tables: PatternList;
  readonly identity: ReplicaIdentity;
}

export type ReplicaIdentity =
  { readonly kind: 'FULL' | 'DEFAULT' | 'NOTHING' } | { readonly kind: 'INDEX'; readonly index: string };

const RULE = /^([^\s:]+):(?:(FULL|DEFAULT|NOTHING)|INDEX\s+(\S+))$/i;

/** Of a value that has no `replicaIdentitiesProblem`. */
export function replicaIdentities(text: string | null): ReplicaIdentityRule[] {
  return splitList(text ?? '').map((rule) => {
    const [, table, kind, index] = RULE.exec(rule) as RegExpExecArray;
    const tables = new PatternList([table as string]);
    if (index !== undefined) return { tables, identity: { kind: 'INDEX', index } };
    return { tables, identity: { kind: (kind as string).toUpperCase() as 'FULL' } };
  });
}

export function checkReplicaIdentities(
  text: string | undefined,
  complain: (name: string, message: string) => void,
): void {
  for (const rule of splitList(text ?? '')) {
    const table = RULE.exec(rule)?.[1];
    const reason = table === undefined ? null : patternsProblem([table]);
    if (table !== undefined && reason === null) continue;
    complain(
      KEY.replicaIdentityAutosetValues,
      reason === null
        ? `${rule} has an invalid format (expecting <pattern>:FULL, :DEFAULT, :NOTHING or :INDEX <index>)`
        : `A valid regular expression is expected before each colon, but ${reason}`,
    );
  }
}
