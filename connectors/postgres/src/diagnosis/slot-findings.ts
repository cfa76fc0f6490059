/** Replication slots: the connector's own, and others that retain WAL. Pure. */
import type { Finding } from '@millrace/sdk';
import { quoteLiteral } from '../database/identifiers';
import { shownSize, slotTrouble, type SlotHealth } from '../metrics/slot-health';
import { afterPrecaution } from '../database/slot-precautions';
import { decodingPlugin } from '../replication/decoding-plugin';
import { checkResume, passedBy } from '../replication/resume-check';
import type { Facts, InactiveSlot, SlotFacts, SlotHolder, UsedSlot } from './facts';
import { caution, fault, reloaded, resetOffsets, stopConnector } from './finding';

/** Names of the connections of connectors, `application_name`. */
const CONNECTOR = /^(?:Millrace|Debezium)\b/;
/** An inactive slot of another reader is worth a warning from this size. */
const RETAINED_BYTES = 64 * 1024 ** 2;

/** Transactions that are open keep a slot where it is. */
const OPEN_TRANSACTIONS =
  'SELECT pid, usename, application_name, state, xact_start, query FROM pg_stat_activity WHERE xact_start IS NOT NULL ORDER BY xact_start LIMIT 10;';
/** The first version whose `pg_terminate_backend` waits for the end of the process. */
const TERMINATION_WAITS = 140_000;
const TERMINATION_MS = 10_000;

export function slotFindings({ connector, slots, inactive, used, server: { version } }: Facts): Finding[] {
  return [
    ...slots.flatMap((slot) => ownFindings(connector, slot, version)),
    ...inactive.flatMap((slot) => otherFindings(slot, used)),
  ];
}

const drop = (name: string): string => `SELECT pg_drop_replication_slot(${quoteLiteral(name).trim()});`;
const terminate = (pid: number, version: number): string =>
  `SELECT pg_terminate_backend(${pid}${version >= TERMINATION_WAITS ? `, ${TERMINATION_MS}` : ''});`;

function ownFindings(connector: string, facts: SlotFacts, version: number): Finding[] {
  const { config, slot, health, holder, pluginProblem } = facts;
  const found: Finding[] = [];
  if (pluginProblem !== null) found.push(fault(pluginProblem.code, pluginProblem.message));
  if (slot === null) return [...found, ...positionFindings(connector, facts)];
  const { name } = config.slot;
  const { slotPlugin } = decodingPlugin(config);
  const { database } = config.connection;
  // A slot that a process reads cannot be dropped.
  const removal = [...(slot.activePid === null ? [] : [terminate(slot.activePid, version)]), drop(name)];
  if (slot.plugin !== slotPlugin || slot.database !== database) {
    found.push(
      fault(
        'PG_SLOT_MISMATCH',
        `Replication slot "${name}" is for plugin ${slot.plugin} and database "${slot.database}", not for ${slotPlugin} and "${database}".`,
        {
          cure: slot.active
            ? `Choose another slot.name, because ${shownHolder(holder)} reads this slot. Only if that program is no longer needed, stop it, then end its connection and drop the slot.`
            : 'Choose another slot.name; or, if no other program needs this slot, drop it.',
          statements: removal,
        },
      ),
    );
    return found;
  }
  const lost = slot.lostBecause ?? health?.invalidation ?? null;
  if (lost !== null) {
    found.push(
      fault('PG_SLOT_LOST', `Replication slot "${name}" is lost (${lost}): changes that were not read are gone.`, {
        cure: `${afterPrecaution(lost, 'stop')} the connector, drop the slot, reset the connector's offsets and resume it, for a new snapshot. A restart does not help.`,
        statements: [stopConnector(connector), ...removal, resetOffsets(connector)],
      }),
    );
    return found;
  }
  found.push(...positionFindings(connector, facts));
  const retained = shownSize(health?.retainedBytes ?? 0);
  if (health !== null) found.push(...riskFindings(name, health));
  if (!slot.active)
    found.push(
      caution(
        'PG_SLOT_INACTIVE',
        `No process reads replication slot "${name}", for which the server retains ${retained} of WAL, more with each change.`,
        {
          cure: 'Start the connector. Only if it is no longer needed, drop the slot, which loses the changes that were not read.',
          statements: [drop(name)],
        },
      ),
    );
  if (holder !== null && !CONNECTOR.test(holder.application))
    found.push(
      fault(
        'PG_SLOT_ACTIVE',
        `Replication slot "${name}" is read by ${shownHolder(holder)}, which is not a connector.`,
        {
          cure: 'Choose another slot.name, because changes that this program confirms do not reach the connector. Only if it is not needed, stop it, or at least end its connection.',
          statements: [terminate(holder.pid, version)],
        },
      ),
    );
  return found;
}

/** Whether the next start can resume. While a stream reads the slot, the slot is ahead of the stored offsets. */
function positionFindings(connector: string, { config, slot, stored }: SlotFacts): Finding[] {
  const { everyStart, whenLost } = config.snapshot.policy;
  if (stored.kind !== 'position' || slot?.active === true || everyStart) return [];
  const { problem } = checkResume(stored.position, slot, null, config.slot);
  if (problem === null) return [];
  if (whenLost)
    return [caution(problem.code, problem.message, { cure: 'The connector takes a new snapshot when it starts.' })];
  const resumes =
    passedBy(stored.position, slot) === null
      ? ''
      : ' If nothing is missing, set offset.mismatch.strategy=trust_greater_lsn, which resumes at the position of the slot.';
  return [
    fault(problem.code, problem.message, {
      cure: `A restart does not help.${resumes} For a new snapshot, which lacks deletes and intermediate changes made since, run this.`,
      statements: [resetOffsets(connector)],
    }),
  ];
}

function shownHolder(holder: SlotHolder | null): string {
  if (holder === null) return 'another process';
  return `process ${holder.pid} (${holder.application || 'unnamed'}, ${holder.address})`;
}

function riskFindings(name: string, health: SlotHealth): Finding[] {
  const trouble = slotTrouble(health, null, null);
  if (trouble !== 'unreserved' && trouble !== 'retained') return [];
  const { limitBytes, safeWalBytes } = health;
  const retainedBytes = health.retainedBytes ?? 0;
  const message = `Replication slot "${name}" retains ${shownSize(retainedBytes)} of WAL${limitText(limitBytes, safeWalBytes)}.`;
  const reader = health.active
    ? 'look for slow or failing writes to Kafka and for a transaction that was left open'
    : 'start the connector, because no process reads it';
  if (limitBytes === null)
    return [
      fault('PG_SLOT_AT_RISK', message, {
        cure: `Keep room on the server's disk, and ${reader}; see the open transactions with`,
        statements: [OPEN_TRANSACTIONS],
      }),
    ];
  const megabytes = Math.ceil((2 * Math.max(limitBytes, retainedBytes)) / 1024 ** 2);
  return [
    fault('PG_SLOT_AT_RISK', message, {
      cure: `Let the server keep more WAL, for which its disk must have room, until the connector has caught up, and ${reader}.`,
      statements: reloaded('max_slot_wal_keep_size', `'${megabytes}MB'`),
    }),
  ];
}

function limitText(limit: number | null, safe: number | null): string {
  if (limit === null) return ', and the server has no limit (max_slot_wal_keep_size), so its disk may fill';
  const left = safe === null ? '' : `, after ${shownSize(Math.max(0, safe))} more`;
  return `, and the server drops it beyond ${shownSize(limit)} (max_slot_wal_keep_size)${left}`;
}

/**
 * Small ones retain more with each change, too, so that a slot which a deleted connector has left is worth a warning.
 */
function otherFindings(slot: InactiveSlot, used: readonly UsedSlot[] | null): Finding[] {
  const { name, type, database, retainedBytes, inactiveSeconds, walStatus } = slot;
  if (walStatus === 'lost') return [];
  const isUsed = used?.some((one) => isOrMayBe(one.name, name) && isOrMayBe(one.database, database)) === true;
  // A standby that is away comes back.
  if (retainedBytes < RETAINED_BYTES && (isUsed || type === 'physical')) return [];
  const where = `${type} replication slot "${name}" of ${database === null ? 'this server' : `database "${database}"`}`;
  const age = inactiveSeconds === null ? '' : ` (last read ${shownAge(inactiveSeconds)})`;
  const unused = used === null || isUsed || type === 'physical' ? '' : ', and no connector of these workers names it';
  return [
    caution(
      'PG_SLOT_INACTIVE',
      `No process reads the ${where}${age}${unused}: the server retains ${shownSize(retainedBytes)} of WAL for it, more with each change.`,
      {
        cure: 'Start its reader. Only if it is no longer needed, for instance because its connector was deleted, drop the slot, which loses what was not read.',
        statements: [drop(name)],
      },
    ),
  ];
}

/** @param wanted as in a config, in which a placeholder may stand for anything */
function isOrMayBe(wanted: string, actual: string | null): boolean {
  return wanted === actual || wanted.includes('${') || wanted === '';
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Coarse, so that the diagnoses of several connectors find the same. */
function shownAge(seconds: number): string {
  if (seconds < 2 * MINUTE) return 'less than two minutes ago';
  if (seconds < 2 * HOUR) return `${Math.floor(seconds / MINUTE)} minutes ago`;
  return seconds < 2 * DAY ? `${Math.floor(seconds / HOUR)} hours ago` : `${Math.floor(seconds / DAY)} days ago`;
}
