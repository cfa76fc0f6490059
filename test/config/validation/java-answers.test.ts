/**
 * Compares definitions and validation answers with those of Java Connect 4.3.1, recorded by dev/record-validation.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileStreamSink } from '../../../connectors/file/src/sink/connector';
import { fileStreamSource } from '../../../connectors/file/src/source/connector';
import { builtInPlugins } from '../../../src/built-in-plugins';
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { silentLogger } from '../../../src/logging/logger';
import { createPluginRegistry } from '../../../src/plugins/create-registry';
import type { BuiltInPlugin } from '../../../src/plugins/registry';
import { reduceAnswer, type Answer, type Reduced } from '../../golden/validation/reduce';
import { fakeWorkerConfig } from '../../helpers/fake-plugins';

type Config = Readonly<Record<string, string | null>>;
const read = (file: string): unknown =>
  JSON.parse(readFileSync(join(__dirname, '..', '..', 'golden', 'validation', file), 'utf8'));
const answers = read('answers.json') as readonly (readonly [string, Config, Reduced])[];
const definitions = read('definitions.json') as readonly (readonly [string, readonly unknown[]])[];
const { bases } = read('cases.json') as { bases: Readonly<Record<string, Config>> };

const connector = (kind: 'Source' | 'Sink', plugin: BuiltInPlugin['plugin']): BuiltInPlugin => ({
  description: {
    type: plugin.type,
    class: `org.apache.kafka.connect.file.FileStream${kind}Connector`,
    version: '4.3.1',
    aliases: [],
    taskClass: `org.apache.kafka.connect.file.FileStream${kind}Task`,
    location: 'built-in',
  },
  plugin,
});
const json = 'org.apache.kafka.connect.json.JsonConverter';
const validator = createConfigValidator({
  registry: createPluginRegistry({
    pluginPath: [],
    catalog: { entries: [], problems: [] },
    logger: silentLogger,
    builtIns: [connector('Source', fileStreamSource), connector('Sink', fileStreamSink), ...builtInPlugins],
  }),
  config: fakeWorkerConfig({ 'key.converter': json, 'value.converter': json }),
});
/** Keys that Java's file sink does not have: docs/compatibility.md, “File sink”. They follow Java's `file`. */
const OWN = fileStreamSink.config.map(({ name }) => name).filter((name) => name !== 'file');
const validate = async (base: string, changes: Config): Promise<Answer> => {
  const answer = (await validator.validate({ ...bases[base], ...changes })) as Answer;
  const names = answer.configs.map(({ value }) => value.name);
  const after = names.indexOf('file') + 1;
  if (names.some((name) => OWN.includes(name))) expect(names.slice(after, after + OWN.length)).toEqual(OWN);
  return { ...answer, configs: answer.configs.filter(({ value }) => !OWN.includes(value.name)).map(inJavasWords) };
};
/** Without the class that was meant, which follows Java's sentence: docs/compatibility.md. */
const inJavasWords = ({ definition, value }: Answer['configs'][number]): Answer['configs'][number] => ({
  definition,
  value: {
    ...value,
    errors: value.errors.map((error) => error.replace(/(?<=could not be found\.) Did you mean .*/, '')),
  },
});

test.each(definitions)('connect-rest 116, 117: definitions of %s', async (plugin, expected) => {
  const found = await validator.definitions(plugin);
  const java = found.filter(({ name }) => !OWN.includes(name));
  expect(java.map(({ documentation: _, ...facts }) => facts)).toEqual(expected);
  expect(found.length - java.length).toBe(plugin.includes('FileStreamSink') ? OWN.length : 0);
  expect(found.every(({ documentation }) => documentation.length > 0)).toBe(true);
});

test.each(answers)('connect-rest 120: %s with %j', async (base, changes, expected) => {
  const plain = Object.keys(changes).length === 0 ? null : await validate(base, {});
  expect(reduceAnswer(await validate(base, changes), plain)).toEqual(expected);
});
