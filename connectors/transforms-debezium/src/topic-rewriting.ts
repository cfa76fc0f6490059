/** Topics that match a regular expression as a whole and are rewritten by a replacement. */
import { anchored, compileJavaRegex, compileJavaReplacement, type ConnectorConfig } from '@millrace/sdk';
import { invalidSetting, regexProblem } from './setting-values';

export interface Rewriting {
  readonly regex: RegExp;
  readonly replacer: (match: string, ...rest: unknown[]) => string;
}

/** The settings of the two names. Throws ConfigError. */
export function rewriting(
  config: ConnectorConfig,
  regexKey: string,
  replacementKey: string,
  replacementMissing = 'A value is required',
): Rewriting {
  const pattern = config[regexKey]?.trim();
  const replacement = config[replacementKey]?.trim();
  if (!pattern) throw invalidSetting(regexKey, null, 'A value is required');
  if (!replacement) throw invalidSetting(replacementKey, null, replacementMissing);
  const problem = regexProblem(pattern);
  if (problem !== null) throw invalidSetting(regexKey, pattern, problem);
  const regex = compileJavaRegex(pattern);
  try {
    return { regex, replacer: compileJavaReplacement(regex, replacement) };
  } catch (error) {
    throw invalidSetting(replacementKey, replacement, (error as Error).message);
  }
}

/** Null where the expression does not match the whole topic. */
export function rewritten({ regex, replacer }: Rewriting, topic: string): string | null {
  return anchored(regex).test(topic) ? topic.replace(regex, replacer) : null;
}
