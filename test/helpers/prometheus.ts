/**
 * Parses Prometheus' text format 0.0.4 strictly: anything outside its specification is an error. Written from that
 * specification, since the library that writes the text should not verify it.
 */
export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HELP = new RegExp(`^# HELP (${NAME}) (.*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/y;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const SUFFIXES = /_(bucket|sum|count)$/;

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < text.length;) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? fail(`labels ${text}`);
    if (name in labels) fail(`label ${name} twice`);
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}

function valueOf(text: string): number {
  if (/^nan$/i.test(text)) return NaN;
  const infinite = /^([+-]?)inf$/i.exec(text);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  return NUMBER.test(text) ? Number(text) : fail(`value ${text}`);
}

export function parsePrometheus(text: string): Map<string, Family> {
  const families = new Map<string, { help: string; type: string; samples: { labels: object; value: number }[] }>();
  const seen = new Set<string>();
  let current = '';
  if (!text.endsWith('\n')) fail('no line feed at the end');
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    if (line.startsWith('# HELP ')) {
      const [, name = '', help = ''] = HELP.exec(line) ?? fail(line);
      if (families.has(name)) fail(`HELP of ${name} twice`);
      families.set(name, { help, type: '', samples: [] });
      current = name;
    } else if (line.startsWith('# TYPE ')) {
      const [, name = '', type = ''] = TYPE.exec(line) ?? fail(line);
      const family = families.get(name);
      if (!family || family.type !== '' || name !== current) fail(`TYPE of ${name} out of place`);
      else family.type = type;
    } else {
      const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? fail(line);
      const family = families.get(current);
      const own = family?.type === 'histogram' ? name.replace(SUFFIXES, '') : name;
      if (!family || own !== current) fail(`${name} is not with its family`);
      const parsed = labelsOf(labels);
      const identity = JSON.stringify([name, Object.entries(parsed).sort()]);
      if (seen.has(identity)) fail(`${line} twice`);
      seen.add(identity);
      family?.samples.push({ labels: parsed, value: valueOf(value) });
    }
  }
  return families as Map<string, Family>;
}

/** Value of the one sample with these labels; undefined when there is none. */
export function valueIn(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels);
  const found = families
    .get(name)
    ?.samples.filter((sample) => wanted.every(([key, text]) => sample.labels[key] === text));
  if (found !== undefined && found.length > 1) fail(`${name} with ${JSON.stringify(labels)} is not unique`);
  return found?.[0]?.value;
}

function fail(what: string): never {
  throw new Error(`Not Prometheus' text format: ${what}`);
}
