/**
 * Levels of loggers from environment variables: `MILLRACE_LOG_LEVEL`, and those of Java's images, as their start
 * scripts read them. Pure.
 */
import { levelName, type LevelName } from '@millrace/texts/rest-names';
import type { LevelRules } from './log-levels';

/** Of all loggers; the first that is set counts. */
const ROOT_VARIABLES = ['MILLRACE_LOG_LEVEL', 'CONNECT_LOG4J_ROOT_LOGLEVEL', 'CONNECT_LOG_LEVEL', 'LOG_LEVEL'];
/** Levels of loggers (`org.apache.kafka.connect=DEBUG,…`), or of all and appenders (`INFO, stdout`). */
const LOGGERS = 'CONNECT_LOG4J_LOGGERS';
/** The rest of the name is that of a logger: `CONNECT_LOG4J_LOGGER_IO_DEBEZIUM=DEBUG`. */
const ONE_LOGGER = 'CONNECT_LOG4J_LOGGER_';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LevelVariables {
  readonly root: LevelName;
  readonly rules: LevelRules;
  /** Variables of Java's images that are not a level. */
  readonly unusable: readonly string[];
}

export function levelsOfEnvironment(env: Environment): LevelVariables {
  const unusable: string[] = [];
  const levels: LevelName[] = [];
  const rules: LevelRules[number][] = [];
  for (const variable of ROOT_VARIABLES) {
    const text = env[variable] ?? '';
    const level = levelName(text);
    if (level !== null) levels.push(level);
    else if (text.trim() !== '' && variable !== 'MILLRACE_LOG_LEVEL') unusable.push(variable);
  }
  const given = Object.entries(env).filter(([variable]) => variable === LOGGERS || variable.startsWith(ONE_LOGGER));
  for (const [variable, text = ''] of given) {
    const found = variable === LOGGERS ? loggerLevels(text) : oneLevel(variable.slice(ONE_LOGGER.length), text);
    if (found === null) unusable.push(variable);
    else if (typeof found === 'string') levels.push(found);
    else rules.push(...found);
  }
  return { root: levels[0] ?? 'INFO', rules, unusable };
}

/** A level of all loggers, or rules. Null: neither. */
function loggerLevels(text: string): LevelName | LevelRules | null {
  const parts = text.split(',').map((part) => part.trim());
  if (!text.includes('=')) return levelName(parts[0] ?? '');
  const rules: [string, LevelName][] = [];
  for (const part of parts.filter((one) => one !== '')) {
    const [name = '', level = ''] = part.split('=');
    const known = levelName(level);
    if (known === null || name.trim() === '') return null;
    rules.push([name.trim(), known]);
  }
  return rules;
}

function oneLevel(name: string, text: string): LevelRules | null {
  const level = levelName(text.split(',')[0] ?? '');
  return level === null || name === '' ? null : [[name.toLowerCase().replaceAll('_', '.'), level]];
}
