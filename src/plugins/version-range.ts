/**
 * Maven's versions and version ranges, as `connector.plugin.version` and `?version=` use them. Source: connect-rest
 * §1.20, §3.5.
 */
const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const SYNONYMS: Readonly<Record<string, string>> = { ga: '', final: '', release: '', cr: 'rc' };

type Part = number | string;

function parts(version: string): Part[] {
  const found = version.toLowerCase().match(/[0-9]+|[a-z]+/g) ?? [];
  return found.map((part) => (/[0-9]/.test(part) ? Number(part) : (SYNONYMS[part] ?? part)));
}

/** Numbers come after every qualifier; an absent part counts as 0 or as the plain release. */
function rank(part: Part | undefined): readonly [number, number | string] {
  if (typeof part === 'number') return part === 0 ? [QUALIFIERS.indexOf(''), 0] : [QUALIFIERS.length + 1, part];
  const known = QUALIFIERS.indexOf(part ?? '');
  return known >= 0 ? [known, 0] : [QUALIFIERS.length, part ?? ''];
}

export function compareVersions(left: string, right: string): number {
  const a = parts(left);
  const b = parts(right);
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [rankA, valueA] = rank(a[i]);
    const [rankB, valueB] = rank(b[i]);
    if (rankA !== rankB) return rankA - rankB;
    if (valueA !== valueB) return valueA < valueB ? -1 : 1;
  }
  return 0;
}

interface Restriction {
  readonly lower: string;
  readonly lowerInclusive: boolean;
  readonly upper: string;
  readonly upperInclusive: boolean;
}

export class VersionRange {
  private constructor(private readonly restrictions: readonly Restriction[]) {}

  /**
   * Null for any version: absent or `latest`. A bare version means exactly that version. Throws Error with Maven's
   * text.
   */
  static parse(text: string | null | undefined): VersionRange | null {
    if (text == null || text === 'latest') return null;
    const spec = text.trim();
    if (!/^[[(]/.test(spec)) return new VersionRange([exactly(spec)]);
    const restrictions: Restriction[] = [];
    for (let rest = spec; rest !== '';) {
      const end = /[\])]/.exec(rest)?.index ?? -1;
      if (!/^[[(]/.test(rest)) {
        throw new Error(`Only fully-qualified sets allowed in multiple set scenario: ${spec}`);
      }
      if (end < 0) throw new Error(`Unbounded range: ${spec}`);
      restrictions.push(restriction(rest.slice(0, end + 1)));
      rest = rest.slice(end + 1).replace(/^\s*,?\s*/, '');
    }
    return new VersionRange(restrictions);
  }

  contains(version: string): boolean {
    return this.restrictions.some((r) => {
      const low = r.lower === '' ? 1 : compareVersions(version, r.lower);
      const high = r.upper === '' ? -1 : compareVersions(version, r.upper);
      // An empty exact version ("[]") contains nothing.
      if (r.lower === '' && r.upper === '' && r.lowerInclusive) return false;
      return (low > 0 || (low === 0 && r.lowerInclusive)) && (high < 0 || (high === 0 && r.upperInclusive));
    });
  }

  toString(): string {
    return this.restrictions
      .map((r) => `${r.lowerInclusive ? '[' : '('}${r.lower},${r.upper}${r.upperInclusive ? ']' : ')'}`)
      .join(',');
  }
}

function exactly(version: string): Restriction {
  return { lower: version, lowerInclusive: true, upper: version, upperInclusive: true };
}

function restriction(text: string): Restriction {
  const inner = text.slice(1, -1).trim();
  const lowerInclusive = text.startsWith('[');
  const upperInclusive = text.endsWith(']');
  const comma = inner.indexOf(',');
  if (comma < 0) {
    if (!lowerInclusive || !upperInclusive) throw new Error(`Single version must be surrounded by []: ${text}`);
    return exactly(inner);
  }
  const lower = inner.slice(0, comma).trim();
  const upper = inner.slice(comma + 1).trim();
  if (lower !== '' && upper !== '' && compareVersions(upper, lower) < 0) {
    throw new Error(`Range defies version ordering: ${text}`);
  }
  return { lower, lowerInclusive, upper, upperInclusive };
}

interface Installed {
  readonly class: string;
  readonly version: string;
}

/**
 * Message of the definitions endpoint's 400 and of the errors of a key. As in Java, a class with two plugin types is
 * listed twice.
 */
export function noSuchVersion(pluginClass: string, range: VersionRange, installed: readonly Installed[]): string {
  const available = installed.filter((plugin) => plugin.class === pluginClass).map(({ version }) => version);
  return `Plugin ${pluginClass} not found that matches the version range ${range.toString()}, available versions: [${available.sort(compareVersions).join(', ')}]`;
}

/** Null if one of `versions` matches, or if `requested` is not a version, which is reported separately. */
export function unmetVersion(
  pluginClass: string,
  requested: string | null,
  versions: readonly string[],
  installed: readonly Installed[],
): string | null {
  let range: VersionRange | null;
  try {
    range = VersionRange.parse(requested);
  } catch {
    return null;
  }
  if (range === null || versions.some((version) => range.contains(version))) return null;
  return noSuchVersion(pluginClass, range, installed);
}
