/** Modules that do more at a start than a worker needs: bundles have others with the same exports in their place. */
const { readFileSync } = require('node:fs');
const Ajv = require('ajv').default;
const standaloneCode = require('ajv/dist/standalone').default;

/** Text of a CommonJS module that exports `manifestCheck`: a start need not load ajv and compile the schema. */
function compiledCheck(schema) {
  const ajv = new Ajv({ allErrors: false, code: { source: true } });
  const code = standaloneCode(ajv, ajv.compile(schema));
  return `${code}\nconst check = module.exports; module.exports = { manifestCheck: () => check };`;
}

/** Of `mime-db`, what `mime-types` reads: half of all types. */
function usedTypes(types) {
  const isUsed = ([, { extensions, charset }]) => extensions !== undefined || charset !== undefined;
  return Object.fromEntries(Object.entries(types).filter(isUsed));
}

/** A plugin of esbuild. */
const lean = {
  name: 'lean',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]plugins[\\/]manifest-check\.js$/ }, ({ path }) => ({
      contents: compiledCheck(require(path).SCHEMA),
    }));
    onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, ({ path }) => ({
      contents: JSON.stringify(usedTypes(JSON.parse(readFileSync(path, 'utf8')))),
      loader: 'json',
    }));
    // What winston logs for its own developers, with colours of its own.
    onLoad({ filter: /[\\/]@dabh[\\/]diagnostics[\\/]node[\\/]index\.js$/ }, () => ({
      contents: 'module.exports = () => () => false;',
    }));
  },
};

module.exports = { compiledCheck, lean, usedTypes };
