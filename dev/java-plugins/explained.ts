/** Differences on purpose; docs/compatibility.md has them, too. */
import type { Difference } from './differences';

/** Keys of the worker, not of a connector. */
const COMMON =
  /^body\.(?:configs\.)?(?:name|connector\.|tasks\.|(?:key|value|header)\.converter|transforms|predicates|config\.action|errors\.|topics|topic\.creation|exactly\.once|transaction\.|offsets\.storage)/;
const VERSIONS = /^body\.configs\.[\w.]+\.value\.recommended_values$/;

const REASONS: readonly (readonly [why: string, test: (difference: Difference) => boolean])[] = [
  ['keys that are likely typing errors or have no effect are named', ({ path }) => path === 'body.warnings'],
  [
    'the words about keys that all connectors have are our own',
    ({ path }) => COMMON.test(path) && path.endsWith('documentation'),
  ],
  [
    'plugins that are recommended include our own, and none twice',
    ({ path, java, ours }) => COMMON.test(path) && VERSIONS.test(path) && isPartOf(java, ours),
  ],
  ['a key without a display name has its name', ({ path, java }) => path.endsWith('display_name') && java === null],
  [
    'of topics.regex, which topics exclude, only that is said',
    ({ path, java, ours }) =>
      path === 'body.configs.topics.regex.value.errors' && Array.isArray(java) && Array.isArray(ours)
        ? ours.length === 1 && java[0] === ours[0]
        : path === 'body.error_count' && Number(java) === Number(ours) + 1,
  ],
];

function isPartOf(some: unknown, all: unknown): boolean {
  return Array.isArray(some) && Array.isArray(all) && some.every((one) => all.includes(one));
}

/** Why the difference is one on purpose, or null. */
export function explain(difference: Difference): string | null {
  return REASONS.find(([, test]) => test(difference))?.[0] ?? null;
}
