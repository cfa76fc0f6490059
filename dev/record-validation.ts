/**
 * Records a Connect worker's config definitions, and its responses to the validation cases of
 * test/golden/validation/cases.json, without documentation texts: `node -r ./dev/register.js dev/record-validation.ts
 * http://localhost:8083`. The worker must be Java's, with only the file connectors, and JsonConverter for keys and
 * values.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonSync } from 'fs-extra';
import { ROOT } from './services/paths';
import { reduceAnswer, type Answer, type Definition } from '../test/golden/validation/reduce';

const FOLDER = join(ROOT, 'test', 'golden', 'validation');
const DESCRIBED = [
  'org.apache.kafka.connect.file.FileStreamSourceConnector',
  'org.apache.kafka.connect.file.FileStreamSinkConnector',
  'org.apache.kafka.connect.json.JsonConverter',
  'org.apache.kafka.connect.storage.StringConverter',
  'org.apache.kafka.connect.storage.SimpleHeaderConverter',
  ...['ByteArray', 'Boolean', 'Double', 'Float', 'Integer', 'Long', 'Short'].map(
    (name) => `org.apache.kafka.connect.converters.${name}Converter`,
  ),
  ...[
    ...['Cast', 'ExtractField', 'Flatten', 'HeaderFrom', 'HoistField', 'InsertField', 'MaskField', 'ReplaceField'],
    ...['SetSchemaMetadata', 'TimestampConverter'],
  ].flatMap((name) => ['Key', 'Value'].map((side) => `org.apache.kafka.connect.transforms.${name}$${side}`)),
  ...['DropHeaders', 'Filter', 'InsertHeader', 'RegexRouter', 'TimestampRouter', 'ValueToKey'].map(
    (name) => `org.apache.kafka.connect.transforms.${name}`,
  ),
  ...['HasHeaderKey', 'RecordIsTombstone', 'TopicNameMatches'].map(
    (name) => `org.apache.kafka.connect.transforms.predicates.${name}`,
  ),
];

type Config = Record<string, string | null>;
interface Cases {
  readonly bases: Readonly<Record<string, Config>>;
  readonly cases: readonly (readonly [string, Config])[];
}

async function ask<T>(url: string, config?: Config): Promise<T> {
  const body = config && { method: 'PUT', body: JSON.stringify(config) };
  const response = await fetch(url, { ...body, headers: { 'Content-Type': 'application/json' } });
  if (!response.ok) throw new Error(`${url} ${JSON.stringify(config)}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const withoutText = ({ documentation: _, ...facts }: Definition): unknown => facts;
/** One line per item. */
const lines = (items: readonly unknown[]): string => `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`;

async function main(worker: string): Promise<void> {
  const { bases, cases } = readJsonSync(join(FOLDER, 'cases.json')) as Cases;
  const definitions: unknown[] = [];
  for (const plugin of DESCRIBED) {
    const found = await ask<Definition[]>(`${worker}/connector-plugins/${plugin}/config`);
    definitions.push([plugin, found.map(withoutText)]);
  }
  writeFileSync(join(FOLDER, 'definitions.json'), lines(definitions));
  const answers: unknown[] = [];
  const validate = (base: string, changes: Config): Promise<Answer> => {
    const config = { ...bases[base], ...changes };
    return ask<Answer>(
      `${worker}/connector-plugins/${encodeURIComponent(config['connector.class'] ?? '')}/config/validate`,
      config,
    );
  };
  for (const [name] of Object.entries(bases)) {
    const plain = await validate(name, {});
    answers.push([name, {}, reduceAnswer(plain, null)]);
    for (const [base, changes] of cases) {
      if (base !== name) continue;
      try {
        answers.push([base, changes, reduceAnswer(await validate(base, changes), plain)]);
      } catch (error) {
        console.error(`skipped: ${(error as Error).message}`);
      }
    }
  }
  writeFileSync(join(FOLDER, 'answers.json'), lines(answers));
}

void main(process.argv[2] ?? 'http://localhost:8083');
