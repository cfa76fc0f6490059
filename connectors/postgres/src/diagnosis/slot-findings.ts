/** Replication slots: the connector's own, and others that retain WAL. Pure. */
import type { Finding } from '@millrace/sdk';
import { quoteLiteral } from '../database/identifiers';
import { shownSize, slotTrouble } from '../metrics/slot-health';
import { decodingPlugin } from '../replication/decoding-plugin';
import type { Facts, InactiveSlot, SlotFacts } from './facts';
import { caution, fault } from './finding';

/** Names of the connections of connectors, `application_name`. */
const CONNECTOR = /^(?:Millrace|Debezium)\b/;
/** An inactive slot of another reader is worth a warning from this size. */
const RETAINED_BYTES = 64 * 1024 ** 2;

export function slotFindings({ slots, inactive }: Facts): Finding[] {
  return [...slots.flatMap(ownFindings), ...inactive.flatMap(otherFindings)];
}

const drop = (name: string): string => `SELECT pg_drop_replication_slot(${quoteLiteral(name).trim()});`;

function ownFindings({ config, slot, health, holder, pluginProblem }: SlotFacts): Finding[] {
  const found: Finding[] = [];
  if (pluginProblem !== null) found.push(fault(pluginProblem.code, pluginProblem.message));
  if (slot === null) return found;
  const { name } = config.slot;
  const { slotPlugin } = decodingPlugin(config);
  const { database } = config.connection;
  if (slot.plugin !== slotPlugin || slot.database !== database) {
    found.push(
      fault(
        'PG_SLOT_MISMATCH',
        `Replication slot "${name}" is for plugin ${slot.plugin} and database "${slot.database}", not for ${slotPlugin} and "${database}".`,
        { cure: 'Choose another slot.name; or, if nothing else uses this slot, drop it.', statement: drop(name) },
      ),
    );
    return found;
  }
  const lost = slot.lostBecause ?? health?.invalidation ?? null;
  if (lost !== null) {
    found.push(
      fault('PG_SLOT_LOST', `Replication slot "${name}" is lost (${lost}): changes that were not read are gone.`, {
        cure: "Raise max_slot_wal_keep_size, stop the connector, drop the slot, delete the connector's offsets and resume it, for a new snapshot.",
        statement: drop(name),
      }),
    );
    return found;
  }
  const trouble = slotTrouble(health, null, null);
  const retained = shownSize(health?.retainedBytes ?? 0);
  if (trouble === 'unreserved' || trouble === 'retained')
    found.push(
      fault(
        'PG_SLOT_AT_RISK',
        `Replication slot "${name}" retains ${retained} of WAL${limitText(health?.limitBytes ?? null, health?.safeWalBytes ?? null)}.`,
        {
          cure: 'Find out why the connector does not read it in time, and let the server keep more WAL until it has.',
          statement: "ALTER SYSTEM SET max_slot_wal_keep_size = '-1'; SELECT pg_reload_conf();",
        },
      ),
    );
  if (!slot.active)
    found.push(
      caution(
        'PG_SLOT_INACTIVE',
        `No process reads replication slot "${name}", for which the server retains ${retained} of WAL, more with each change.`,
        {
          cure: 'Start the connector; only if it is no longer needed, drop the slot.',
          statement: drop(name),
        },
      ),
    );
  if (holder !== null && !CONNECTOR.test(holder.application))
    found.push(
      fault(
        'PG_SLOT_ACTIVE',
        `Replication slot "${name}" is read by process ${holder.pid} (${holder.application || 'unnamed'}, ${holder.address}), which is not a connector.`,
        {
          cure: 'Choose another slot.name, or end that process.',
          statement: `SELECT pg_terminate_backend(${holder.pid});`,
        },
      ),
    );
  return found;
}

function limitText(limit: number | null, safe: number | null): string {
  if (limit === null) return ', and the server has no limit (max_slot_wal_keep_size), so its disk may fill';
  const left = safe === null ? '' : `, after ${shownSize(Math.max(0, safe))} more`;
  return `, and the server drops it beyond ${shownSize(limit)} (max_slot_wal_keep_size)${left}`;
}

function otherFindings({ name, type, retainedBytes, walStatus }: InactiveSlot): Finding[] {
  if (retainedBytes < RETAINED_BYTES || walStatus === 'lost') return [];
  return [
    caution(
      'PG_SLOT_INACTIVE',
      `No process reads the ${type} replication slot "${name}" of this server, for which it retains ${shownSize(retainedBytes)} of WAL, more with each change.`,
      { cure: 'Start its reader; only if it is no longer needed, drop the slot.', statement: drop(name) },
    ),
  ];
}
