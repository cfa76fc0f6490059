/**
 * The compared part of a validation's answer: all facts, relative to those of a plain config, so that the records stay
 * small.
 */
export interface Definition {
  readonly name: string;
  readonly documentation?: string;
}
export interface Answer {
  readonly name: string;
  readonly error_count: number;
  readonly groups: readonly string[];
  readonly configs: readonly { readonly definition: Definition | null; readonly value: { readonly name: string; readonly errors: readonly string[] } }[];
}
export interface Reduced {
  readonly name: string;
  readonly error_count: number;
  readonly groups: readonly string[];
  /** In order; `…` stands for the names of the plain configuration. */
  readonly names: readonly string[];
  /** Entries that differ from the plain config. */
  readonly changed: readonly unknown[];
}

type Entry = Answer['configs'][number];

/** Depends on what is installed. */
const OFFERS = /^(?:transforms|predicates)\..*\.type$/;

const facts = ({ definition, value }: Entry): unknown => {
  if (definition === null) return { definition, value };
  const { documentation: _, ...rest } = definition;
  const { recommended_values: offers, ...others } = value as { recommended_values?: unknown };
  return { definition: rest, value: OFFERS.test(definition.name) ? others : { ...others, offers } };
};

/** Java's order of one converter's keys is that of a hash map; here they are sorted by name. */
function inOrder(tail: readonly string[]): string[] {
  const converters = [...new Set(tail.map((name) => name.split('.')[0]))];
  return converters.flatMap((one) => tail.filter((name) => name.startsWith(`${one}.`)).sort());
}

/** Names of `own` with one run of the plain ones replaced by `…`. */
function shortened(own: readonly string[], plain: readonly string[]): string[] {
  const from = own.indexOf(plain[0] ?? '');
  const same = plain.every((name, i) => own[from + i] === name);
  return from >= 0 && plain.length > 0 && same
    ? [...own.slice(0, from), '…', ...inOrder(own.slice(from + plain.length))]
    : [...own];
}

/** @param plain the answer to the configuration without changes; null for that one itself */
export function reduceAnswer(answer: Answer, plain: Answer | null): Reduced {
  const known = new Map(plain?.configs.map((entry) => [entry.value.name, JSON.stringify(facts(entry))]));
  return {
    name: answer.name,
    error_count: answer.error_count,
    groups: [...answer.groups.slice(0, plain?.groups.length), ...answer.groups.slice(plain?.groups.length).sort()],
    names: shortened(
      answer.configs.map(({ value }) => value.name),
      plain?.configs.map(({ value }) => value.name) ?? [],
    ),
    changed: answer.configs
      .filter((entry) => known.get(entry.value.name) !== JSON.stringify(facts(entry)))
      .sort((a, b) => (a.value.name < b.value.name ? -1 : 1))
      .map(facts),
  };
}
