/** The form of a config: what a plugin defines, what is set, and what validation says. Pure. */
import type { Config } from '../documents/parse-document';
import type { Definition, KeyWarning, Value } from '../worker-api';
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
  readonly warnings: readonly KeyWarning[];
  /** Keys on which the value or its visibility depends. */
  readonly dependsOn: readonly string[];
  /** It must be set, or one of `alternatives`, of which none is. */
  readonly isRequired: boolean;
  readonly alternatives: readonly string[];
}

export interface FieldGroup {
  readonly name: string;
  readonly title: string;
  readonly fields: readonly Field[];
  readonly errorCount: number;
}

/** A key that is set but not defined: a label, a client override, a typing error of a key that is perhaps set, too. */
export interface OtherKey {
  readonly key: string;
  readonly value: string | undefined;
  readonly errors: readonly string[];
  readonly warnings: readonly KeyWarning[];
}

export interface Form {
  readonly groups: readonly FieldGroup[];
  readonly others: readonly OtherKey[];
  /** Keys with errors: first those without a field, then in the order of the form. */
  readonly problems: readonly {
    readonly key: string;
    readonly errors: readonly string[];
    readonly hasField: boolean;
  }[];
  /** Of keys in the form. */
  readonly warnings: readonly KeyWarning[];
}

export type View = 'set' | 'important' | 'all';

export interface FormSource {
  /** `GET /connector-plugins/CLASS/config` */
  readonly definitions: readonly Definition[];
  /** The last answer of `validate`. It defines keys of converters and transformations, too. */
  readonly validation?: {
    readonly groups: readonly string[];
    readonly configs: readonly Entry[];
    readonly warnings?: readonly KeyWarning[];
  } | null;
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
    values.set(name, { ...value, errors: [...new Set([error, ...value.errors])] });
  }
  const parents = parentsOf([...defined.values()]);
  const warnings = (validation?.warnings ?? []).filter(({ key }) => Object.hasOwn(config, key));
  // Renamed, a key would replace the value of the other.
  const warningsOf = (name: string): readonly KeyWarning[] =>
    warnings
      .filter(({ key }) => key === name)
      .map((warning) => (Object.hasOwn(config, warning.meant ?? '') ? { ...warning, meant: null } : warning));
  const isSet = (key: string): boolean =>
    [key, ...[...defined.values()].filter(({ hints }) => hints?.alias_of === key).map(({ name }) => name)].some(
      (name) => (config[name] ?? '') !== '',
    );
  const shown = [...defined.values()].filter(
    ({ name }) =>
      !without.includes(name) &&
      (values.get(name)?.visible !== false || Object.hasOwn(config, name) || !!values.get(name)?.errors.length),
  );
  const groups = groupDefinitions(shown, validation?.groups).map(({ name, title, definitions: inGroup }) => {
    const fields = inGroup.map((definition) =>
      fieldOf(definition, values.get(definition.name), config, {
        dependsOn: parents.get(definition.name) ?? [],
        warnings: warningsOf(definition.name),
        ...requirement(definition, config, isSet),
      }),
    );
    return { name, title, fields, errorCount: fields.filter(({ errors }) => errors.length > 0).length };
  });
  const others = otherKeys(defined, values, config, without).map((other) => ({
    ...other,
    warnings: warningsOf(other.key),
  }));
  const unplaced = without.map((key) => ({ key, errors: values.get(key)?.errors ?? [] }));
  return { groups, others, problems: problemsOf(unplaced, groups, others), warnings };
}

function fieldOf(
  definition: Definition,
  value: Value | undefined,
  config: Config,
  more: Pick<Field, 'dependsOn' | 'warnings' | 'isRequired' | 'alternatives'>,
): Field {
  const own = Object.hasOwn(config, definition.name) ? config[definition.name] : undefined;
  const recommended = offeredValues(definition, value, config);
  return {
    key: definition.name,
    definition,
    control: controlOf(definition, own, recommended),
    value: own,
    recommended,
    errors: value?.errors ?? [],
    ...more,
  };
}

/** What the plugin recommends, else what is valid; of a transformation's predicate, those that are defined. */
function offeredValues({ name, type, hints }: Definition, value: Value | undefined, config: Config): readonly string[] {
  if (type === 'BOOLEAN') return ['true', 'false'];
  const recommended = value?.recommended_values ?? [];
  if (recommended.length > 0) return recommended;
  if (hints?.valid_values) return hints.valid_values;
  const predicates = /^transforms\..+\.predicate$/.test(name) ? (config['predicates'] ?? '') : '';
  return predicates.split(',').flatMap((alias) => alias.trim() || []);
}

/** A key that is set remains marked; one whose alias or alternative is set does not. */
function requirement(
  { name, required, hints }: Definition,
  config: Config,
  isSet: (key: string) => boolean,
): Pick<Field, 'isRequired' | 'alternatives'> {
  if (hints?.required_unless === undefined) return { isRequired: required, alternatives: [] };
  const alternatives = hints.required_unless;
  const isSetByAlias = (config[name] ?? '') === '' && isSet(name);
  return { isRequired: required || (!isSetByAlias && !alternatives.some(isSet)), alternatives };
}

/** Shown before all keys are. What has no effect is never. */
export function isImportant({ definition: { importance, hints }, isRequired }: Field): boolean {
  if (hints?.without_effect || hints?.alias_of !== undefined) return false;
  return isRequired || (hints?.prominent ?? importance === 'HIGH');
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
): readonly Omit<OtherKey, 'warnings'>[] {
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

function problemsOf(
  unplaced: readonly Pick<Field, 'key' | 'errors'>[],
  groups: readonly FieldGroup[],
  others: readonly OtherKey[],
): Form['problems'] {
  const withField = [...groups.flatMap(({ fields }) => fields), ...others];
  return [
    ...unplaced.map(({ key, errors }) => ({ key, errors, hasField: false })),
    ...withField.map(({ key, errors }) => ({ key, errors, hasField: true })),
  ].filter(({ errors }) => errors.length > 0);
}

/** The fields of a view. Set keys, errors and required keys are in the view of important ones; a query searches all. */
export function fieldsInView(form: Form, view: View, query = ''): readonly FieldGroup[] {
  const words = query.trim();
  const isShown = (field: Field): boolean => {
    if (words !== '') return matchesQuery(field.definition, words);
    if (view === 'all' || field.value !== undefined || field.errors.length > 0) return true;
    return view === 'important' && (isImportant(field) || field.warnings.length > 0);
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
