import {
  decodeAssignment,
  decodeMetadata,
  encodeAssignment,
  encodeMetadata,
  offeredProtocols,
  type Assignment,
} from '../../../src/cluster/group/connect-protocol';
import { NO_WORK } from '../../../src/cluster/group/work';

const hex = (text: string): Buffer => Buffer.from(text.replace(/[\s|]/g, ''), 'hex');
const url = 'http://w1:8083/';
const URL_BYTES = '00 0f 68 74 74 70 3a 2f 2f 77 31 3a 38 30 38 33 2f';

const assignment: Assignment = {
  configMismatch: false,
  leader: 'connect-1-aa',
  leaderUrl: url,
  configOffset: 5,
  assigned: {
    connectors: ['c1'],
    tasks: [
      { connector: 'c1', task: 0 },
      { connector: 'c1', task: 1 },
      { connector: 'c2', task: 0 },
    ],
  },
  revoked: { connectors: [], tasks: [{ connector: 'c3', task: 2 }] },
  delay: 300000,
};
const THROUGH_ASSIGNED = `00 00
  00 0c 63 6f 6e 6e 65 63 74 2d 31 2d 61 61 ${URL_BYTES} 00 00 00 00 00 00 00 05
  00 00 00 02  00 02 63 31  00 00 00 03  ff ff ff ff 00 00 00 00 00 00 00 01  00 02 63 32  00 00 00 01  00 00 00 00`;
const V2 = hex(`00 02 ${THROUGH_ASSIGNED} 00 00 00 01 00 02 63 33 00 00 00 01 00 00 00 02 00 04 93 e0`);

describe('connect-runtime 35: bytes of the group protocol', () => {
  test.each([
    ['default', `00 00 | ${URL_BYTES} | 00 00 00 00 00 00 00 05`],
    ['compatible', `00 01 | ${URL_BYTES} | 00 00 00 00 00 00 00 05 | ff ff ff ff`],
    ['sessioned', `00 02 | ${URL_BYTES} | 00 00 00 00 00 00 00 05 | ff ff ff ff`],
  ] as const)('%s metadata', (protocol, bytes) => {
    const metadata = { url, configOffset: 5, allocation: null };
    expect(encodeMetadata(protocol, metadata)).toEqual(hex(bytes));
    expect(decodeMetadata(hex(bytes))).toEqual(metadata);
  });

  test('an assignment of version 2, and of version 0', () => {
    expect(V2).toHaveLength(99);
    expect(encodeAssignment('sessioned', assignment)).toEqual(V2);
    expect(decodeAssignment(V2)).toEqual(assignment);
    const v0 = hex(`00 00 ${THROUGH_ASSIGNED}`);
    expect(encodeAssignment('default', assignment)).toEqual(v0);
    expect(decodeAssignment(v0)).toEqual({ ...assignment, revoked: NO_WORK, delay: 0 });
  });

  test('fields of Millrace follow the fields that Java reads', () => {
    const missing = new Map([['w3:8083', 7_000]]);
    const extended = encodeAssignment('sessioned', { ...assignment, missing });
    expect(extended.subarray(0, V2.length)).toEqual(V2);
    expect(extended.subarray(V2.length)).toEqual(
      hex('4d 6c 72 63 | 00 00 00 01 | 00 07 77 33 3a 38 30 38 33 | 00 00 1b 58'),
    );
    expect(decodeAssignment(extended)).toEqual({ ...assignment, missing });
    expect(encodeAssignment('default', { ...assignment, missing })).toEqual(hex(`00 00 ${THROUGH_ASSIGNED}`));
    const metadata = { url, configOffset: 5, allocation: null };
    const plain = encodeMetadata('sessioned', metadata);
    const marked = encodeMetadata('sessioned', { ...metadata, reserves: true });
    expect(marked).toEqual(Buffer.concat([plain, hex('4d 6c 72 63')]));
    expect(decodeMetadata(marked)).toEqual({ ...metadata, reserves: true });
    const all = { ...metadata, reserves: true, marks: true };
    expect(decodeMetadata(encodeMetadata('sessioned', all))).toEqual(all);
    expect(encodeMetadata('default', { ...metadata, reserves: true })).toEqual(encodeMetadata('default', metadata));
  });

  test.each(['00', '00 01', '00 00 00 01', '4d 6c 72'])('unknown bytes at the end are ignored: %s', (bytes) => {
    const metadata = { url, configOffset: 5, allocation: null };
    expect(decodeMetadata(Buffer.concat([encodeMetadata('sessioned', metadata), hex(bytes)]))).toEqual(metadata);
    expect(decodeAssignment(Buffer.concat([V2, hex(bytes)]))).toEqual(assignment);
  });

  test('as an allocation it is preceded by its length', () => {
    const bytes = encodeMetadata('sessioned', { url, configOffset: 5, allocation: assignment });
    expect(bytes.subarray(bytes.length - 103)).toEqual(Buffer.concat([hex('00 00 00 63'), V2]));
    expect(decodeMetadata(bytes).allocation).toEqual(assignment);
  });

  test('a config mismatch', () => {
    const mismatch: Assignment = {
      configMismatch: true,
      leader: 'm',
      leaderUrl: 'u',
      configOffset: 9,
      assigned: NO_WORK,
      revoked: NO_WORK,
      delay: 0,
    };
    const bytes = hex('00 01 00 01 00 01 6d 00 01 75 00 00 00 00 00 00 00 09 00 00 00 00 00 00 00 00 00 00 00 00');
    expect(encodeAssignment('compatible', mismatch)).toEqual(bytes);
    expect(decodeAssignment(bytes)).toEqual(mismatch);
  });

  test('trailing fields may be missing, arrays may be null, versions may be newer', () => {
    expect(decodeMetadata(hex(`00 01 ${URL_BYTES} 00 00 00 00 00 00 00 05`)).allocation).toBeNull();
    const head = `00 09 00 00 00 01 6d 00 01 75 ff ff ff ff ff ff ff ff`;
    const empty = {
      configMismatch: false,
      leader: 'm',
      leaderUrl: 'u',
      configOffset: -1,
      assigned: NO_WORK,
      revoked: NO_WORK,
      delay: 0,
    };
    expect(decodeAssignment(hex(head))).toEqual(empty);
    expect(decodeAssignment(hex(`${head} ff ff ff ff ff ff ff ff`))).toEqual(empty);
    expect(() => decodeAssignment(hex('00 01 00 00 00 30 6d'))).toThrow(RangeError);
  });

  test('protocols are offered in order of preference', () => {
    expect(offeredProtocols('sessioned')).toEqual(['sessioned', 'compatible', 'default']);
    expect(offeredProtocols('compatible')).toEqual(['compatible', 'default']);
    expect(offeredProtocols('eager')).toEqual(['default']);
  });
});
