/** Sends the same requests to two registries and lists where the answers differ in meaning. */
import { avroFormat } from '../../../packages/schema-registry/src/avro/avro-format';
import { type Answer, asking } from '../registry-client';
import type { Sequence, Step } from './sequences';

export interface Difference {
  readonly sequence: string;
  readonly step: Step;
  readonly ours: Answer;
  readonly theirs: Answer;
}

export interface Comparison {
  readonly requests: number;
  readonly differences: readonly Difference[];
}

export async function compareRegistries(
  ours: string,
  theirs: string,
  sequences: readonly Sequence[],
): Promise<Comparison> {
  const [ask, askOther] = [asking(ours), asking(theirs)];
  /** Ids of ours by theirs: equal schemas have one id in each. */
  const ids = new Map<number, number>();
  const differences: Difference[] = [];
  let requests = 0;
  for (const [i, { name, steps }] of sequences.entries())
    for (const step of steps) {
      const own = (text: string): string => text.replace(/(?<=\/)[ST](?=\/|$)/g, (subject) => `${subject}${i}`);
      const body =
        step.body && (JSON.parse(JSON.stringify(step.body).replaceAll('"subject":"T"', `"subject":"T${i}"`)) as object);
      const path = own(step.path);
      const [our, their] = [await ask(step.method, path, body), await askOther(step.method, path, body)];
      requests++;
      const isIds = path.endsWith('/referencedby');
      const [mine, other] = [meaning(our, (id) => id, isIds), meaning(their, (id) => ids.get(id) ?? id, isIds)];
      // The first time, their id gets to know ours.
      const [id, otherId] = [idIn(our), idIn(their)];
      if (id !== null && otherId !== null && !ids.has(otherId)) {
        if ([...ids.values()].includes(id)) differences.push({ sequence: name, step, ours: our, theirs: their });
        ids.set(otherId, id);
        continue;
      }
      if (JSON.stringify(mine) !== JSON.stringify(other))
        differences.push({ sequence: name, step, ours: our, theirs: their });
    }
  return { requests, differences };
}

function idIn({ status, body }: Answer): number | null {
  const { id } = (typeof body === 'object' ? (body ?? {}) : {}) as { readonly id?: unknown };
  return status === 200 && typeof id === 'number' ? id : null;
}

/** Without sentences, and schemas as their JSON. */
function meaning({ status, body }: Answer, idOf: (id: number) => number, isIds: boolean): unknown {
  if (typeof body !== 'object' || body === null) return { status, body };
  if (Array.isArray(body)) return { status, body: isIds ? body.map(Number).map(idOf) : body };
  const fields = body as Readonly<Record<string, unknown>>;
  if (status !== 200) return { status, code: fields.error_code };
  const { id, schema, version, is_compatible, compatibility, compatibilityLevel } = fields;
  return {
    status,
    ...(typeof id === 'number' ? { id: idOf(id) } : {}),
    ...(typeof schema === 'string' ? { schema: canonical(schema) } : {}),
    version,
    is_compatible,
    level: compatibility ?? compatibilityLevel,
  };
}

/** Apicurio returns a text as it was registered, Confluent's registry and ours as Avro's Java library prints it. */
function canonical(schema: string): string {
  try {
    // Twice: a text may read otherwise than the one that it was printed from.
    return [1, 2].reduce((text) => avroFormat.parse(text, new Map(), false).text, schema);
  } catch {
    // It refers to another one.
    return JSON.stringify(JSON.parse(schema));
  }
}
