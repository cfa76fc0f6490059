/** Random schemas and values with all settings: ajv accepts what is written, and it is read back as it was. */
import { fuzzRun, seeded } from '../../../helpers/seeded';
import { jsonFor, jsonOf, judge, read, registered, schemaText, type Config } from './json-schema-harness';
import { RandomSchemas, SETTINGS } from './random-schemas';

const { seed, cases } = fuzzRun('JSON_SCHEMA_CASES', 200, 43);

test(`values come back as they were, in ${cases} random schemas with seed ${seed}`, () => {
  const generator = new RandomSchemas(seeded(seed));
  for (let i = 0; i < cases; i++) {
    const config = SETTINGS[i % SETTINGS.length] as Config;
    const of = i % 5 === 0 ? generator.schema(3) : generator.struct(3);
    const text = schemaText(of, config);
    const validate = judge(text);
    const target = registered(text);
    for (let n = 0; n < 3; n++) {
      const value = generator.value(of);
      const json = jsonOf(of, value, config);
      if (json === null) {
        expect(value).toBeNull();
        continue;
      }
      validate(JSON.parse(json));
      expect({ i, text, json, errors: validate.errors }).toEqual({ i, text, json, errors: null });
      const back = read(json, target, config);
      expect({ i, text, json, ...back }).toEqual({ i, text, json, schema: of, value });
      expect({ i, text, json: jsonFor(target, of, value, { config }) }).toEqual({ i, text, json });
    }
  }
});
