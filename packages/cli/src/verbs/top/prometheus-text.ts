/** Reads samples of Prometheus' text format 0.0.4. What does not follow it is an error, not skipped. */

export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const LONGEST_LINE = 16 * 1024;
const MOST_SAMPLES = 200_000;
const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\"n])*)"(,?)/y;
const VALUE = /^ ([+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Inf)|NaN)(?: -?\d+)?$/i;
const ESCAPED: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };

/**
 * @param wanted names of metrics; of others, only the name is checked
 * @throws Error with the number of the line
 */
export function parseSamples(text: string, wanted: ReadonlySet<string>): readonly Sample[] {
  const samples: Sample[] = [];
  let number = 0;
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const next = end < 0 ? text.length : end;
    number++;
    if (next - start > LONGEST_LINE) throw new Error(`line ${number} is longer than ${LONGEST_LINE} characters`);
    const line = text.slice(start, next);
    start = next + 1;
    if (line.trim() === '' || line.startsWith('#')) continue;
    NAME.lastIndex = 0;
    const name = NAME.exec(line)?.[0];
    if (name === undefined) throw new Error(`line ${number} is not in Prometheus' text format`);
    if (!wanted.has(name)) continue;
    const sample = sampleOf(name, line);
    if (!sample) throw new Error(`line ${number} is not in Prometheus' text format`);
    if (samples.length === MOST_SAMPLES) throw new Error(`there are more than ${MOST_SAMPLES} samples`);
    samples.push(sample);
  }
  return samples;
}

function sampleOf(name: string, line: string): Sample | undefined {
  const labels = new Map<string, string>();
  let at = name.length;
  if (line[at] === '{') {
    at++;
    while (line[at] !== '}') {
      LABEL.lastIndex = at;
      const match = LABEL.exec(line);
      if (!match) return undefined;
      const [all, label = '', value = '', comma] = match;
      labels.set(
        label,
        value.replace(/\\./g, (escape) => ESCAPED[escape] as string),
      );
      at += all.length;
      if (comma === '' && line[at] !== '}') return undefined;
    }
    at++;
  }
  const [, value] = VALUE.exec(line.slice(at)) ?? [];
  return value === undefined ? undefined : { name, labels, value: numberOf(value) };
}

function numberOf(text: string): number {
  if (!/inf/i.test(text)) return Number(text);
  return text.startsWith('-') ? -Infinity : Infinity;
}
