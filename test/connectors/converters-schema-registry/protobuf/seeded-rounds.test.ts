/**
 * Seeded schemas and values, with all settings: what is written is read again, and by other implementations;
 * Protobuf-ES writes the same bytes from it. FUZZ_SEED and FUZZ_PROTOBUF change the run.
 */
import { fuzzRun, seeded } from '../../../helpers/seeded';
import { ForeignMessage, foreignType } from './foreign-protobuf';
import { formatOf, read, registered, schemaText, writeAs, writeFor } from './protobuf-harness';
import { Cases, configOf, tellsNull } from './seeded-cases';

const { seed, cases } = fuzzRun('FUZZ_PROTOBUF', 120, 20_261_130);
const RUNS = Array.from({ length: cases }, (_, i) => seed + i);

test.each([RUNS])('structs: %#', (...runs) => {
  let bytes = 0;
  for (const run of runs) {
    const random = seeded(run);
    const config = configOf(random);
    const one = new Cases(random, tellsNull(config)).struct(3, {});
    const { schema: text, recordName } = formatOf(config).writer(one.schema);
    const foreign = new ForeignMessage(text.text, recordName as string);
    const type = foreignType(text.text, recordName as string);
    for (let i = 0; i < 3; i++) {
      const value = one.value();
      const written = writeAs(one.schema, value, config);
      const message = written.subarray(1);
      bytes += message.length;
      try {
        const again = read(written, text.text, config);
        expect(again.value).toEqual(value);
        const same = foreign.again(message);
        // Protobuf-ES orders the keys of maps its own way.
        if (text.text.includes('map<')) expect(same).toHaveLength(message.length);
        else expect(same).toEqual(message);
        expect(read(Buffer.concat([Buffer.from([0]), same]), text.text, config).value).toEqual(value);
        // protobuf.js writes fields in another order, and their defaults: what it wrote is read as the same.
        const theirs = Buffer.concat([Buffer.from([0]), type.encode(type.decode(message)).finish()]);
        expect(read(theirs, text.text, config).value).toEqual(value);
        // What was read can be written for the same schema, and for one of our own.
        expect(writeFor(registered(text.text), again.schema, again.value, { config })).toEqual(written);
        const own = schemaText(again.schema, config);
        expect(read(writeAs(again.schema, again.value, config), own, config).value).toEqual(value);
      } catch (error) {
        throw new Error(`FUZZ_SEED=${run}: ${JSON.stringify(config)}\n${text.text}\n${(error as Error).message}`, {
          cause: error,
        });
      }
    }
  }
  expect(bytes).toBeGreaterThan(runs.length);
});

test.each([RUNS])('records that are no structs: %#', (...runs) => {
  for (const run of runs) {
    const random = seeded(run + 1_000_000);
    const config = configOf(random);
    const one = new Cases(random, tellsNull(config)).any(2);
    const text = schemaText(one.schema, config);
    const value = one.value();
    const again = read(writeAs(one.schema, value, config), text, config);
    expect(again.value).toEqual(value);
    expect(again.schema).toMatchObject({ type: one.schema.type, optional: false });
  }
});

test.each([RUNS])('changed bytes are values or errors, and never anything else: %#', (...runs) => {
  let errors = 0;
  for (const run of runs) {
    const random = seeded(run + 2_000_000);
    const one = new Cases(random, true).struct(3, {});
    const bytes = writeAs(one.schema, one.value());
    const reader = formatOf().reader(registered(schemaText(one.schema)));
    for (let i = 0; i < 20; i++) {
      const changed = Buffer.from(bytes);
      for (let n = random.below(3); n >= 0; n--) changed[1 + random.below(changed.length)] = random.below(256);
      const cut = random.chance(0.3) ? changed.subarray(0, random.below(changed.length)) : changed;
      try {
        reader.read(cut, 0, null);
      } catch (error) {
        expect((error as { code: string }).code).toBe('PROTOBUF_DATA');
        errors++;
      }
    }
  }
  expect(errors).toBeGreaterThan(runs.length);
});
