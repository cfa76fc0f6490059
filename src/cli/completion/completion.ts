/** `millrace completion` */
import type { Invocation } from '../program/command-spec';
import { SCRIPTS } from './scripts';

export function run({ args, io }: Invocation): number {
  io.stdout.write(SCRIPTS[args[0] as keyof typeof SCRIPTS]);
  return 0;
}
