import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The Kafka Connect that clients take this worker for. */
export const CONNECT_VERSION = '4.3.1';

export const MILLRACE_VERSION = (
  JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as { version: string }
).version;
