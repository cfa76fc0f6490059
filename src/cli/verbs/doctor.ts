/** `millrace doctor`: what is wrong, and the cures. */
import { type VerbSpec, wholeNumber } from '@millrace/cli';

export const command: VerbSpec = {
  name: 'doctor',
  description: `Find what is wrong with Kafka, the workers, connectors and their databases, and print the cure of each finding with the statement to run.

It checks the worker settings, Kafka and its storage topics, the workers of the group, failed connectors and tasks, and what the plugins of the connectors check, such as the PostgreSQL server. The connectors are those of the REST API and of the files. It changes nothing. Placeholders of the files are replaced with values of this machine, those of connectors of the REST API only with --resolve-locally. Exit code 5 if a finding is an error, 3 if nothing answers.

With --from-java or --env-file it connects to nothing, and reports what of a Java worker's settings, its environment and its connectors is rejected, ignored, changed or replaced by Millrace. Exit code 5 if something is rejected.`,
  arguments: [{ name: '[files...]', description: 'documents of connectors to check as well', completes: 'files' }],
  options: [
    {
      flags: '--from-java <worker.properties>',
      description: 'report what differs from Java Connect: settings, environment variables, and the files',
      completes: 'files',
    },
    {
      flags: '--env-file <file>',
      description: 'variables of the Java worker, NAME=value per line, in place of those of this process',
      completes: 'files',
    },
    {
      flags: '--deadline <seconds>',
      description: 'time for the whole run',
      default: 60,
      parse: wholeNumber(1, 3600),
    },
    {
      flags: '--resolve-locally',
      description:
        'replace placeholders of all connectors with values of this machine, and send these to the hosts of their configs: only if you trust everyone who may write connectors',
    },
  ],
  shared: ['server', 'cluster', 'output'],
  examples: [
    { command: 'doctor --config worker.properties', explanation: 'Check a cluster with the settings of its workers' },
    { command: 'doctor orders.json', explanation: 'Also check a connector before it is created' },
    {
      command: 'doctor --from-java worker.properties connectors.json',
      explanation: 'Before a migration: what Millrace does otherwise',
    },
    { command: 'doctor -o json', explanation: 'For a script; exit code 5 if there is an error' },
  ],
  load: () => ({
    run: (invocation) => {
      const { fromJava, envFile } = invocation.options;
      const { run } =
        fromJava === undefined && envFile === undefined
          ? (require('./doctor/run') as typeof import('./doctor/run'))
          : (require('./doctor/from-java/run') as typeof import('./doctor/from-java/run'));
      return run(invocation);
    },
  }),
};
