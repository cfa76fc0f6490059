/** Keys of a connector config whose values are class names of converters, transformations and predicates. Pure. */

/** The alias of a transformation may contain dots. */
const EMBEDDED = /^(?<prefix>(?:key|value|header)\.converter|(?:transforms|predicates)\..+(?=\.type$))(?:\.type)?$/;

/**
 * Prefix of the plugin's keys, without the dot; null: the key names no plugin.
 * @example embeddedPrefix('transforms.mask.type') === 'transforms.mask'
 */
export function embeddedPrefix(key: string): string | null {
  return EMBEDDED.exec(key)?.groups?.['prefix'] ?? null;
}
