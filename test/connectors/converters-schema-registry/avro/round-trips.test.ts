/** Random data: what is written is read again, and other libraries read it alike. */
import avro from 'avsc';
import { fuzzRun, seeded } from '../../../helpers/seeded';
import { avroText, read, registered, write } from './avro-harness';
import { randomData } from './random-data';

const { seed, cases } = fuzzRun('AVRO_CASES', 400, 20_261_130);

test('each value is read as it was written', () => {
  for (let i = 0; i < cases; i++) {
    const random = seeded(seed + i);
    const { schema, value } = randomData(random, false);
    const text = avroText(schema);
    for (let n = 0; n < 3; n++) {
      const written = value();
      const bytes = write(schema, written) as Buffer;
      expect({ seed: seed + i, value: read(registered(text), bytes).value }).toEqual({
        seed: seed + i,
        value: written,
      });
    }
  }
});

test('a schema that was read is written with the same text again', () => {
  for (let i = 0; i < cases; i++) {
    const { schema, value } = randomData(seeded(seed + i), false);
    const text = avroText(schema);
    const bytes = write(schema, value()) as Buffer;
    expect(avroText(read(registered(text), bytes).schema)).toBe(text);
  }
});

test('avsc reads the bytes, and writes the same ones', () => {
  let compared = 0;
  for (let i = 0; i < cases; i++) {
    const { schema, value } = randomData(seeded(seed + i), true);
    const text = avroText(schema);
    // Bytes alone are a record without their length.
    if (schema.type === 'BYTES' && !schema.optional) continue;
    const type = avro.Type.forSchema(JSON.parse(text) as avro.Schema, { wrapUnions: true });
    const bytes = write(schema, value()) as Buffer;
    expect({ seed: seed + i, bytes: type.toBuffer(type.fromBuffer(bytes)).toString('hex') }).toEqual({
      seed: seed + i,
      bytes: bytes.toString('hex'),
    });
    compared++;
  }
  expect(compared).toBeGreaterThan(cases / 2);
});

test('records that are cut off or damaged are read as something, or refused as unreadable', () => {
  let refused = 0;
  for (let i = 0; i < cases; i++) {
    const random = seeded(seed + i);
    const { schema, value } = randomData(random, false);
    const of = registered(avroText(schema));
    const bytes = write(schema, value()) as Buffer;
    const damaged = Buffer.from(bytes);
    if (damaged.length > 0) damaged[random.below(damaged.length)] = random.below(256);
    for (const one of [damaged, bytes.subarray(0, random.below(bytes.length + 1)), Buffer.concat([bytes, bytes])]) {
      try {
        read(of, one);
      } catch (error) {
        expect(error).toMatchObject({ code: 'AVRO_DATA' });
        refused++;
      }
    }
  }
  expect(refused).toBeGreaterThan(cases / 2);
});
