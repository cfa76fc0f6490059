import { CONNECT_VERSION, MILLRACE_VERSION } from '../version';
import type { CliIo } from './io';

export function printVersion(io: Pick<CliIo, 'stdout'>): number {
  io.stdout.write(`millrace ${MILLRACE_VERSION} (Kafka Connect ${CONNECT_VERSION})\n`);
  return 0;
}
