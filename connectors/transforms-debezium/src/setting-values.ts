/** Values of a transformation's settings, and their errors in Java's words. */
import { compileJavaRegex, ConfigError, type ConfigKey, type ConnectorConfig } from '@millrace/sdk';

/** Null: absent or blank. */
export function textSetting(config: ConnectorConfig, name: string): string | null {
  return config[name]?.trim() || null;
}

/** Throws ConfigError. */
export function flagSetting(config: ConnectorConfig, name: string, fallback: boolean): boolean {
  const value = textSetting(config, name)?.toLowerCase() ?? String(fallback);
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalidSetting(name, config[name] ?? null, "Either 'true' or 'false' is expected");
}

/** One of the values. Throws ConfigError. */
export function choiceSetting<T extends string>(
  config: ConnectorConfig,
  name: string,
  choices: readonly T[],
  fallback: T,
): T {
  const value = textSetting(config, name)?.toLowerCase() ?? fallback;
  const choice = choices.find((one) => one === value);
  if (choice === undefined) throw invalidSetting(name, config[name] ?? null, choiceProblem(choices));
  return choice;
}

/** The items without surrounding spaces, empty ones among them; empty if the setting is absent. */
export function listSetting(config: ConnectorConfig, name: string): string[] {
  const text = textSetting(config, name);
  return text === null ? [] : text.split(',').map((item) => item.trim());
}

export function choiceProblem(choices: readonly string[]): string {
  return `Value must be one of ${choices.join(', ')}`;
}

/** Members of a key whose text must be among `choices`, in any case. */
export function oneOf(choices: readonly string[]): Pick<ConfigKey, 'validator' | 'accepts'> {
  return {
    validator: (value) =>
      typeof value === 'string' && choices.includes(value.trim().toLowerCase()) ? null : choiceProblem(choices),
    accepts: { values: choices, anyCase: true },
  };
}

/** Null: the expression compiles. */
export function regexProblem(pattern: string): string | null {
  try {
    compileJavaRegex(pattern);
    return null;
  } catch (error) {
    return `A valid regular expressions is expected, but ${(error as Error).message}`;
  }
}

export function invalidSetting(name: string, value: string | null, reason: string): ConfigError {
  return new ConfigError(
    `Invalid value ${value} for configuration ${name}: The '${name}' value is invalid: ${reason}`,
    {
      code: 'PG_TRANSFORM_CONFIG',
    },
  );
}
