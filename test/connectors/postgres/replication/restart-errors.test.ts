import { ConnectError } from '@millrace/sdk';
import { orInRecovery } from '../../../../connectors/postgres/src/replication/restart-errors';

const refused = (code: string): Error => Object.assign(new Error(`refused with ${code}`), { code });
const failed = (code: string): Error => new ConnectError(`failed with ${code}`, { code });

test.each(['PG_POSITION_LOST', 'PG_SLOT_LOST', 'PG_PUBLICATION_MISSING', '25006', '55000'])(
  'a start on a standby that fails with %s is tried again',
  (code) => {
    const error = code.startsWith('PG') ? failed(code) : refused(code);
    expect(orInRecovery(error, 'own')).toMatchObject({
      code: 'PG_IN_RECOVERY',
      message: `The server is in recovery: ${error.message}`,
      retriable: true,
    });
  },
);

test.each(['PG_WAL_DIVERGED', 'PG_SLOT_MISMATCH', '42501', '22023'])('a promotion does not cure %s', (code) => {
  const error = code.startsWith('PG') ? failed(code) : refused(code);
  expect(orInRecovery(error, 'own')).toBe(error);
});
