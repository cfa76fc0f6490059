/** `millrace offsets reset NAME`: the connector starts as if it were new. */
import type { Invocation } from '../program/command-spec';
import { changeOffsets } from './change-offsets';

export async function run(invocation: Invocation): Promise<number> {
  const name = invocation.args[0] as string;
  const change = `Delete all offsets of ${name}, so that it starts from the beginning`;
  return await changeOffsets(invocation, { name, change, request: { method: 'DELETE' } });
}
