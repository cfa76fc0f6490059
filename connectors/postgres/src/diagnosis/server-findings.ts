/** Prerequisites of the server and the role. Pure. */
import type { Finding } from '@millrace/sdk';
import { quoteIdentifier, quoteLiteral } from '../database/identifiers';
import type { ServerFacts } from '../database/server';
import type { Facts } from './facts';
import { caution, fault, listed, place, reloaded } from './finding';

const OLDEST = 100_000;
/** The first version whose standbys decode WAL. */
const STANDBY_DECODES = 160_000;
/** The first version with failover slots. */
const FAILOVER_SLOTS = 170_000;

/** Null, or why nothing else can be read: catalogs that the other checks need are missing. */
export function versionFinding({ version }: Pick<ServerFacts, 'version'>): Finding | null {
  if (version >= OLDEST) return null;
  return fault('PG_VERSION', `The server is older than PostgreSQL 10 (server_version_num ${version}).`, {
    cure: 'Upgrade the server: logical replication with pgoutput needs PostgreSQL 10.',
  });
}

export function serverFindings(facts: Facts): Finding[] {
  const { config } = facts;
  if (!config.snapshot.policy.stream) return [];
  return [...prerequisites(facts), ...capacity(facts), ...standby(facts)];
}

function prerequisites({ server }: Facts): Finding[] {
  const found: Finding[] = [];
  if (server.walLevel !== 'logical')
    found.push(
      fault('PG_WAL_LEVEL', `wal_level of the server is ${server.walLevel}, so its changes cannot be read.`, {
        cure: `Set it to logical${server.inRecovery ? ' on the primary and on this standby' : ''}, then restart the server.`,
        statements: ["ALTER SYSTEM SET wal_level = 'logical';"],
      }),
    );
  if (!server.mayReplicate)
    found.push(
      fault('PG_ROLE_REPLICATION', `The role ${server.user} has no REPLICATION attribute, so it may not read a slot.`, {
        cure: `Grant it as a superuser${place(server)}.`,
        statements: [`ALTER ROLE ${quoteIdentifier(server.user)} WITH LOGIN REPLICATION;`],
      }),
    );
  return found;
}

function capacity({ server, capacity: { usedSlots, usedSenders, maxSenders }, slots, inactive }: Facts): Finding[] {
  const found: Finding[] = [];
  const missing = slots.filter(({ slot }) => slot === null).length;
  const unread = inactive.length === 0 ? '' : ` (no process reads ${listed(inactive.map(({ name }) => name))})`;
  if (missing > 0 && server.maxSlots - usedSlots < missing)
    found.push(
      fault(
        'PG_TOO_MANY_SLOTS',
        `${usedSlots} of ${server.maxSlots} replication slots (max_replication_slots) are in use, and the connector needs ${missing} more.`,
        {
          cure: `Drop slots that are no longer used${unread}, or raise the setting and restart the server.`,
          statements: [`ALTER SYSTEM SET max_replication_slots = ${server.maxSlots + Math.max(missing, 10)};`],
        },
      ),
    );
  const idle = slots.filter(({ slot }) => slot?.active !== true).length;
  if (idle > 0 && maxSenders - usedSenders < idle)
    found.push(
      fault(
        'PG_WAL_SENDERS',
        `${usedSenders} of ${maxSenders} WAL senders (max_wal_senders) are in use, and the connector needs ${idle} more.`,
        {
          cure: 'End replication connections that are no longer used, or raise the setting and restart the server.',
          statements: [`ALTER SYSTEM SET max_wal_senders = ${maxSenders + Math.max(idle, 10)};`],
        },
      ),
    );
  return found;
}

function standby({
  config,
  server,
  capacity: { standbyFeedback, standbySlots, absentStandbySlots },
}: Facts): Finding[] {
  const found: Finding[] = [];
  if (server.inRecovery && server.version < STANDBY_DECODES)
    found.push(
      fault('PG_STANDBY', 'The server is a standby, and standbys decode WAL only since PostgreSQL 16.', {
        cure: 'Set database.hostname and database.port to those of the primary, which the standby shows a superuser with',
        statements: ['SELECT sender_host, sender_port FROM pg_stat_wal_receiver;'],
      }),
    );
  else if (server.inRecovery && !standbyFeedback)
    found.push(
      caution(
        'PG_STANDBY',
        'The server is a standby with hot_standby_feedback=off, so the primary may remove catalog rows that the slot needs, which invalidates it.',
        {
          cure: 'Run this on the standby as a superuser.',
          statements: reloaded('hot_standby_feedback', 'on'),
        },
      ),
    );
  if (!config.slot.failover) return found;
  if (server.version < FAILOVER_SLOTS)
    found.push(
      caution('PG_STANDBY_SLOT', 'slot.failover=true has no effect: the server is older than PostgreSQL 17.', {
        cure: 'Upgrade the server, or remove slot.failover.',
      }),
    );
  const present = standbySlots.filter((name) => !absentStandbySlots.includes(name));
  if (absentStandbySlots.length > 0)
    found.push(
      fault(
        'PG_STANDBY_SLOT',
        `Changes wait for standbys that are not connected: ${listed(absentStandbySlots)} of synchronized_standby_slots.`,
        {
          cure: 'Start these standbys; or remove their slots from the setting, so that they may lack changes after a failover that connectors have read.',
          statements: reloaded('synchronized_standby_slots', quoteLiteral(present.join(', ')).trim()),
        },
      ),
    );
  return found;
}
