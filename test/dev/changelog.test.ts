/** Fragments of changes/ become a release of the changelog. */
import { readChanges, withRelease } from '../../dev/changelog';

const OLD = '# Changelog\n\nIntro.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n';

test('changes are grouped by kind, above the releases before', () => {
  const changes = [
    ['b.md', 'Fixed: the file sink waits.\n'],
    ['a.md', 'Added: `millrace top`.\n'],
  ] as const;
  expect(withRelease(OLD, '0.2.0', '2026-02-01', changes)).toBe(
    '# Changelog\n\nIntro.\n\n## [0.2.0] - 2026-02-01\n\n### Added\n\n- `millrace top`.\n\n' +
      '### Fixed\n\n- The file sink waits.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n',
  );
});

test.each(['a line without a kind', 'Improved: x', 'Fixed: a\nFixed: b'])('a file with %j is rejected', (line) => {
  expect(() => withRelease(OLD, '0.2.0', '2026-02-01', [['x.md', line]])).toThrow('changes/x.md is not one line');
});

test('every file of changes/ has the format', () => {
  expect(withRelease(OLD, '0.2.0', '2026-02-01', readChanges())).toContain('## [0.2.0]');
});
