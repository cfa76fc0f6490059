import { encodeJson } from '../../src/rest/json/encode';
import { toPlain } from '../../src/rest/json/shape';
import { parseJson } from '../../src/rest/json/tree';

const plain = (text: string): unknown => {
  const parsed = parseJson(text);
  return parsed && toPlain(parsed.root);
};

test('connect-rest §0.2: values keep their text, whatever JSON allows around them', () => {
  expect(plain(' {"a" : [ 1.50 , -0, 1E+2 , true,null ] ,\r\n"b":{}} ')).toEqual({
    a: ['1.50', '-0', '1E+2', 'true', null],
    b: {},
  });
  expect(plain('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00ü"')).toBe('"\\/\b\f\n\r\tä😀ü');
  expect(plain(' \n ')).toBeNull();
});

test('columns are bytes, as Jackson counts them', () => {
  expect(() => parseJson('{"ä😀":x}')).toThrow(/^Unrecognized token 'x': .*; line: 1, column: 11\]$/s);
});

test('texts that JSON.parse accepts are accepted, all others are rejected', () => {
  const texts = [
    '1',
    '-1',
    '01',
    '1.',
    '.5',
    '-',
    '+1',
    '1e',
    '1e5',
    '1e-',
    '0x1',
    'NaN',
    'tru',
    'nulll',
    'true',
    '"',
    '"a',
    '"\\x"',
    '"\\u12"',
    '"\t"',
    '[',
    '[]',
    '[1',
    '[1,',
    '[1,]',
    '[,]',
    '[1 2]',
    '[1}',
    '{',
    '{}',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{a:1}',
    '{"a" 1}',
    '{"a":1]',
    '{"a":1 "b":2}',
    '{} {}',
    '[] x',
    '"a" "b"',
    '1 2',
    '',
  ];
  const accepts = (parse: (text: string) => unknown) =>
    texts.filter((text) => {
      try {
        parse(text);
        return true;
      } catch {
        return false;
      }
    });
  const ours = accepts((text) => {
    const parsed = parseJson(text);
    if (!parsed) throw new Error('empty');
    if (parsed.trailing) throw parsed.trailing('X');
  });
  expect(ours).toEqual(accepts(JSON.parse));
});

test.each([
  ['{"a"}', "Unexpected character ('}' (code 125)): was expecting a colon to separate field name and value"],
  ['{"a":1 "b":2}', `Unexpected character ('"' (code 34)): was expecting comma to separate Object entries`],
  ['[1}', "Unexpected close marker '}': expected ']' (for Array starting at "],
  ['{"a":,}', "Unexpected character (',' (code 44)): expected a value"],
  ['{"a":"x', 'Unexpected end-of-input in VALUE_STRING'],
  ['{"a":"\n"}', 'Illegal unquoted character ((CTRL-CHAR, code 10)): has to be escaped using backslash'],
  ['{"a":"\\x"}', "Unrecognized character escape 'x' (code 120)"],
  [
    '{"a":yes}',
    "Unrecognized token 'yes': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  ['{"a":012}', 'Invalid numeric value: Leading zeroes not allowed'],
])("connect-rest §2.4: %s in Jackson's words", (text, start) => {
  let message = '';
  try {
    parseJson(text);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message.slice(0, start.length)).toBe(start);
});

test('connect-rest §2.4: the position is given by line and column', () => {
  expect(() => parseJson('{\n  "a": x\n}')).toThrow(/; line: 2, column: 8\]$/);
});

test('connect-rest §0.2: quotes, backslashes, control characters and, as in 4.3.1, characters beyond the BMP are escaped, in upper case', () => {
  const text = '"\\/<>ä😀\u007f\u2028\u0001\u001f\b\t\\u001f';
  const encoded = encodeJson({ text, none: null, left: undefined }).toString('utf8');
  expect(encoded).toBe('{"text":"\\"\\\\/<>ä\\uD83D\\uDE00\u007f\u2028\\u0001\\u001F\\b\\t\\\\u001f","none":null}');
  expect(JSON.parse(encoded)).toEqual({ text, none: null });
});

test('connect-rest §0.2: half a surrogate pair, and a megabyte of escapes', () => {
  expect(encodeJson(['\udfff a', '\ud800']).toString()).toBe('["\\uDFFF a","\\uD800"]');
  const long = '😀\u001f"\\u'.repeat(100_000);
  const encoded = encodeJson(long).toString();
  expect(encoded.length).toBe('\\uD83D\\uDE00\\u001F\\"\\\\u'.length * 100_000 + 2);
  expect(JSON.parse(encoded)).toBe(long);
});

describe('limits', () => {
  const refused = (text: string, maxValues?: number): string => {
    try {
      parseJson(text, maxValues);
    } catch (error) {
      expect(error).toMatchObject({ status: 400 });
      return (error as Error).message;
    }
    return '';
  };

  test('numbers and names are as long as Jackson allows', () => {
    expect(refused(`[${'1'.repeat(1000)}]`)).toBe('');
    expect(refused(`[${'1'.repeat(1001)}]`)).toBe(
      'Number value length (1001) exceeds the maximum allowed (1000, from `StreamReadConstraints.getMaxNumberLength()`)',
    );
    expect(refused(`{"${'a'.repeat(50_000)}":1}`)).toBe('');
    expect(refused(`{"${'a'.repeat(50_001)}":1}`)).toBe(
      'Name length (50001) exceeds the maximum allowed (50000, from `StreamReadConstraints.getMaxNameLength()`)',
    );
  });

  test('values of a document and members of an object are counted, repeated names once', () => {
    const members = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i}":1`).join(',')}}`;
    expect(refused(members(10_000))).toBe('');
    expect(refused(members(10_001))).toBe('An object of the document has more than 10000 members');
    expect(refused(`{${Array(10_001).fill('"a":1').join(',')}}`)).toBe('');
    expect(refused('[1,[2],3]', 5)).toBe('');
    expect(refused('[1,[2],3]', 4)).toBe('The document has more than 4 values');
  });

  test('a position far down and far right is reported, and a long text with escapes is read', () => {
    expect(() => parseJson(`[${'\n'.repeat(200_000)}  x]`)).toThrow(/line: 200001, column: 3\]$/);
    expect(plain(`"${'\\n'.repeat(100_000)}"`)).toBe('\n'.repeat(100_000));
  });
});
