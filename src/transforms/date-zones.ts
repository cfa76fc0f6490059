/**
 * Time zones by name, as `java.text.SimpleDateFormat` reads them in English, and by their IDs, such as Europe/Paris,
 * which Java does not read. A name stands for one offset: CET is +01:00 also in summer.
 */
import { zoneOffsets, type ZoneOffsets } from '@millrace/sdk';

export interface NamedZone {
  /** Of the text. */
  readonly length: number;
  /** Minutes that local time is ahead of UTC; of IDs, the rules. */
  readonly offset: number | ZoneOffsets;
}

/** Abbreviations, by their offset in hours. Where several zones share one, it is the zone that Java chooses. */
const ABBREVIATIONS: readonly (readonly [hours: number, names: string])[] = [
  [-11, 'SST'],
  [-10, 'HST'],
  [-9, 'AKST'],
  [-8, 'AKDT PST'],
  [-7, 'PDT MST'],
  [-6, 'MDT CST'],
  [-5, 'CDT EST COT ECT PET'],
  [-4, 'EDT AST BOT CLT PYT VET'],
  [-3.5, 'NST'],
  [-3, 'ADT ART BRT CLST UYT'],
  [-2.5, 'NDT'],
  [0, 'WET'],
  [1, 'WEST BST CET MET WAT'],
  [2, 'CEST MEST EET CAT SAST IST'],
  [3, 'EEST EAT IDT MSK TRT'],
  [4, 'GST AZT GET SAMT'],
  [5, 'PKT UZT YEKT'],
  [5.75, 'NPT'],
  [6, 'BDT OMST'],
  [6.5, 'MMT'],
  [7, 'ICT KRAT NOVT WIB'],
  [8, 'AWST HKT IRKT SGT ULAT WITA'],
  [9, 'JST KST WIT YAKT'],
  [9.5, 'ACST'],
  [10, 'AEST VLAT'],
  [11, 'AEDT MAGT'],
  [12, 'FJT NZST'],
  [13, 'NZDT TOT'],
];

const JANUARY = Date.UTC(2024, 0, 15);
const JULY = Date.UTC(2024, 6, 15);
const LONGEST_NAME = 64;
const MAX_ZONES = 1000;

/** By name in lower case. ICU's long names, of which there are some hundreds, are read when one is first needed. */
let offsets: Map<string, number> | undefined;

function offsetsByName(): Map<string, number> {
  if (offsets) return offsets;
  offsets = new Map(ABBREVIATIONS.flatMap(([hours, names]) => names.split(' ').map((name) => [name.toLowerCase(), hours * 60] as const))); // prettier-ignore
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    const long = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'long' });
    for (const time of [JANUARY, JULY]) {
      const name =
        long
          .formatToParts(time)
          .find(({ type }) => type === 'timeZoneName')
          ?.value.toLowerCase() ?? '';
      if (name === '' || name.startsWith('gmt') || offsets.has(name)) continue;
      offsets.set(name, (zoneOffsets(timeZone)?.at(time / 1000) ?? 0) / 60);
    }
  }
  return offsets;
}

const zones = new Map<string, ZoneOffsets | null>();

function zoneOfId(id: string): ZoneOffsets | null {
  let zone = zones.get(id);
  if (zone === undefined) {
    if (zones.size >= MAX_ZONES) zones.clear();
    zones.set(id, (zone = zoneOffsets(id)));
  }
  return zone;
}

/** The longest name that the text begins with. */
export function readZoneName(text: string): NamedZone | null {
  const id = /^[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+){1,2}/.exec(text)?.[0];
  if (id !== undefined && id.length <= LONGEST_NAME) {
    const offset = zoneOfId(id);
    return offset && { length: id.length, offset };
  }
  const words = text.slice(0, LONGEST_NAME).toLowerCase();
  for (let end = /^[\p{L}.' &-]+/u.exec(words)?.[0].length ?? 0; end > 1; end--) {
    const offset = offsetsByName().get(words.slice(0, end));
    if (offset !== undefined) return { length: end, offset };
  }
  return null;
}
