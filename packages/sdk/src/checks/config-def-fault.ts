import type { ConfigType } from '../config-def';
import { actualKind, isPlainObject } from './plugin-fault';

const TYPES: Readonly<Record<ConfigType, true>> = {
  BOOLEAN: true,
  STRING: true,
  INT: true,
  SHORT: true,
  LONG: true,
  DOUBLE: true,
  LIST: true,
  CLASS: true,
  PASSWORD: true,
};

/** What is wrong with the member `config` of a plugin's export, or null. */
export function configDefFault(config: unknown): string | null {
  if (!Array.isArray(config)) return 'its export should have a list "config"';
  for (const [i, key] of config.entries()) {
    if (!isPlainObject(key)) return `entry ${i} of its "config" is ${actualKind(key)}: expected { name, type, … }`;
    const { name, type, validator, accepts, requiredUnless } = key;
    if (typeof name !== 'string' || name === '')
      return `entry ${i} of its "config" has no "name": expected a non-empty string`;
    if (typeof type !== 'string' || !Object.hasOwn(TYPES, type))
      return `the setting ${name} of its "config" has the type ${JSON.stringify(type) ?? 'undefined'}: expected one of ${Object.keys(TYPES).join(', ')}`;
    if (validator !== undefined && validator !== null && typeof validator !== 'function')
      return `the "validator" of the setting ${name} is ${actualKind(validator)}: expected a function`;
    if (accepts != null && !(isPlainObject(accepts) && isListOfTexts(accepts['values'])))
      return `the "accepts" of the setting ${name} is ${actualKind(accepts)}: expected { values: [texts], anyCase? }`;
    if (requiredUnless != null && !isListOfTexts(requiredUnless))
      return `the "requiredUnless" of the setting ${name} is ${actualKind(requiredUnless)}: expected a list of texts`;
  }
  return null;
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
