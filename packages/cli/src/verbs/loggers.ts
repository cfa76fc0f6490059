/** `millrace loggers`: changes log levels. */
import { ConnectError } from '@millrace/sdk';
import { LEVEL_NAMES, levelName } from '@millrace/texts/rest-names';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { withClient } from '../rest/clients';
import { listOf, path, textOf } from '../rest/reply';

export const command: VerbSpec = {
  name: 'loggers',
  description: 'Change log levels of running workers, until they are restarted. "millrace get loggers" lists them.',
  examples: [{ command: 'loggers set root WARN', explanation: 'Only warnings and errors of the worker that answers' }],
  subcommands: [
    {
      name: 'set',
      summary: 'set the level of a logger and of those below it',
      arguments: [
        { name: '<name>', description: 'logger, e.g. root or org.apache.kafka.connect', completes: 'loggers' },
        { name: '<level>', description: 'OFF, FATAL, ERROR, WARN, INFO, DEBUG, TRACE or ALL' },
      ],
      options: [{ flags: '--cluster', description: 'on all workers (default: on the one that answers)' }],
      shared: ['output', 'server'],
      examples: [
        { command: 'loggers set org.apache.kafka.connect DEBUG', explanation: 'On the worker that answers' },
        { command: 'loggers set root INFO --cluster', explanation: 'On all workers' },
      ],
      run: setLevel,
    },
  ],
};

async function setLevel(invocation: Invocation): Promise<number> {
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
