/** `millrace loggers set` */
import { ConnectError } from '@millrace/sdk';
import { LEVEL_NAMES, levelName } from '../../logging/log-levels';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { path } from '../rest/connect-client';
import { listOf, textOf } from '../rest/reply';
import { withClient } from '../rest/clients';

export async function run(invocation: Invocation): Promise<number> {
  const [name = '', given = ''] = invocation.args;
  const isCluster = invocation.options.cluster === true;
  const level = levelName(given);
  if (level === null)
    throw new ConnectError(`"${given}" is not a log level: choose one of ${LEVEL_NAMES.join(', ')}.`, {
      code: 'CLI_USAGE',
    });
  const at = path`/admin/loggers/${name}` + (isCluster ? '?scope=cluster' : '');
  return await withClient(invocation, async (client) => {
    const reply = await client.request(at, { method: 'PUT', body: { level } });
    // 204: the change was written to the config topic, and each worker carries it out when it reads it.
    const loggers = reply === undefined ? [] : listOf(reply, `PUT ${at}`).map(textOf).sort();
    const scope = reply === undefined ? 'cluster' : 'worker';
    const value = { level, scope, ...(scope === 'worker' && { worker: client.address, loggers }) };
    writeAnswer(invocation, value, () =>
      scope === 'cluster'
        ? `${name} and the loggers below it set to ${level} on all workers\n`
        : { headings: ['NAME', 'LEVEL'], rows: loggers.map((logger) => [logger, level]) },
    );
    if (!isCluster || scope === 'cluster') return EXIT.success;
    invocation.io.stderr.write(
      `millrace: ${client.address} is older than Kafka 3.7 and has no --cluster: only its own level was set.\n`,
    );
    return EXIT.failed;
  });
}
