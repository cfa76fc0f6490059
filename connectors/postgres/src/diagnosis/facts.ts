/** What a diagnosis knows about the server, read before anything is decided. */
import type { CatalogTable } from '../database/catalog';
import type { ServerFacts } from '../database/server';
import type { UnsentKey } from '../events/sent-key';
import type { PostgresConfig } from '../config/postgres-config';
import type { PublicationState } from '../publication/state';
import type { StoredOffset } from '../replication/position';
import type { SlotState } from '../replication/slot';
import type { SlotHealth } from '../metrics/slot-health';

export interface CapacityFacts {
  readonly usedSlots: number;
  readonly usedSenders: number;
  readonly maxSenders: number;
  /** `hot_standby_feedback`. */
  readonly standbyFeedback: boolean;
  /** `synchronized_standby_slots`. */
  readonly standbySlots: readonly string[];
  /** Those of them that are missing or inactive: failover slots wait for them. */
  readonly absentStandbySlots: readonly string[];
}

export interface SlotHolder {
  readonly pid: number;
  readonly application: string;
  readonly address: string;
}

/** A slot of the server that no process reads. */
export interface InactiveSlot {
  readonly name: string;
  readonly type: string;
  /** Null: a physical slot. */
  readonly database: string | null;
  readonly retainedBytes: number;
  /** Since it was read last, or since the server started; null before PostgreSQL 17. */
  readonly inactiveSeconds: number | null;
  /** `reserved`, `extended`, `unreserved` or `lost`; null before PostgreSQL 13. */
  readonly walStatus: string | null;
}

export interface PublicationFacts extends PublicationState {
  readonly isOwner: boolean;
  /** It publishes updates or deletes, so tables need a replica identity. */
  readonly publishesKeys: boolean;
}

/** One slot of the connector, with its publication. */
export interface SlotFacts {
  readonly config: PostgresConfig;
  readonly slot: SlotState | null;
  /** As the workers have it; `none` also if they were not asked. */
  readonly stored: StoredOffset;
  readonly health: SlotHealth | null;
  readonly holder: SlotHolder | null;
  /** Null: the plugin can be used. */
  readonly pluginProblem: { readonly code: string; readonly message: string } | null;
  /** Undefined: the output plugin reads no publication. */
  readonly publication: PublicationFacts | null | undefined;
  /** Captured tables whose changes this slot sends. */
  readonly tables: readonly CatalogTable[];
  /** Record keys of these tables of which changes lack a column. */
  readonly unsentKeys: readonly UnsentKey[];
}

/** A slot that a connector of the workers is configured to read. */
export interface UsedSlot {
  readonly name: string;
  readonly database: string;
}

export interface Facts {
  /** Name of the connector. */
  readonly connector: string;
  readonly config: PostgresConfig;
  readonly server: ServerFacts;
  readonly capacity: CapacityFacts;
  /** Captured tables. */
  readonly tables: readonly CatalogTable[];
  /** Captured tables in which the role may not read. */
  readonly unreadable: readonly CatalogTable[];
  /** Captured tables that the role does not own, so that it cannot publish them. */
  readonly foreign: readonly CatalogTable[];
  readonly isSuperuser: boolean;
  /** May create publications in the database. */
  readonly mayCreate: boolean;
  /** Empty if the connector does not stream. */
  readonly slots: readonly SlotFacts[];
  /** Of other readers. */
  readonly inactive: readonly InactiveSlot[];
  /** Null: the workers were not asked. */
  readonly used: readonly UsedSlot[] | null;
}
