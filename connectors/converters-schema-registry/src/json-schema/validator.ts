/**
 * Validation of JSON by its schema (`json.fail.invalid.schema`). Loaded only if it is wanted. Schemas come from others:
 * patterns are RE2's, references are never fetched, and the work for a record is bounded.
 */
import Ajv, { type Options, type ValidateFunction } from 'ajv';
import Ajv2019 from 'ajv/dist/2019';
import Ajv2020 from 'ajv/dist/2020';
import { isConnectError } from '@millrace/sdk';
import type { RegisteredSchema } from '../registry/schema-registry';
import { SafePatterns } from './safe-pattern';
import { Misfit, unusable } from './schema-error';
import { COST, SchemaPreparation, draftOf } from './validated-schema';

/** Applications of schemas to one record: takes about a second. */
const MOST_WORK = 10_000_000;
const DRAFTS = { 'draft-07': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 };

export class Validator {
  private readonly patterns = new SafePatterns();
  private readonly validate: ValidateFunction;
  private work = 0;

  /** Throws DataError `JSON_SCHEMA_INVALID`. */
  constructor(registered: Pick<RegisteredSchema, 'text' | 'dependencies'>) {
    try {
      this.validate = this.compile(registered);
    } catch (error) {
      if (isConnectError(error)) throw error;
      throw unusable(`it cannot be validated with (${(error as Error).message.slice(0, 300)})`);
    }
  }

  /** Throws Misfit. */
  check(json: string): void {
    this.work = 0;
    this.patterns.reset();
    let isValid: boolean;
    try {
      isValid = this.validate(JSON.parse(json));
    } catch (error) {
      if (error instanceof Misfit) throw error;
      // JavaScript's own: schemas that contain themselves recurse.
      if (error instanceof RangeError) throw new Misfit('is nested too deep to validate, or its schema is');
      throw new Misfit('is not JSON');
    }
    if (isValid) return;
    const [first] = this.validate.errors ?? [];
    const invalid = new Misfit(`is not valid: it ${first?.message ?? 'does not fit'}`);
    for (const part of first?.instancePath.split('/').slice(1).reverse() ?? [])
      invalid.path.push(/^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`);
    throw invalid;
  }

  private compile({ text, dependencies }: Pick<RegisteredSchema, 'text' | 'dependencies'>): ValidateFunction {
    const schema = JSON.parse(text) as unknown;
    const compile = (pattern: string): { test(text: string): boolean } => this.patterns.compile(pattern);
    const options: Options = {
      strict: false,
      allErrors: false,
      logger: false,
      // A member is one of the object itself: not `constructor`.
      ownProperties: true,
      // No implementation of formats: they are annotations.
      validateFormats: false,
      // Takes longer than what it saves.
      code: { optimize: false, regExp: Object.assign(compile, { code: 'safePattern' }) },
    };
    const ajv = new DRAFTS[draftOf(schema)](options);
    ajv.addKeyword({
      keyword: COST,
      schemaType: 'number',
      errors: false,
      validate: (cost: number) => {
        this.work += cost;
        if (this.work > MOST_WORK) throw new Misfit('takes too long to validate with its schema');
        return true;
      },
    });
    replaceUniqueItems(ajv);
    const names = new Map([...dependencies.keys()].map((name, i) => [name, `millrace:/reference/${i}`]));
    const preparation = new SchemaPreparation(names);
    for (const [name, dependency] of dependencies)
      ajv.addSchema(preparation.prepare(JSON.parse(dependency)) as object, names.get(name));
    return ajv.compile(preparation.prepare(schema) as object);
  }
}

/** Ajv compares each element with each other one. */
function replaceUniqueItems(ajv: Ajv): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (isWanted: boolean, list: readonly unknown[]) => {
      if (!isWanted) return true;
      const seen = new Set<string>();
      return list.every((element) => seen.size < seen.add(sortedText(element)).size);
    },
  });
}

/** The same for equal values: the members of objects have no order. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))
      : part,
  );
}
