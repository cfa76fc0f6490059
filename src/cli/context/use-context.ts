/** `millrace context use` */
import type { Invocation } from '../program/command-spec';
import { readContexts, writeContexts } from './contexts-file';
import { contextOf } from './server';

export function run({ args, io }: Invocation): number {
  const name = args[0] as string;
  contextOf({ options: { context: name }, io });
  const contexts = readContexts(io);
  writeContexts(io, { ...contexts, current: name });
  io.stderr.write(`Commands ask ${contexts.contexts[name]?.url} now.\n`);
  return 0;
}
