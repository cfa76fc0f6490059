import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  backendPid,
  connectionOf,
  disableChannelBinding,
  runsQuery,
  withoutReplication,
} from '../../../../connectors/postgres/src/database/pg-internals';

const ROOT = join(__dirname, '../../../..');

function manifest(folder: string): { version: string; dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}

test('the installed pg is the pinned version whose internals were reviewed', () => {
  expect(manifest('node_modules/pg').version).toBe(manifest('connectors/postgres').dependencies.pg);
});

test('pg has the internals that the connector uses', () => {
  const client = new Client();
  const { stream, sendCopyFromChunk, describe, execute, sync, end, on } = connectionOf(client);
  expect([stream.on, stream.destroy].map((one) => typeof one)).toEqual(['function', 'function']);
  expect([sendCopyFromChunk, describe, execute, sync, end, on].map((one) => typeof one)).toEqual(
    Array<string>(6).fill('function'),
  );
  expect(backendPid(client)).toBeNull();
  expect(runsQuery(client)).toBe(false);
  const replicating = new Client({ replication: 'database' } as object);
  expect(replicating).toMatchObject({ connectionParameters: { replication: 'database' } });
  withoutReplication(replicating);
  expect(replicating).not.toHaveProperty('connectionParameters.replication');
  const binding = new Client({ enableChannelBinding: true });
  expect(binding).toMatchObject({ enableChannelBinding: true });
  disableChannelBinding(binding);
  expect(binding).toMatchObject({ enableChannelBinding: false });
});
