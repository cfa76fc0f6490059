/** `{a: 1, b: "x"}` as `a=1 b="x"`. */
export function membersText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return memberText(value ?? null);
  return Object.entries(value)
    .map(([key, member]) => `${key}=${memberText(member)}`)
    .join(' ');
}

function memberText(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
