/** The transformations that are compiled into the worker. Source: connect-runtime §7.2. */
import type { ConfigKey, Transformation, TransformationPlugin } from '@millrace/sdk';
import { INSERT_FIELD_CONFIG, InsertField } from './insert-field';
import { REGEX_ROUTER_CONFIG, RegexRouter } from './regex-router';
import { KEY, VALUE, type Side } from './side';

/** They behave as that release's. */
const VERSION = '4.3.1';
const PACKAGE = 'org.apache.kafka.connect.transforms';

/** What the plug-in registry takes (`BuiltInPlugin`). */
export interface BuiltInTransformation {
  readonly description: {
    readonly type: 'transformation';
    readonly class: string;
    readonly version: string;
    readonly aliases: readonly string[];
    readonly taskClass: null;
    readonly location: string;
  };
  readonly plugin: TransformationPlugin;
}

function one(name: string, config: readonly ConfigKey[], create: () => Transformation): BuiltInTransformation {
  return {
    description: {
      type: 'transformation',
      class: `${PACKAGE}.${name}`,
      version: VERSION,
      aliases: [],
      taskClass: null,
      location: 'built-in',
    },
    plugin: { type: 'transformation', config, create },
  };
}

/** Java's inner classes: one for keys, one for values. */
function both(
  name: string,
  config: readonly ConfigKey[],
  create: (side: Side) => Transformation,
): BuiltInTransformation[] {
  return [one(`${name}$Key`, config, () => create(KEY)), one(`${name}$Value`, config, () => create(VALUE))];
}

export const builtInTransformations: readonly BuiltInTransformation[] = [
  ...both('InsertField', INSERT_FIELD_CONFIG, (side) => new InsertField(side)),
  one('RegexRouter', REGEX_ROUTER_CONFIG, () => new RegexRouter()),
];
