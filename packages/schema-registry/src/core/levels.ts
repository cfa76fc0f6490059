/** Compatibility levels and modes. */

export const LEVELS = [
  'NONE',
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FORWARD',
  'FORWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
] as const;
export type Level = (typeof LEVELS)[number];

/** READONLY_OVERRIDE, as the global mode, overrides the modes of subjects. */
export const MODES = ['READWRITE', 'READONLY', 'READONLY_OVERRIDE', 'IMPORT'] as const;
export type Mode = (typeof MODES)[number];

export const DEFAULT_LEVEL: Level = 'BACKWARD';
export const DEFAULT_MODE: Mode = 'READWRITE';

export const levelOf = (text: unknown): Level | undefined => find(LEVELS, text);
export const modeOf = (text: unknown): Mode | undefined => find(MODES, text);

function find<T extends string>(values: readonly T[], text: unknown): T | undefined {
  return typeof text === 'string' ? values.find((value) => value === text.toUpperCase()) : undefined;
}
