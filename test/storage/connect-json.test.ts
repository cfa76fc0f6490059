import { Float64, jsonFloat, plainValue, readJson, writeJson, writeJsonBytes } from '../../src/storage/connect-json';

const read = (text: string): unknown => readJson(Buffer.from(text));

describe('connect-runtime §1.3: writing', () => {
  test('connect-runtime 7: supplementary characters are two upper-case escapes, the rest of the BMP is raw', () => {
    expect(writeJson('é😀')).toBe('"é\\uD83D\\uDE00"');
    expect(writeJson('/<\u007f\u2028')).toBe('"/<\u007f\u2028"');
    expect(writeJson('"\\\b\t\n\f\r\u0001\u001f')).toBe('"\\"\\\\\\b\\t\\n\\f\\r\\u0001\\u001F"');
    expect(writeJson('\ud83d')).toBe('"\\uD83D"');
  });

  test.each([
    [1.5, '1.5'],
    [0.1, '0.1'],
    [100, '100.0'],
    [1e7, '1.0E7'],
    [1e-5, '1.0E-5'],
    [1e21, '1.0E21'],
    [5e-324, '4.9E-324'],
    [-0, '-0.0'],
    [0.001, '0.001'],
    [9999999.5, '9999999.5'],
    [12345678.9, '1.23456789E7'],
    [NaN, '"NaN"'],
    [Infinity, '"Infinity"'],
    [-Infinity, '"-Infinity"'],
  ])('float64 %p is %s', (value, text) => expect(jsonFloat(value)).toBe(text));

  test('connect-runtime 9: an integral float keeps its .0, integers and big integers are exact', () => {
    expect(writeJson({ a: new Float64(1), b: 1, c: 9007199254740993n, d: 1.5 })).toBe(
      '{"a":1.0,"b":1,"c":9007199254740993,"d":1.5}',
    );
    expect(writeJson(1e21)).toBe('1.0E21');
  });

  test('bytes are base64, null members are written', () => {
    expect(writeJson({ b: Buffer.from([0, 1, 255]), n: null, l: [true, false, []] })).toBe(
      '{"b":"AAH/","n":null,"l":[true,false,[]]}',
    );
    expect(writeJsonBytes('é')).toEqual(Buffer.from('"é"'));
  });
});

describe('connect-runtime §1.3: reading', () => {
  test('integers beyond 2^53 are exact and wrap modulo 2^64', () => {
    expect(read('9007199254740993')).toBe(9007199254740993n);
    expect(read('-9223372036854775808')).toBe(-9223372036854775808n);
    expect(read('9223372036854775808')).toBe(-9223372036854775808n);
    expect(read('9007199254740991')).toBe(9007199254740991);
  });

  test('floats are distinguished from integers', () => {
    expect(read('1.0')).toEqual(new Float64(1));
    expect(read('1e3')).toEqual(new Float64(1000));
    expect(read('1.5')).toBe(1.5);
    expect(read('1')).toBe(1);
    expect(plainValue(readJson(Buffer.from('{"a":[1.0,{"b":2.0}],"c":null}')))).toEqual({ a: [1, { b: 2 }], c: null });
  });

  test('leading zeros, trailing tokens and empty text are tolerated', () => {
    expect(read('007')).toBe(7);
    expect(read('{"a":1} trailing')).toEqual({ a: 1 });
    expect(readJson(Buffer.alloc(0))).toBeNull();
    expect(read(' [1 , "x\\u00e9\\n" ] ')).toEqual([1, 'xé\n']);
  });

  test('__proto__ is an ordinary member', () => {
    expect(Object.keys(read('{"__proto__":{"x":1}}') as object)).toEqual(['__proto__']);
  });

  test.each(['{', '{"a"}', '[1,]', '"\n"', '12abc', '1.', 'nul', 'nulls', '{a:1}', '"\\x"', '-', '"\\u12g4"'])(
    'malformed: %s',
    (text) => expect(() => read(text)).toThrow(SyntaxError),
  );
  test('numbers are bounded, since exact ones cost more than their text', () => {
    expect(read('7'.repeat(1000))).toEqual(expect.any(BigInt));
    for (const text of ['7'.repeat(1001), `0.${'7'.repeat(1000)}`])
      expect(() => read(text)).toThrow('a number of more than 1000 characters');
  });

  test('nesting is bounded and bytes must be UTF-8', () => {
    expect(() => read('['.repeat(1001))).toThrow('nesting deeper than 1000');
    expect(() => readJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('not UTF-8');
  });

  test('written values read back', () => {
    const value = { s: 'a"\\\u0000😀', i: -5, big: -(2n ** 62n), f: new Float64(3), g: 0.25, l: [null, true, {}] };
    expect(readJson(writeJsonBytes(value))).toEqual(value);
  });
});
