import type { CliIo } from './io';

export const USAGE = `Usage: millrace <command>

Commands:
  start [worker.properties]  run a distributed worker until it is told to stop (SIGTERM, SIGINT)
  dev [worker.properties]    the same with a Kafka broker of its own, for first runs: needs no file, no Kafka, no Java
  produce FILE --topic T     send each line of a file as a message; - is standard input
  --help                     this text
  --version                  the version of Millrace and of the Kafka Connect it stands in for

Options of start and dev:
  --port N                   REST on http://127.0.0.1:N; 0: any free port (dev: 8083)
  --broker-port N            port of the embedded broker; 0: any free one (9092)
  --data-dir FOLDER          where the embedded broker keeps its data (.millrace)

The embedded broker is what bootstrap.servers=embedded asks for, and what "dev" uses unless another one is named. A second worker
with the same data folder joins it. It is for one machine, not for production.

Options of produce:
  --config worker.properties where Kafka is and how to log in: the worker's keys, those under "producer." over them
  --data-dir FOLDER          of the embedded broker to join, when no cluster is named (.millrace)
  --quiet                    the summary alone, not a line for each message

It prints FILE:LINE, partition and offset of each message. The first failure ends the reading; lines that were not delivered are
named on stderr, and the exit code is 1.

Without a file, "start" and "produce" read worker.properties of the current directory when there is one. Environment variables
override the file: BOOTSTRAP_SERVERS, GROUP_ID, CONFIG_STORAGE_TOPIC, OFFSET_STORAGE_TOPIC, STATUS_STORAGE_TOPIC, and CONNECT_<NAME>
for any setting (CONNECT_OFFSET_FLUSH_INTERVAL_MS sets offset.flush.interval.ms). Logs: MILLRACE_LOG_LEVEL (error, warn,
info, debug, trace) and MILLRACE_LOG_FORMAT (text, json).
`;

export function printHelp(_args: readonly string[], io: CliIo): number {
  io.stdout.write(USAGE);
  return 0;
}
