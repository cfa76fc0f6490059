/** What keeps the server from invalidating a slot again, by `invalidation_reason` of pg_replication_slots. */
const PRECAUTIONS: Readonly<Record<string, string>> = {
  wal_removed: 'raise max_slot_wal_keep_size',
  idle_timeout: 'raise idle_replication_slot_timeout',
  wal_level_insufficient: 'set wal_level to logical on the primary',
  rows_removed: 'set hot_standby_feedback to on on the standby',
  'conflict with recovery': 'set hot_standby_feedback to on on the standby',
};

/** An imperative clause; null for an unknown reason. */
export function slotPrecaution(reason: string): string | null {
  return PRECAUTIONS[reason] ?? null;
}

/** The precaution as the beginning of a list of steps, `first; then`. */
export function afterPrecaution(reason: string | null, then: string): string {
  const steps = [...(reason === null ? [] : [slotPrecaution(reason)]), then].filter((step) => step !== null).join('; ');
  return steps.charAt(0).toUpperCase() + steps.slice(1);
}
