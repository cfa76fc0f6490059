/** Types of the files that need no reference. */
import type { MessageType } from './proto-model';
import { readRegistered } from './registered-file';
import { wellKnownFile } from './well-known';

const types = new Map<string, MessageType>();

export function wellKnownType(path: string, fullName: string): MessageType {
  let type = types.get(fullName);
  if (type === undefined) {
    const text = wellKnownFile(path) as string;
    const { messages } = readRegistered({ text, dependencies: new Map() });
    type = messages.find((message) => message.fullName === fullName) as MessageType;
    types.set(fullName, type);
  }
  return type;
}
