/** Arguments and options of `pause`, `resume`, `stop`, `restart` and `delete`. */
import type { ArgumentSpec, OptionSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';

export const CONNECTORS: ArgumentSpec = {
  name: '[names...]',
  description: 'connectors, or patterns with * and ?',
  completes: 'connectors',
};

export const SELECTION = `Quote patterns, so that the shell does not expand them. If a connector fails, the others are still changed; the exit code is 1, and stderr names what failed.`;

export function lifecycleOptions(verb: string): readonly OptionSpec[] {
  return [
    { flags: '--all', description: 'all connectors' },
    {
      flags: '--failed',
      description:
        verb === 'restart'
          ? 'of these connectors, or of all, restart only what is FAILED'
          : 'of these connectors, or of all, those with something FAILED',
    },
    { flags: '--no-wait', description: 'do not wait until the state is reached' },
    { flags: '--wait-timeout <seconds>', description: 'time to wait', default: 60, parse: wholeNumber(1, 86_400) },
  ];
}
