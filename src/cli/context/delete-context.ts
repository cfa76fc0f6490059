/** `millrace context delete` */
import type { Invocation } from '../program/command-spec';
import { readContexts, writeContexts } from './contexts-file';
import { contextOf } from './server';

export function run({ args, io }: Invocation): number {
  const name = args[0] as string;
  contextOf({ options: { context: name }, io });
  const { current, contexts } = readContexts(io);
  const kept = Object.fromEntries(Object.entries(contexts).filter(([key]) => key !== name));
  writeContexts(io, { ...(current !== undefined && current !== name && { current }), contexts: kept });
  io.stderr.write(`Context "${name}" is deleted.\n`);
  return 0;
}
