/** What may happen on the other side of a PostgreSQL source. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Seeded } from '../../test/helpers/seeded';
import type { ChangingPostgres } from './changing-postgres';

export interface FaultScene {
  readonly postgres: ChangingPostgres;
  readonly random: Seeded;
  /** In the schema public. */
  readonly tables: readonly string[];
  readonly publication: string;
  readonly slot: string;
}

export interface Fault {
  readonly kind: string;
  /** Changes are lost that no source can read; the log must say so, and a snapshot brings the rows. */
  readonly opensGap?: boolean;
  /** The snapshot is not taken by itself: an operator requests it. */
  readonly needsSnapshot?: boolean;
  /** @see FaultScene.postgres is another server afterwards; nothing may write meanwhile. */
  readonly replacesServer?: boolean;
  /** @param lose writes changes that the next server does not have */
  run(scene: FaultScene, lose: () => Promise<void>): Promise<void>;
}

/** Ends the source's session, so that the slot can be changed. */
async function withoutReader({ postgres, slot }: FaultScene, sql: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await postgres.query(
      `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = '${slot}' AND active`,
    );
    try {
      await postgres.query(sql);
      return;
    } catch (error) {
      // The source was back first.
      if (attempt === 200) throw error;
      await sleep(5);
    }
  }
}

const create = (slot: string): string => `SELECT pg_create_logical_replication_slot('${slot}', 'pgoutput')`;
const drop = (slot: string): string => `SELECT pg_drop_replication_slot('${slot}')`;

export const FAULTS: readonly Fault[] = [
  {
    kind: 'slot dropped',
    opensGap: true,
    run: (scene) => withoutReader(scene, drop(scene.slot)),
  },
  {
    kind: 'column added',
    run: async ({ postgres, random, tables }) =>
      void (await postgres.query(`ALTER TABLE ${random.one(tables)} ADD COLUMN IF NOT EXISTS extra int DEFAULT 7`)),
  },
  {
    kind: 'slot advanced',
    opensGap: true,
    run: (scene) => withoutReader(scene, `SELECT pg_replication_slot_advance('${scene.slot}', pg_current_wal_lsn())`),
  },
  {
    kind: 'table locked',
    run: async ({ postgres, random, tables }) => {
      const client = new Client({ connectionString: postgres.serverUrl });
      client.on('error', () => undefined);
      await client.connect();
      await client.query(`BEGIN; LOCK TABLE ${random.one(tables)} IN ACCESS EXCLUSIVE MODE`);
      void sleep(10_000)
        .then(() => client.end())
        .catch(() => undefined);
    },
  },
  {
    kind: 'slot dropped and made anew',
    opensGap: true,
    run: async (scene) => {
      await withoutReader(scene, drop(scene.slot));
      await sleep(scene.random.next() * 500);
      await scene.postgres.query(create(scene.slot)).catch(() => undefined);
    },
  },
  {
    kind: 'column renamed',
    run: async ({ postgres, random, tables }) => {
      const table = random.one(tables);
      await postgres.query(
        `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS extra int; ALTER TABLE ${table} RENAME extra TO other; ALTER TABLE ${table} RENAME other TO extra`,
      );
    },
  },
  {
    kind: 'restored from a copy',
    opensGap: true,
    replacesServer: true,
    run: async ({ postgres }, lose) => {
      await postgres.backUp();
      await lose();
      await postgres.restore();
    },
  },
  {
    kind: 'column dropped',
    run: async ({ postgres, random, tables }) =>
      void (await postgres.query(`ALTER TABLE ${random.one(tables)} DROP COLUMN IF EXISTS extra`)),
  },
  {
    kind: 'standby promoted',
    opensGap: true,
    replacesServer: true,
    run: ({ postgres }, lose) => postgres.failOver(lose),
  },
  {
    kind: 'table left the publication',
    opensGap: true,
    needsSnapshot: true,
    run: async ({ postgres, random, tables, publication }) =>
      void (await postgres.query(`ALTER PUBLICATION ${publication} DROP TABLE ${random.one(tables)}`)),
  },
  {
    kind: 'table swapped',
    opensGap: true,
    needsSnapshot: true,
    run: async ({ postgres, random, tables }) => {
      const table = random.one(tables);
      await postgres.query(
        `BEGIN; ALTER TABLE ${table} RENAME TO old; CREATE TABLE ${table} (LIKE old INCLUDING ALL); INSERT INTO ${table} SELECT * FROM old; DROP TABLE old; COMMIT`,
      );
    },
  },
  {
    kind: 'publication dropped',
    opensGap: true,
    needsSnapshot: true,
    run: async ({ postgres, publication }) => void (await postgres.query(`DROP PUBLICATION ${publication}`)),
  },
  {
    kind: 'connections closed',
    run: async ({ postgres }) => postgres.disconnect(),
  },
];
