/** Options and help of commands that run a worker. */
import { type ArgumentSpec, type OptionSpec, wholeNumber } from '@millrace/cli';

export const WORKER_FILE: ArgumentSpec = {
  name: '[worker.properties]',
  description: 'worker settings; environment variables override them',
  completes: 'files',
};

const port = wholeNumber(0, 65_535);

export const WORKER_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--port <number>',
    description: 'REST API on http://127.0.0.1:<number>; 0: a free port (default of dev: 8083)',
    parse: port,
  },
  {
    flags: '--broker-port <number>',
    description: 'port of the embedded broker; 0: a free port (default: 9092)',
    parse: port,
  },
  {
    flags: '--data-dir <folder>',
    description: 'data folder of the embedded broker (default: .millrace)',
    completes: 'files',
  },
];

export const ENVIRONMENT = `Environment variables override the file: BOOTSTRAP_SERVERS, GROUP_ID, CONFIG_STORAGE_TOPIC, OFFSET_STORAGE_TOPIC, STATUS_STORAGE_TOPIC, KEY_CONVERTER, VALUE_CONVERTER, and CONNECT_<NAME> for any setting (CONNECT_OFFSET_FLUSH_INTERVAL_MS sets offset.flush.interval.ms).

Logs: MILLRACE_LOG_LEVEL (error, warn, info, debug, trace) and MILLRACE_LOG_FORMAT (text, json).`;
