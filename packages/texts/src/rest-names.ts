/** Names that requests to a worker contain. */

/** Levels of loggers, from the quietest. */
export const LEVEL_NAMES = ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const;
export type LevelName = (typeof LEVEL_NAMES)[number];

/** Case-insensitive and trimmed; null if unknown. */
export function levelName(text: string): LevelName | null {
  const wanted = text.trim().toUpperCase();
  return LEVEL_NAMES.find((name) => name === wanted) ?? null;
}

/** `initial_state` of a registration. */
export const INITIAL_STATES = ['RUNNING', 'PAUSED', 'STOPPED'] as const;
export type InitialState = (typeof INITIAL_STATES)[number];
