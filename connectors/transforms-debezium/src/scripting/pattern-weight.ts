/**
 * How much work a pattern in RE2 syntax is per character of a text: at least the number of its instructions, without
 * the repetitions that RE2 itself refuses. Source: cdc-postgres §7.13.
 */
const QUANTIFIER = /[*+?]|\{(\d+)(?:,(\d*))?\}/y;
const QUOTED = /\\Q([\s\S]*?)(?:\\E|$)/y;
const ESCAPED = /\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[\s\S]/y;
/** A bracket at the beginning is a member. Classes such as `[:alpha:]` stand inside. */
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/y;

/** An invalid pattern has any weight. */
export function patternWeight(pattern: string): number {
  /** Weights of the groups that are open, outermost first. */
  const open: number[] = [];
  let sum = 0;
  /** What a quantifier repeats. */
  let last = 0;
  let at = 0;
  const take = (syntax: RegExp): RegExpExecArray | null => {
    syntax.lastIndex = at;
    const match = syntax.exec(pattern);
    if (match !== null) at = syntax.lastIndex;
    return match;
  };
  const atom = (weight: number): void => {
    sum += weight;
    last = weight;
  };
  while (at < pattern.length) {
    const quantifier = take(QUANTIFIER);
    const quoted = quantifier === null ? take(QUOTED) : null;
    if (quantifier !== null) {
      const [, least, most] = quantifier;
      const times = least === undefined ? 2 : Math.max(Number(least) + 1, Number(most ?? 0));
      sum += last * (times - 1);
      last *= times;
    } else if (quoted !== null) {
      sum += (quoted[1] as string).length;
      last = 1;
    } else if (take(ESCAPED) ?? take(CLASS)) atom(1);
    else if (pattern[at] === '(') {
      open.push(sum);
      sum = 2;
      at++;
    } else if (pattern[at] === ')') {
      const group = sum;
      sum = open.pop() ?? 0;
      atom(group);
      at++;
    } else {
      atom(1);
      at++;
    }
  }
  return open.reduce((total, outer) => total + outer, sum);
}
