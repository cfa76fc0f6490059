/** The form that the console makes of the definitions of a plugin. */
import {
  diffConfigs,
  rebase,
  sameConfig,
  shownChanges,
  toPatch,
  withHiddenMark,
} from '../../packages/console/src/config-form/config-diff';
import type { Definition } from '@millrace/console';
import { groupDefinitions, groupTitle, secretKeys } from '../../packages/console/src/config-form/definitions';
import {
  fieldsInView,
  formOf,
  hideSecrets,
  withErrorsOf,
  withValue,
  type Field,
  type Form,
} from '../../packages/console/src/config-form/form-model';

function definition(name: string, members: Partial<Definition> = {}): Definition {
  return {
    name,
    type: 'STRING',
    required: false,
    default_value: null,
    importance: 'LOW',
    documentation: '',
    group: null,
    order_in_group: -1,
    width: 'NONE',
    display_name: name,
    dependents: [],
    ...members,
  };
}

function value(name: string, members: object = {}) {
  return { name, value: null, recommended_values: [], errors: [], visible: true, ...members };
}

const keysOf = (form: Form) => form.groups.map(({ name, fields }) => [name, fields.map(({ key }) => key)]);
const fieldOf = (form: Form, key: string): Field =>
  form.groups.flatMap(({ fields }) => fields).find((field) => field.key === key)!;

test('groups: common keys, the plugin in its order, those of Connect, aliases; keys by their position', () => {
  const definitions = [
    definition('old.name', { group: 'Other spellings' }),
    definition('retries', { group: 'Error Handling' }),
    definition('t.x', { group: 'Transforms: t' }),
    definition('b2', { group: 'B', order_in_group: 2 }),
    definition('b?', { group: 'B' }),
    definition('b1', { group: 'B', order_in_group: 1 }),
    definition('a1', { group: 'A' }),
    definition('file'),
    definition('transforms', { group: 'Transforms' }),
    definition('name', { group: 'Common' }),
  ];
  const shown = groupDefinitions(definitions, ['Common', 'A', 'B']);
  expect(shown.map(({ name, definitions: keys }) => [name, keys.map((key) => key.name)])).toEqual([
    ['Common', ['name']],
    ['A', ['a1']],
    ['B', ['b1', 'b2', 'b?']],
    ['Connector', ['file']],
    ['Transforms: t', ['t.x']],
    ['Transforms', ['transforms']],
    ['Error Handling', ['retries']],
    ['Other spellings', ['old.name']],
  ]);
});

test('names of groups in capitals become titles', () => {
  expect(groupTitle('CONNECTION_ADVANCED_SSL')).toBe('Connection advanced SSL');
  expect(groupTitle('offsets.topic')).toBe('Offsets topic');
  expect(groupTitle('Exactly Once Support')).toBe('Exactly Once Support');
});

test('each type has its control, and placeholders can be typed', () => {
  const definitions = [
    definition('secret', { type: 'PASSWORD' }),
    definition('part'),
    definition('flag', { type: 'BOOLEAN', default_value: 'true' }),
    definition('flag.from.env', { type: 'BOOLEAN' }),
    definition('port', { type: 'INT' }),
    definition('port.from.env', { type: 'INT' }),
    definition('mode'),
    definition('other.mode'),
    definition('list', { type: 'LIST' }),
  ];
  const config = {
    part: 'postgres://u:[hidden]@h',
    'flag.from.env': '${env:FLAG}',
    'port.from.env': '${env:PORT}',
    mode: 'fast',
    'other.mode': '${env:MODE}',
  };
  const configs = ['mode', 'other.mode', 'list'].map((name) => ({
    definition: null,
    value: value(name, { recommended_values: ['fast', 'slow'] }),
  }));
  const form = formOf({ definitions, validation: { groups: [], configs }, config });
  const controls = form.groups[0]!.fields.map(({ key, control }) => [key, control]);
  expect(Object.fromEntries(controls)).toEqual({
    secret: 'secret',
    part: 'secret',
    flag: 'choice',
    'flag.from.env': 'text',
    port: 'number',
    'port.from.env': 'text',
    mode: 'choice',
    'other.mode': 'text',
    list: 'text',
  });
  expect(fieldOf(form, 'flag').recommended).toEqual(['true', 'false']);
});

test('validation adds the keys of transformations, errors and visibility', () => {
  const form = formOf({
    definitions: [definition('a'), definition('b'), definition('c'), definition('d')],
    config: { c: 'x', 'transforms.t.field': 'id' },
    validation: {
      groups: ['Transforms: t'],
      configs: [
        { definition: definition('a', { dependents: ['b'] }), value: value('a', { errors: ['Wrong.'] }) },
        { definition: null, value: value('b') },
        { definition: null, value: value('c', { visible: false }) },
        { definition: null, value: value('d', { visible: false }) },
        { definition: definition('transforms.t.field', { group: 'Transforms: t' }), value: null },
        { definition: null, value: value('producer.override.acks', { errors: ['Not allowed.'] }) },
      ],
    },
  });
  expect(keysOf(form)).toEqual([
    ['Connector', ['a', 'b', 'c']],
    ['Transforms: t', ['transforms.t.field']],
  ]);
  expect(fieldOf(form, 'b').dependsOn).toEqual(['a']);
  expect(form.groups[0]!.errorCount).toBe(1);
  expect(form.problems).toEqual([
    { key: 'a', errors: ['Wrong.'], hasField: true },
    { key: 'producer.override.acks', errors: ['Not allowed.'], hasField: true },
  ]);
});

test('keys that are set but not defined are listed, and fields can be left out', () => {
  const form = formOf({
    definitions: [definition('name'), definition('a')],
    config: { name: 'n', a: '1', typo: '2', 'millrace.label.team': 'x', constructor: 'y' },
    without: ['name'],
  });
  expect(keysOf(form)).toEqual([['Connector', ['a']]]);
  expect(form.others.map(({ key }) => key)).toEqual(['constructor', 'millrace.label.team', 'typo']);
});

test('keys that every object inherits are not set', () => {
  const form = formOf({ definitions: [definition('toString')], config: {} });
  expect(fieldOf(form, 'toString').value).toBeUndefined();
  expect(fieldsInView(form, 'set')).toEqual([]);
});

test('views: what is set, what is important, everything; a query searches keys and documentation', () => {
  const definitions = [
    definition('set'),
    definition('high', { importance: 'HIGH' }),
    definition('needed', { required: true }),
    definition('wrong', { documentation: 'Address of the server.' }),
    definition('rest', { documentation: 'The port of the SERVER, or its address.' }),
  ];
  const configs = [{ definition: null, value: value('wrong', { errors: ['Wrong.'] }) }];
  const form = formOf({ definitions, config: { set: '1' }, validation: { groups: [], configs } });
  const shown = (...args: [view: 'set' | 'important' | 'all', query?: string]) =>
    fieldsInView(form, ...args).flatMap(({ fields }) => fields.map(({ key }) => key));
  expect(shown('set')).toEqual(['set', 'wrong']);
  expect(shown('important')).toEqual(['set', 'high', 'needed', 'wrong']);
  expect(shown('all')).toHaveLength(5);
  expect(shown('set', 'server  ADDRESS')).toEqual(['wrong', 'rest']);
  expect(shown('set', 'nothing')).toEqual([]);
});

test('important: what is prominent, and never what has no effect or is another name', () => {
  const definitions = [
    definition('slot', { importance: 'MEDIUM', hints: { prominent: true } }),
    definition('rare', { importance: 'HIGH', hints: { prominent: false } }),
    definition('ignored', { importance: 'HIGH', hints: { without_effect: true } }),
    definition('old', { importance: 'HIGH', hints: { alias_of: 'slot' } }),
    definition('topics', { hints: { required_unless: ['topics.regex'] } }),
  ];
  const groups = fieldsInView(formOf({ definitions, config: {} }), 'important');
  expect(groups.flatMap(({ fields }) => fields.map(({ key }) => key))).toEqual(['slot', 'topics']);
});

test.each([
  [{}, true],
  [{ topics: 'a' }, true],
  [{ 'topics.regex': 'a' }, false],
  [{ regex: 'a' }, false],
  [{ 'old.topics': 'a' }, false],
  [{ topics: '' }, true],
])('a key that is required unless another one or its alias is set: with %j', (config, isRequired) => {
  const definitions = [
    definition('topics', { hints: { required_unless: ['topics.regex'] } }),
    definition('topics.regex'),
    definition('regex', { hints: { alias_of: 'topics.regex' } }),
    definition('old.topics', { hints: { alias_of: 'topics' } }),
  ];
  const { isRequired: found, alternatives } = fieldOf(formOf({ definitions, config }), 'topics');
  expect([found, alternatives]).toEqual([isRequired, ['topics.regex']]);
});

test('valid values are offered where the plugin recommends none; predicates by their aliases', () => {
  const definitions = [
    definition('mode', { hints: { valid_values: ['a', 'b'] } }),
    definition('class', { hints: { valid_values: ['a', 'b'] } }),
    definition('transforms.t.predicate'),
  ];
  const configs = [{ definition: null, value: value('class', { recommended_values: ['c'] }) }];
  const form = formOf({ definitions, config: { predicates: 'x, y' }, validation: { groups: [], configs } });
  const offered = form.groups[0]!.fields.map(({ key, control, recommended }) => [key, control, recommended]);
  expect(offered).toEqual([
    ['mode', 'choice', ['a', 'b']],
    ['class', 'choice', ['c']],
    ['transforms.t.predicate', 'choice', ['x', 'y']],
  ]);
});

test('warnings are at their keys, defined or not; those of keys that were removed are gone', () => {
  const warnings = [
    { key: 'tpic', meant: 'topic', message: 'Did you mean "topic"?' },
    { key: 'ignored', meant: null, message: 'No effect.' },
    { key: 'removed', meant: null, message: 'Gone.' },
  ];
  const form = formOf({
    definitions: [definition('ignored'), definition('topic')],
    config: { tpic: 'x', ignored: 'y' },
    validation: { groups: [], configs: [], warnings },
  });
  expect(fieldOf(form, 'ignored').warnings).toEqual([warnings[1]]);
  expect(form.others).toEqual([{ key: 'tpic', value: 'x', errors: [], warnings: [warnings[0]] }]);
  expect(form.warnings.map(({ key }) => key)).toEqual(['tpic', 'ignored']);
  // Renamed, it would replace the other value.
  const both = formOf({
    definitions: [],
    config: { tpic: 'x', topic: 'y' },
    validation: { groups: [], configs: [], warnings },
  });
  expect(both.others.find(({ key }) => key === 'tpic')?.warnings).toMatchObject([{ meant: null }]);
});

test('errors of keys without a field are among the problems, and lead to none', () => {
  const form = formOf({
    definitions: [],
    config: {},
    without: ['connector.class'],
    ownErrors: new Map([['connector.class', 'Not this version.']]),
  });
  expect(form.problems).toEqual([{ key: 'connector.class', errors: ['Not this version.'], hasField: false }]);
});

test('an emptied field removes its key', () => {
  expect(withValue({ a: '1', b: '2' }, 'a', '')).toEqual({ b: '2' });
  expect(withValue({ a: '1' }, 'a', undefined)).toEqual({});
  expect(withValue({ a: '1' }, 'a', '3')).toEqual({ a: '3' });
});

test('the patch has the changed keys only, and null for removed ones', () => {
  const before = { a: '1', b: '2', c: '3', password: '[hidden]' };
  const changes = diffConfigs(before, { a: '1', b: '4', d: '5', password: 'new' });
  expect(changes.map(({ key, kind, isSecret }) => [key, kind, isSecret])).toEqual([
    ['b', 'changed', false],
    ['c', 'removed', false],
    ['d', 'added', false],
    ['password', 'changed', true],
  ]);
  expect(toPatch(changes)).toEqual({ b: '4', c: null, d: '5', password: 'new' });
  expect(toPatch(diffConfigs(before, before))).toEqual({});
  expect(diffConfigs({}, { key: 'x' }, new Set(['key']))[0]!.isSecret).toBe(true);
});

test('the mark of a hidden value is never stored', () => {
  const changes = diffConfigs({ url: 'http://u:[hidden]@a' }, { url: 'http://u:[hidden]@b', x: '1' });
  expect(withHiddenMark(changes).map(({ key }) => key)).toEqual(['url']);
  expect(withHiddenMark(diffConfigs({ p: '[hidden]' }, { p: '[hidden]' }))).toEqual([]);
});

test('values of secrets are not shown', () => {
  const password = definition('password', { type: 'PASSWORD' });
  const converter = definition('value.converter.token', { type: 'PASSWORD' });
  const secrets = secretKeys([password, definition('a')], [{ definition: converter, value: null }]);
  expect([...secrets]).toEqual(['password', 'value.converter.token']);
  expect(hideSecrets({ password: 'x', a: 'y', 'value.converter.token': '' }, secrets)).toEqual({
    password: '[hidden]',
    a: 'y',
    'value.converter.token': '',
  });
  expect(shownChanges(diffConfigs({ a: '1' }, { a: '2', password: 'x' }, secrets))).toEqual([
    { key: 'a', before: '1', after: '2' },
    { key: 'password', before: '[hidden]', after: '[hidden]' },
  ]);
});

test('errors of keys that were not typed can be left out, and own errors are added', () => {
  const configs = ['a', 'b'].map((name) => ({ definition: definition(name), value: value(name, { errors: ['No.'] }) }));
  const answer = withErrorsOf({ groups: [], configs }, new Set(['b']));
  const form = formOf({ definitions: [], validation: answer, config: {}, ownErrors: new Map([['c', 'Hidden.']]) });
  expect(form.problems).toEqual([
    { key: 'b', errors: ['No.'], hasField: true },
    { key: 'c', errors: ['Hidden.'], hasField: true },
  ]);
  expect(withErrorsOf(null, new Set())).toBeNull();
});

test('changes of others are kept, and keys that both changed are named', () => {
  const base = { a: '1', b: '2', c: '3', d: '4' };
  const rebased = rebase(base, { a: '10', b: '2', d: '40', e: '5' }, { a: '11', b: '20', c: '3', d: '40' });
  expect(rebased.draft).toEqual({ a: '10', b: '20', d: '40', e: '5' });
  expect(rebased.theirs.map(({ key }) => key)).toEqual(['a', 'b', 'd']);
  expect(rebased.conflicts).toEqual(['a']);
  expect(sameConfig(base, { ...base })).toBe(true);
});
