import { CONNECT_VERSION, MILLRACE_VERSION } from '../version';
import type { CliIo } from './io';

export function printVersion(_args: readonly string[], io: CliIo): number {
  io.stdout.write(`millrace ${MILLRACE_VERSION} (Kafka Connect ${CONNECT_VERSION})\n`);
  return 0;
}
