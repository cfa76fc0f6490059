/** The options of `millrace produce`. */
import { ConnectError } from '@millrace/sdk';
import type { Invocation } from '../program/command-spec';

export interface ProduceOptions {
  /** `-`: standard input. */
  readonly file: string;
  readonly topic: string;
  /** Print only the summary, not a line for each message. */
  readonly quiet: boolean;
}

/** Kafka's rule for topic names. */
const TOPIC_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;

/** @throws ConnectError `CLI_USAGE` for an invalid topic name. */
export function produceOptions(invocation: Pick<Invocation, 'args' | 'options'>): ProduceOptions {
  const { topic, quiet = false } = invocation.options as { topic: string; quiet?: boolean };
  if (!TOPIC_NAME.test(topic)) {
    throw new ConnectError(
      `"${topic}" is not a valid topic name: use 1 to 249 letters, digits, dots, underscores and dashes.`,
      { code: 'CLI_USAGE' },
    );
  }
  return { file: invocation.args[0] as string, topic, quiet };
}
