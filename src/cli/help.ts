import type { CliIo } from './io';

export const USAGE = `Usage: millrace <command>

Commands:
  start [worker.properties]  run a distributed worker until SIGTERM or SIGINT
  dev [worker.properties]    run a worker with an embedded Kafka broker, for first runs; needs no file, Kafka or Java
  produce FILE --topic T     send each line of a file as a message; - is standard input
  --help                     print this text
  --version                  print the versions of Millrace and of the Kafka Connect that it is compatible with

Options of start and dev:
  --port N                   REST API on http://127.0.0.1:N; 0: a free port (default of dev: 8083)
  --broker-port N            port of the embedded broker; 0: a free port (default: 9092)
  --data-dir FOLDER          data folder of the embedded broker (default: .millrace)

The embedded broker is enabled by bootstrap.servers=embedded, the default of "dev". A second worker with the same data folder
uses the same broker. It is for one machine, not for production.

Options of produce:
  --config worker.properties worker settings to connect with; settings with the prefix "producer." override them
  --data-dir FOLDER          data folder of the embedded broker to connect to, unless bootstrap.servers is set (default: .millrace)
  --quiet                    print only the summary, not a line for each message

It prints FILE:LINE, partition and offset of each message. It stops reading at the first failure, prints the lines that were not
delivered on stderr, and exits with code 1.

Without a file, "start" and "produce" read worker.properties in the current directory if it exists. Environment variables
override the file: BOOTSTRAP_SERVERS, GROUP_ID, CONFIG_STORAGE_TOPIC, OFFSET_STORAGE_TOPIC, STATUS_STORAGE_TOPIC, and CONNECT_<NAME>
for any setting (CONNECT_OFFSET_FLUSH_INTERVAL_MS sets offset.flush.interval.ms). Logs: MILLRACE_LOG_LEVEL (error, warn,
info, debug, trace) and MILLRACE_LOG_FORMAT (text, json).
`;

export function printHelp(_args: readonly string[], io: CliIo): number {
  io.stdout.write(USAGE);
  return 0;
}
