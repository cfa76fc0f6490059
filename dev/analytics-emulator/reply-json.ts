/** Replies as JSON that keeps what JavaScript's numbers can not: the service's longs have 64 bits. */

/** A text that is JSON already. */
export class JsonText {
  constructor(readonly text: string) {}
}

export function replyJson(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map((item) => replyJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${replyJson(member)}`)
    .join(',')}}`;
}
