/** The form of a config: what a plugin defines, what is set, and what validation says. Pure. */
import type { Config } from '../documents/parse-document';
import type { Definition, Value } from '../worker-api';
import { groupDefinitions, matchesQuery, type Entry } from './definitions';

/** Stands for a secret, or a part of a value, that the worker does not show. */
export const HIDDEN = '[hidden]';
/** More recommended values than these are offered while typing instead of in a list. */
const MOST_CHOICES = 20;

export type Control = 'secret' | 'choice' | 'number' | 'text';

export interface Field {
  readonly key: string;
  readonly definition: Definition;
  readonly control: Control;
  /** Undefined: not set, the default applies. */
  readonly value: string | undefined;
  readonly recommended: readonly string[];
  readonly errors: readonly string[];
  /** Keys on which the value or its visibility depends. */
  readonly dependsOn: readonly string[];
  readonly isRequired: boolean;
}

export interface FieldGroup {
  readonly name: string;
  readonly title: string;
  readonly fields: readonly Field[];
  readonly errorCount: number;
}

/** A key that is set but not defined: a label, a client override, a typing error. */
export interface OtherKey {
  readonly key: string;
  readonly value: string | undefined;
  readonly errors: readonly string[];
}

export interface Form {
  readonly groups: readonly FieldGroup[];
  readonly others: readonly OtherKey[];
  /** Fields and other keys with errors, in the order of the form. */
  readonly problems: readonly { readonly key: string; readonly errors: readonly string[] }[];
}

export type View = 'set' | 'important' | 'all';

export interface FormSource {
  /** `GET /connector-plugins/CLASS/config` */
  readonly definitions: readonly Definition[];
  /** The last answer of `validate`. It defines keys of converters and transformations, too. */
  readonly validation?: { readonly groups: readonly string[]; readonly configs: readonly Entry[] } | null;
  readonly config: Config;
  /** Keys without a field, such as the name of a connector that exists. */
  readonly without?: readonly string[];
  /** Errors that the worker does not know, by key. */
  readonly ownErrors?: ReadonlyMap<string, string>;
}

export function formOf({ definitions, validation, config, without = [], ownErrors }: FormSource): Form {
  const values = new Map<string, Value>();
  const defined = new Map<string, Definition>();
  for (const definition of definitions) defined.set(definition.name, definition);
  for (const { definition, value } of validation?.configs ?? []) {
    if (definition) defined.set(definition.name, definition);
    if (value) values.set(value.name, value);
  }
  for (const [name, error] of ownErrors ?? []) {
    const value = values.get(name) ?? { name, value: null, recommended_values: [], errors: [], visible: true };
    values.set(name, { ...value, errors: [error, ...value.errors] });
  }
  const parents = parentsOf([...defined.values()]);
  const shown = [...defined.values()].filter(
    ({ name }) =>
      !without.includes(name) &&
      (values.get(name)?.visible !== false || Object.hasOwn(config, name) || !!values.get(name)?.errors.length),
  );
  const groups = groupDefinitions(shown, validation?.groups).map(({ name, title, definitions: inGroup }) => {
    const fields = inGroup.map((definition) =>
      fieldOf(definition, values.get(definition.name), config, parents.get(definition.name)),
    );
    return { name, title, fields, errorCount: fields.filter(({ errors }) => errors.length > 0).length };
  });
  const others = otherKeys(defined, values, config, without);
  return { groups, others, problems: problemsOf(groups, others) };
}

function fieldOf(
  definition: Definition,
  value: Value | undefined,
  config: Config,
  dependsOn: readonly string[] = [],
): Field {
  const own = Object.hasOwn(config, definition.name) ? config[definition.name] : undefined;
  const recommended = definition.type === 'BOOLEAN' ? ['true', 'false'] : (value?.recommended_values ?? []);
  return {
    key: definition.name,
    definition,
    control: controlOf(definition, own, recommended),
    value: own,
    recommended,
    errors: value?.errors ?? [],
    dependsOn,
    isRequired: definition.required,
  };
}

/** A value outside the recommended ones may be right: placeholders of config providers are set so. */
function controlOf({ type }: Definition, value: string | undefined, recommended: readonly string[]): Control {
  if (type === 'PASSWORD' || value?.includes(HIDDEN)) return 'secret';
  const isOneOf = value === undefined || recommended.includes(value);
  if (recommended.length > 0 && recommended.length <= MOST_CHOICES && type !== 'LIST' && isOneOf) return 'choice';
  const isNumber = type === 'INT' || type === 'SHORT' || type === 'LONG' || type === 'DOUBLE';
  return isNumber && !value?.includes('${') ? 'number' : 'text';
}

function parentsOf(definitions: readonly Definition[]): ReadonlyMap<string, readonly string[]> {
  const parents = new Map<string, string[]>();
  for (const { name, dependents } of definitions)
    for (const child of dependents) parents.set(child, [...(parents.get(child) ?? []), name]);
  return parents;
}

function otherKeys(
  defined: ReadonlyMap<string, Definition>,
  values: ReadonlyMap<string, Value>,
  config: Config,
  without: readonly string[],
): readonly OtherKey[] {
  const withErrors = [...values.values()].filter(({ errors }) => errors.length > 0).map(({ name }) => name);
  const keys = new Set([...Object.keys(config), ...withErrors]);
  return [...keys]
    .filter((key) => !defined.has(key) && !without.includes(key))
    .sort()
    .map((key) => ({
      key,
      value: Object.hasOwn(config, key) ? config[key] : undefined,
      errors: values.get(key)?.errors ?? [],
    }));
}

function problemsOf(groups: readonly FieldGroup[], others: readonly OtherKey[]): Form['problems'] {
  return [...groups.flatMap(({ fields }) => fields), ...others]
    .filter(({ errors }) => errors.length > 0)
    .map(({ key, errors }) => ({ key, errors }));
}

/** The fields of a view. Set keys, errors and required keys are in the view of important ones; a query searches all. */
export function fieldsInView(form: Form, view: View, query = ''): readonly FieldGroup[] {
  const words = query.trim();
  const isShown = (field: Field): boolean => {
    if (words !== '') return matchesQuery(field.definition, words);
    if (view === 'all' || field.value !== undefined || field.errors.length > 0) return true;
    return view === 'important' && (field.isRequired || field.definition.importance === 'HIGH');
  };
  return form.groups.flatMap((group) => {
    const fields = group.fields.filter(isShown);
    return fields.length === 0 ? [] : [{ ...group, fields }];
  });
}

/** A text field that is emptied removes its key, so that the default applies; an empty value can be set as JSON. */
export function withValue(config: Config, key: string, value: string | undefined): Config {
  if (value !== undefined && value !== '') return { ...config, [key]: value };
  return Object.fromEntries(Object.entries(config).filter(([name]) => name !== key));
}

/** The answer of `validate` without the errors of other keys. */
export function withErrorsOf<A extends { readonly configs: readonly Entry[] }>(
  answer: A | null,
  keys: ReadonlySet<string>,
): A | null {
  if (answer === null) return null;
  const configs = answer.configs.map((entry) =>
    entry.value && !keys.has(entry.value.name) ? { ...entry, value: { ...entry.value, errors: [] } } : entry,
  );
  return { ...answer, configs };
}

/** As the worker returns it. */
export function hideSecrets(config: Config, secrets: ReadonlySet<string>): Config {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, value !== '' && secrets.has(key) ? HIDDEN : value]),
  );
}
