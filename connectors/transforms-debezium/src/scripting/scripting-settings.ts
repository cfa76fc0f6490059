/** Settings that Filter and ContentBasedRouter share. Source: cdc-postgres §7.13. */
import { compileJavaRegex, anchored, type ConfigKey, type ConnectorConfig } from '@millrace/sdk';
import { choiceSetting, invalidSetting, oneOf, regexProblem, textSetting } from '../setting-values';
import { compileExpression, type Evaluate } from './cel-expression';
import { languageProblem } from './expression-language';

/** In Java's order, in which messages list them. */
const NULLS = ['drop', 'keep', 'evaluate'] as const;

const key = (order: number, name: string, of: Omit<ConfigKey, 'name' | 'order' | 'type'>): ConfigKey => {
  return { name, type: 'STRING', order, ...of };
};

/** @param expression name, display name and documentation of the expression's setting */
export function scriptingConfig(expression: readonly [string, string, string]): readonly ConfigKey[] {
  const [name, displayName, documentation] = expression;
  return [
    key(1, 'topic.regex', {
      default: null,
      importance: 'LOW',
      width: 'LONG',
      displayName: 'Topic regex',
      documentation: 'Topics whose records are evaluated: a Java regular expression for the whole name. Default: all.',
      validator: (value) => (typeof value === 'string' ? regexProblem(value) : null),
    }),
    key(2, 'language', {
      default: null,
      importance: 'HIGH',
      width: 'MEDIUM',
      displayName: 'Expression language',
      documentation: 'The language of the expression: cel. Required.',
      requiredUnless: [],
      validator: (_, config) => languageProblem(textSetting(config, 'language'), textSetting(config, name)),
    }),
    key(3, name, {
      default: null,
      importance: 'HIGH',
      width: 'MEDIUM',
      displayName,
      documentation: `${documentation} In CEL, with key, value, keySchema, valueSchema, topic and header. Required.`,
      requiredUnless: [],
      validator: (_, config) => expressionProblem(config, name),
    }),
    key(4, 'null.handling.mode', {
      default: 'keep',
      importance: 'LOW',
      width: 'SHORT',
      displayName: 'Handle null records',
      documentation: 'What happens to a record without a value: keep, drop, or evaluate.',
      ...oneOf(NULLS),
    }),
  ];
}

/** Null: the expression compiles, or the message about the language covers it. */
function expressionProblem(config: ConnectorConfig, name: string): string | null {
  const text = textSetting(config, name);
  if (text === null) return 'A value is required';
  if (languageProblem(textSetting(config, 'language'), text) !== null) return null;
  try {
    compileExpression(text);
    return null;
  } catch (error) {
    return `Failed to parse expression '${text.slice(0, 200)}': ${(error as Error).message}`;
  }
}

export interface ScriptingSettings {
  readonly expression: string;
  readonly evaluate: Evaluate;
  readonly nulls: (typeof NULLS)[number];
  /** Null: all topics. */
  readonly topics: RegExp | null;
}

/** Throws ConfigError. */
export function scriptingSettings(config: ConnectorConfig, name: string): ScriptingSettings {
  const expression = textSetting(config, name);
  const language = textSetting(config, 'language');
  const wrongLanguage = languageProblem(language, expression);
  if (wrongLanguage !== null) throw invalidSetting('language', language, wrongLanguage);
  const problem = expressionProblem(config, name);
  if (problem !== null) throw invalidSetting(name, expression, problem);
  const pattern = textSetting(config, 'topic.regex');
  const wrongTopics = pattern === null ? null : regexProblem(pattern);
  if (wrongTopics !== null) throw invalidSetting('topic.regex', pattern, wrongTopics);
  return {
    expression: expression as string,
    evaluate: compileExpression(expression as string),
    nulls: choiceSetting(config, 'null.handling.mode', NULLS, 'keep'),
    topics: pattern === null ? null : anchored(compileJavaRegex(pattern)),
  };
}
