import type { JsonNode } from './tree';

export type Plain<N> = null | boolean | string | N | readonly Plain<N>[] | { readonly [name: string]: Plain<N> };

/** Converts a parsed value to plain objects and arrays. Numbers are what `toNumber` returns for their text. */
export function plainValue<N>(node: JsonNode, toNumber: (text: string) => N): Plain<N> {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries([...node.members].map(([name, member]) => [name, plainValue(member, toNumber)]));
    case 'array':
      return node.items.map((item) => plainValue(item, toNumber));
    case 'number':
      return toNumber(node.text);
    case 'boolean':
      return node.text === 'true';
    case 'null':
      return null;
    default:
      return node.text;
  }
}

/** Whether objects and arrays are nested more than `levels` deep, the value itself included. */
export function isDeeperThan(node: JsonNode, levels: number): boolean {
  if (node.kind !== 'object' && node.kind !== 'array') return false;
  if (levels === 0) return true;
  const inner = node.kind === 'array' ? node.items : [...node.members.values()];
  return inner.some((item) => isDeeperThan(item, levels - 1));
}
