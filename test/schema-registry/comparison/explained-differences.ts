/** Where Apicurio Registry 2.6 answers otherwise than Confluent's registry, whose answers ours are. */
import type { Answer } from '../registry-client';
import type { Difference } from './compare-registries';

interface Explanation {
  readonly why: string;
  readonly explains: (difference: Difference) => boolean;
}

const code = ({ body }: Answer): unknown => (body as { readonly error_code?: unknown } | null)?.error_code;
const text = ({ body }: Answer): string => JSON.stringify(body);
const isAt = ({ step }: Difference, method: string, path: RegExp): boolean =>
  step.method === method && path.test(step.path);

export const EXPLANATIONS: readonly Explanation[] = [
  {
    why: 'a version that is no number is one that is not found',
    explains: ({ ours, theirs }) => code(ours) === 42202 && code(theirs) === 40402,
  },
  {
    why: 'a subject whose versions are all deleted has no schema, rather than not being there',
    explains: (one) => isAt(one, 'POST', /^\/subjects\/S$/) && code(one.ours) === 40401 && code(one.theirs) === 40403,
  },
  {
    why: 'a subject without a level is not there',
    explains: (one) => isAt(one, 'GET', /^\/config\/S$/) && code(one.ours) === 40408 && code(one.theirs) === 40401,
  },
  {
    why: 'a subject with the level NONE is one without a level, and one that is not there cannot have it',
    explains: (one) => {
      const isNone = text(one.ours).includes('NONE') || JSON.stringify(one.step).includes('NONE');
      return isNone && /^\/config\/S$/.test(one.step.path) && code(one.theirs) === 40401;
    },
  },
  {
    why: 'the level NONE is returned where there is none',
    explains: (one) =>
      isAt(one, 'GET', /^\/config\/S$/) && code(one.ours) === 40408 && text(one.theirs).includes('NONE'),
  },
  {
    why: 'the global level holds for a subject with the level NONE',
    explains: (one) =>
      one.sequence === 'levels of subjects' && isAt(one, 'POST', /versions$/) && one.theirs.status === 409,
  },
  {
    why: 'an unknown level is a bad request',
    explains: ({ ours, theirs }) => code(ours) === 42203 && theirs.status === 400,
  },
  {
    why: 'a subject that is not there has no version to be compatible with',
    explains: (one) =>
      isAt(one, 'POST', /^\/compatibility/) &&
      text(one.ours) === '{"is_compatible":true}' &&
      code(one.theirs) === 40402,
  },
  {
    why: 'a text that is no schema can be looked up in vain',
    explains: (one) => isAt(one, 'POST', /^\/subjects\/S$/) && code(one.ours) === 42201 && code(one.theirs) === 40403,
  },
  {
    why: 'a field whose name and aliases are several fields is an invalid schema, not an incompatible one',
    explains: (one) => text(one.theirs).includes('Could not execute compatibility rule on invalid Avro schema'),
  },
];

/** Null: it is not explained. */
export function explanationOf(difference: Difference): string | null {
  return EXPLANATIONS.find(({ explains }) => explains(difference))?.why ?? null;
}
