/** Schemas that are registered as serialized descriptors, as clients in Python do. */
import { readRegistered } from '../../../../connectors/converters-schema-registry/src/protobuf/schema/registered-file';
import { errorOf, formatOf, readHex, registered, schemaText } from './protobuf-harness';
import { seeded } from '../../../helpers/seeded';
import { descriptorsOf } from './foreign-protobuf';
import { Cases, configOf, tellsNull } from './seeded-cases';

/** What confluent-kafka 2.16 for Python registered at Apicurio, and a record that it wrote. */
const PYTHON =
  'Cgd0LnByb3RvEgRzaG9wGh9nb29nbGUvcHJvdG9idWYvdGltZXN0YW1wLnByb3RvIhUKBU90aGVyEgwKAXgYASABKAVSAXgi4wIKBU9yZGVyEg4KAmlkGAEgASgDUgJpZBIXCgRub3RlGAIgASgJSAFSBG5vdGWIAQESDAoBdhgDIAMoAVIBdhIgCgFtGAQgAygLMhIuc2hvcC5PcmRlci5NRW50cnlSAW0SKAoBdBgFIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSAXQSFAoEY2FzaBgGIAEoCUgAUgRjYXNoEiYKBGNhcmQYByABKAsyEC5zaG9wLk9yZGVyLkNhcmRIAFIEY2FyZBIbCgFlGAggASgOMg0uc2hvcC5PcmRlci5FUgFlGkEKBk1FbnRyeRIQCgNrZXkYASABKAlSA2tleRIhCgV2YWx1ZRgCIAEoCzILLnNob3AuT3RoZXJSBXZhbHVlOgI4ARoWCgRDYXJkEg4KAm5vGAEgASgNUgJubyIRCgFFEgUKAUEQABIFCgFCEAFCBQoDcGF5QgcKBV9ub3RlYgZwcm90bzM=';
const RECORD =
  '020208808080808080808010120368c3a91a10000000000000f83f000000000000004022070a016b120208052a0c08f0f381af0610c0de9cf8023a0208074001';

test('a record of a client in Python', () => {
  const { value, schema } = formatOf().reader(registered(PYTHON)).read(Buffer.from(RECORD, 'hex'), 0, null);
  expect(value).toEqual({
    id: 2n ** 60n,
    note: 'hé',
    v: [1.5, 2],
    m: new Map([['k', { x: 5 }]]),
    t: new Date('2024-02-29T12:34:56.789Z'),
    pay_0: { cash: null, card: { no: 7 } },
    e: 'B',
  });
  expect(schema?.name).toBe('Order');
});

test('a descriptor is read as the text that it is of', () => {
  for (let run = 0; run < 50; run++) {
    const random = seeded(run + 40_000);
    const config = configOf(random);
    const one = new Cases(random, tellsNull(config)).struct(3, {});
    const text = schemaText(one.schema, config);
    const [own, ...others] = descriptorsOf(text);
    const file = readRegistered(
      registered(own?.base64 as string, Object.fromEntries(others.map((o) => [o.name, o.base64]))),
    );
    const expected = readRegistered(registered(text));
    const plain = (messages: typeof file.messages): unknown =>
      messages.map((message) => [
        message.fullName,
        message.fields.map(({ name, number, repeated, packed, presence, optional, type }) => {
          const typeName = typeof type === 'string' ? type : type.fullName.replace(/\.[^.]* entry$|\.[^.]*$/, '');
          return { name, number, repeated, packed, presence, optional, typeName };
        }),
      ]);
    expect(plain(file.messages)).toEqual(plain(expected.messages));
  }
});

test('what is no descriptor', () => {
  for (const text of ['AAAA', 'CgE', '/////w==', 'message'])
    expect(errorOf(() => readHex('', text))).toMatchObject({ code: expect.stringMatching(/^PROTOBUF_/) as unknown });
});
