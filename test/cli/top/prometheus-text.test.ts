import { parseSamples } from '../../../packages/cli/src/verbs/top/prometheus-text';

const wanted = new Set(['a', 'b_total']);
const parse = (text: string): unknown[] =>
  parseSamples(text, wanted).map(({ name, labels, value }) => [name, Object.fromEntries(labels), value]);

test('samples of the wanted metrics', () => {
  expect(
    parse(
      '# HELP a b\n# TYPE a gauge\na 1\n\nb_total{x="1",y="q\\"\\\\\\n{},"} 2.5e+3 1700000000000\nother{broken 1\na{x="",} NaN\na{} -Inf\r\n'.replace(
        '\r',
        '',
      ),
    ),
  ).toEqual([
    ['a', {}, 1],
    ['b_total', { x: '1', y: 'q"\\\n{},' }, 2500],
    ['a', { x: '' }, NaN],
    ['a', {}, -Infinity],
  ]);
});

test.each([
  '<html>',
  '{"a":1}',
  'a',
  'a x',
  'a 1 2 3',
  'a{x=1} 1',
  'a{x="1} 1',
  'a{x="1"y="2"} 1',
  'a{x="\\q"} 1',
  'a{x="1" 1',
  'a 0x10',
])('not the format: %s', (text) => {
  expect(() => parse(`a 1\n${text}\n`)).toThrow('line 2 is not in Prometheus');
});

test('bounds', () => {
  expect(() => parse(`a{x="${'y'.repeat(20_000)}"} 1`)).toThrow('line 1 is longer than');
  expect(() => parse('a 1\n'.repeat(200_001))).toThrow('more than 200000 samples');
});
