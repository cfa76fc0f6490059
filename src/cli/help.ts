import type { CliIo } from './io';

export const USAGE = `Usage: millrace <command>

Commands:
  start [worker.properties]  run a distributed worker until it is told to stop (SIGTERM, SIGINT)
  --help                     this text
  --version                  the version of Millrace and of the Kafka Connect it stands in for

Without a file, "start" reads worker.properties of the current directory when there is one. Environment variables override
the file: BOOTSTRAP_SERVERS, GROUP_ID, CONFIG_STORAGE_TOPIC, OFFSET_STORAGE_TOPIC, STATUS_STORAGE_TOPIC, and CONNECT_<NAME>
for any setting (CONNECT_OFFSET_FLUSH_INTERVAL_MS sets offset.flush.interval.ms). Logs: MILLRACE_LOG_LEVEL (error, warn,
info, debug, trace) and MILLRACE_LOG_FORMAT (text, json).
`;

export function printHelp(_args: readonly string[], io: CliIo): number {
  io.stdout.write(USAGE);
  return 0;
}
