/** @example path`/connectors/${name}/status` */
export function path(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return parts.map((part, i) => (i === 0 ? part : `${encodeURIComponent(names[i - 1] as string)}${part}`)).join('');
}
