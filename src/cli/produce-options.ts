/** Parses the command line of `millrace produce`. */
import { parseArgs } from 'node:util';
import { EMBEDDED_DATA_DIR } from '../config/embedded-broker';
import type { WorkerOptions } from './worker-options';

export interface ProduceOptions {
  /** `-`: standard input. */
  readonly file: string;
  readonly topic: string;
  /** Print only the summary, not a line for each message. */
  readonly quiet: boolean;
  /** Sources of the Kafka settings. */
  readonly worker: WorkerOptions;
}

const OPTIONS = {
  topic: { type: 'string' },
  config: { type: 'string' },
  'data-dir': { type: 'string' },
  quiet: { type: 'boolean', default: false },
} as const;

/** Kafka's rule for topic names. */
const TOPIC_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;

/** @throws Error that describes the invalid argument. */
export function parseProduceOptions(args: readonly string[]): ProduceOptions {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const [file] = positionals;
  if (file === undefined) throw new Error('Specify a file, or - for standard input.');
  if (positionals.length > 1) throw new Error(`Specify only one file, not ${positionals.join(', ')}.`);
  if (values.topic === undefined) throw new Error('Specify the topic with --topic.');
  if (!TOPIC_NAME.test(values.topic)) {
    throw new Error(
      `"${values.topic}" is not a valid topic name: use 1 to 249 letters, digits, dots, underscores and dashes.`,
    );
  }
  const folder = values['data-dir'];
  return {
    file,
    topic: values.topic,
    quiet: values.quiet,
    worker: {
      ...(values.config !== undefined && { file: values.config }),
      settings: folder === undefined ? {} : { [EMBEDDED_DATA_DIR]: folder },
      brokerOptions: folder === undefined ? [] : ['--data-dir'],
    },
  };
}
