/** Levels that Connect knows, the quietest first. */
export const LEVELS: readonly string[] = ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'];
