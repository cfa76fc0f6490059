/** The connector documents that the repository shows: examples, pages and READMEs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './schema-fixtures';

export interface SampleDocument {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}
export type Sample = readonly [place: string, document: SampleDocument];

/** Fenced and indented blocks. */
const BLOCKS = /^(?<indent> *)```(?:json|yaml)[^\n]*\n(?<fenced>[^]*?)^\k<indent>```$|(?<indented>(?:^ {4}.*\n?)+)/gm;

function samplesIn(file: string): Sample[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const blocks = file.endsWith('.md')
    ? [...text.matchAll(BLOCKS)].map(({ groups }) => groups?.fenced ?? groups?.indented ?? '')
    : [text];
  return blocks
    .filter((block) => block.includes('connector.class'))
    .flatMap((block) => parseAllDocuments(block))
    .filter((document) => document.errors.length === 0)
    .flatMap((document) => documentsOf(document.toJS()))
    .map((document) => [file, document]);
}

/** Of a registration document, or of the chart's values, whose `connectors` are configs by name. Values are texts. */
function documentsOf(value: unknown): SampleDocument[] {
  const { name = 'sample', config, connectors } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const configs = isConfig(config) ? { [String(name)]: config } : (connectors ?? {});
  return Object.entries(configs).flatMap(([key, one]) => (isConfig(one) ? [{ name: key, config: textsOf(one) }] : []));
}

type Config = Readonly<Record<string, unknown>>;
const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && 'connector.class' in value;
const textsOf = (config: Config): SampleDocument['config'] =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key, String(value)]));

const FOLDERS = ['examples', 'docs', 'docs/how-to', 'docs/tutorial', 'deploy/helm/millrace/ci'];
const README = 'README.md';

export const SAMPLES: readonly Sample[] = [
  README,
  ...readdirSync(join(ROOT, 'connectors')).map((folder) => join('connectors', folder, README)),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => /\.(?:json|md|yaml)$/.test(name))
      .map((name) => join(folder, name)),
  ),
].flatMap(samplesIn);
