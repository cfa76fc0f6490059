/** The commands that carry out what a reason of health says can be done. Pure. */
import { escapeControls } from '@millrace/texts/escape-controls';
import { isRunnable, shellQuote } from '../output/shell-quote';
import type { Invocation } from '../program/command-spec';
import type { HealthAction } from './health';

export interface ActionCommand {
  /** What it does, as the begin of a line. */
  readonly label: string;
  /** Runs as it is in the shell of this platform. */
  readonly command: string;
}

/** The options that chose the cluster on the command line, for a command that is for the same one. */
export function serverOptions({ options }: Pick<Invocation, 'options'>): string {
  const { url, context } = options as { readonly url?: string; readonly context?: string };
  if (url !== undefined) return ` --url ${shellQuote(url)}`;
  return context === undefined ? '' : ` --context ${shellQuote(context)}`;
}

/**
 * Without those that a shell of this platform would change.
 * @param server options that choose the cluster, as they were given
 */
export function actionCommands(name: string, actions: readonly HealthAction[], server = ''): readonly ActionCommand[] {
  return actions
    .map((action) => commandOf(name, action, server))
    .filter(({ command }) => isRunnable(command) && escapeControls(command) === command);
}

function commandOf(name: string, action: HealthAction, server: string): ActionCommand {
  const quoted = shellQuote(name);
  switch (action.kind) {
    case 'skip-record': {
      const { topic, partition, offset } = action;
      const entry = {
        partition: { kafka_topic: topic, kafka_partition: partition },
        offset: { kafka_offset: offset },
      };
      const offsets = shellQuote(JSON.stringify({ offsets: [entry] }));
      return {
        label: 'Skip this record, and those before it that are not committed yet',
        command: `echo ${offsets} | millrace offsets import ${quoted} - --resume --yes${server}`,
      };
    }
    case 'dead-letter-queue': {
      const topic = shellQuote(`errors.deadletterqueue.topic.name=${name.replace(/[^\w.-]/g, '-').slice(0, 200)}-dlq`);
      // The cluster's own: the default of 3 fails on fewer brokers, such as that of `millrace dev`.
      const replication = 'errors.deadletterqueue.topic.replication.factor=-1';
      const headers = 'errors.deadletterqueue.context.headers.enable=true';
      return {
        label: 'Keep records that fail in a dead letter queue',
        command: `millrace patch ${quoted} errors.tolerance=all ${topic} ${replication} ${headers}${server}`,
      };
    }
    case 'reset-offsets':
      return { label: 'Start from the beginning', command: `millrace offsets reset ${quoted} --resume${server}` };
    case 'restart':
      return {
        label: 'Once the cause is removed',
        command: `millrace restart ${quoted} --failed${server}`,
      };
  }
}
