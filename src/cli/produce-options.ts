/** What can be said on the command line of `millrace produce`. Pure. */
import { parseArgs } from 'node:util';
import { DATA_DIR } from '../config/embedded-broker';
import type { WorkerOptions } from './worker-options';

export interface ProduceOptions {
  /** `-`: standard input. */
  readonly file: string;
  readonly topic: string;
  /** No line for each message, the summary alone. */
  readonly quiet: boolean;
  /** Where the settings for Kafka come from. */
  readonly worker: WorkerOptions;
}

const OPTIONS = {
  topic: { type: 'string' },
  config: { type: 'string' },
  'data-dir': { type: 'string' },
  quiet: { type: 'boolean', default: false },
} as const;

/** Kafka's rule for names of topics. */
const TOPIC_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;

/** Throws an Error whose message says what is wrong with the arguments. */
export function parseProduceOptions(args: readonly string[]): ProduceOptions {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const [file] = positionals;
  if (file === undefined) throw new Error('A file is needed, or - for standard input.');
  if (positionals.length > 1) throw new Error(`One file at a time, but there are ${positionals.join(', ')}.`);
  if (values.topic === undefined) throw new Error('--topic is needed: the topic to produce to.');
  if (!TOPIC_NAME.test(values.topic)) {
    throw new Error(`"${values.topic}" cannot be a topic: 1 to 249 letters, digits, dots, underscores and dashes.`);
  }
  const folder = values['data-dir'];
  return {
    file,
    topic: values.topic,
    quiet: values.quiet,
    worker: {
      ...(values.config !== undefined && { file: values.config }),
      settings: folder === undefined ? {} : { [DATA_DIR]: folder },
      brokerOptions: folder === undefined ? [] : ['--data-dir'],
    },
  };
}
