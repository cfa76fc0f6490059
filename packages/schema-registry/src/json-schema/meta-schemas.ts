/** Whether a text is a JSON Schema, by the meta schema of its draft. */
import Ajv, { type AnySchemaObject, type ValidateFunction } from 'ajv';
import Ajv2019 from 'ajv/dist/2019';
import Ajv2020 from 'ajv/dist/2020';
import { InvalidSchema } from '../registry-error';

/** Longer ones make the check of their uniqueness slow. */
const MAX_ITEMS = 2_000;
const DEFAULT_DRAFT = 'draft-07';

const options = { strict: false, validateFormats: false, allErrors: false, logger: false } as const;
const validators = new Map<string, ValidateFunction>();

/** Throws InvalidSchema. Drafts that are not known, draft 4 among them, are not checked. */
export function checkMetaSchema(schema: unknown): void {
  if (typeof schema === 'boolean') return;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new InvalidSchema('a JSON Schema must be an object, true or false');
  checkLengths(schema);
  const { $schema } = schema as { readonly $schema?: unknown };
  const draft = typeof $schema === 'string' ? /draft[/-](\d[\d-]*)/.exec($schema)?.[1] : undefined;
  const validate = validatorOf($schema === undefined ? DEFAULT_DRAFT : `draft-${draft}`);
  if (validate === null || validate(schema) === true) return;
  const [error] = validate.errors ?? [];
  throw new InvalidSchema(`${error?.instancePath === '' ? 'the schema' : error?.instancePath} ${error?.message}`);
}

function validatorOf(draft: string): ValidateFunction | null {
  const known = validators.get(draft);
  if (known !== undefined) return known;
  const created = create(draft);
  if (created !== null) validators.set(draft, created);
  return created;
}

function create(draft: string): ValidateFunction | null {
  switch (draft) {
    case 'draft-06':
      return new Ajv({ ...options, meta: false }).compile(
        // eslint-disable-next-line @typescript-eslint/no-require-imports
        require('ajv/lib/refs/json-schema-draft-06.json') as AnySchemaObject,
      );
    case 'draft-07':
      return new Ajv(options).getSchema('http://json-schema.org/draft-07/schema') ?? null;
    case 'draft-2019-09':
      return new Ajv2019(options).getSchema('https://json-schema.org/draft/2019-09/schema') ?? null;
    case 'draft-2020-12':
      return new Ajv2020(options).getSchema('https://json-schema.org/draft/2020-12/schema') ?? null;
    default:
      return null;
  }
}

function checkLengths(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) && value.length > MAX_ITEMS)
    throw new InvalidSchema(`a list has more than ${MAX_ITEMS} items`);
  for (const member of Object.values(value)) checkLengths(member);
}
