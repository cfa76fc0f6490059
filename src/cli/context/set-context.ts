/** `millrace context set` */
import { resolve } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import type { Invocation } from '../program/command-spec';
import { CONTEXT_KEYS, readContexts, writeContexts, type Context } from './contexts-file';
import { urlsOf } from './server';

/** The name appears in texts and in shell completion. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@/-]{0,99}$/;

export function run({ args, options, io }: Invocation): number {
  const name = args[0] as string;
  if (!NAME.test(name) || name === '__proto__')
    throw new ConnectError(`"${name}" is not a valid name: use letters, digits and . _ @ / -.`, { code: 'CLI_USAGE' });
  const given = options as Partial<Record<(typeof CONTEXT_KEYS)[number], string>> & { readonly use?: boolean };
  if (given.url !== undefined) urlsOf(given.url);
  const { current, contexts } = readContexts(io);
  const known = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  const changes = CONTEXT_KEYS.flatMap((key) => {
    const value = given[key];
    return value === undefined ? [] : [[key, key === 'url' ? value : resolve(io.cwd, value)] as const];
  });
  const context = { ...known, ...Object.fromEntries(changes) } as Partial<Context>;
  if (context.url === undefined) throw new ConnectError(`Set --url of context "${name}".`, { code: 'CLI_USAGE' });
  const isCurrent = given.use === true || current === undefined;
  writeContexts(io, { current: isCurrent ? name : current, contexts: { ...contexts, [name]: context as Context } });
  io.stderr.write(`Context "${name}" is set${isCurrent ? ' and current' : ''}.\n`);
  return 0;
}
