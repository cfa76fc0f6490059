/**
 * Lets a plugin use the worker's `@millrace/sdk` if its folder has none. Hooks are
 * installed when the first such folder is loaded, because older Node versions run them in an extra thread.
 */
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SDK = '@millrace/sdk';

type Resolve = (request: string, ...rest: unknown[]) => string;
type NextResolve = (specifier: string, context: unknown) => { url: string };
interface ModuleInternals {
  _resolveFilename: Resolve;
  /** Node ≥ 22.15. */
  registerHooks?(hooks: { resolve(specifier: string, context: unknown, next: NextResolve): unknown }): void;
}

let installed = false;

export function provideSdk(folder: string): void {
  if (installed || resolvesItself(folder)) return;
  installed = true;
  const sdk = require.resolve(SDK);
  const internals = Module as unknown as ModuleInternals;
  if (internals.registerHooks) {
    internals.registerHooks({
      resolve: (specifier, context, next) => {
        try {
          return next(specifier, context);
        } catch (error) {
          if (specifier !== SDK) throw error;
          return { url: pathToFileURL(sdk).href, shortCircuit: true };
        }
      },
    });
    return;
  }
  const resolve = internals._resolveFilename;
  internals._resolveFilename = (request, ...rest) => {
    try {
      return resolve.call(Module, request, ...rest);
    } catch (error) {
      if (request !== SDK) throw error;
      return sdk;
    }
  };
  Module.register(`data:text/javascript,${encodeURIComponent(esmHook(pathToFileURL(sdk).href))}`);
}

function resolvesItself(folder: string): boolean {
  try {
    createRequire(join(folder, 'package.json')).resolve(SDK);
    return true;
  } catch {
    return false;
  }
}

/** Runs in Node's thread for module hooks, hence as text. */
function esmHook(sdkUrl: string): string {
  return `export async function resolve(specifier, context, next) {
  try { return await next(specifier, context); } catch (error) {
    if (specifier !== ${JSON.stringify(SDK)}) throw error;
    return { url: ${JSON.stringify(sdkUrl)}, format: 'commonjs', shortCircuit: true };
  }
}`;
}
