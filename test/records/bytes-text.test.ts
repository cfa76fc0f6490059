import { bytesText } from '../../src/records/bytes-text';

describe('bytes as text', () => {
  test.each([
    [null, null],
    [Buffer.from('grün 😀'), 'grün 😀'],
    [Buffer.from([0x61, 0xff, 0x62]), 'a\\xffb'],
    // Cut, too long, a surrogate, beyond Unicode.
    [Buffer.from([0xe2, 0x82]), '\\xe2\\x82'],
    [Buffer.from([0xc0, 0xaf]), '\\xc0\\xaf'],
    [Buffer.from([0xed, 0xa0, 0x80]), '\\xed\\xa0\\x80'],
    [Buffer.from([0xf4, 0x90, 0x80, 0x80]), '\\xf4\\x90\\x80\\x80'],
    [Buffer.from([0, 0, 0, 1, 0xc3, 0xa4]).subarray(3), '\u0001ä'],
  ])('%p is %p', (bytes, text) => expect(bytesText(bytes)).toBe(text));

  test('long ones are cut between characters', () => {
    expect(bytesText(Buffer.from('ä'.repeat(10)), 5)).toBe('ää… (16 more bytes)');
    expect(bytesText(Buffer.from('😀'.repeat(10)), 7)).toBe('😀… (36 more bytes)');
    expect(bytesText(Buffer.from('x'.repeat(10_000)))).toBe(`${'x'.repeat(4_096)}… (5,904 more bytes)`);
  });
});
