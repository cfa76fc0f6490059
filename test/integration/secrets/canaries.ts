/** Secrets that are recognized in any output: each is unique, and is searched for in every form it may have. */
import { randomBytes } from 'node:crypto';

/** Characters that break careless masking and quoting. */
const AWKWARD = `, "q' =\\x`;

export class Canaries {
  private readonly places = new Map<string, string>();

  /** @param place of the setting, e.g. `producer.ssl.key.password` */
  plain(place: string): string {
    const canary = `canary${randomBytes(9).toString('hex')}`;
    this.places.set(canary, place);
    return canary;
  }

  /** The same with characters in the middle that end a word, a string or a line of a properties file. */
  awkward(place: string): string {
    return `${this.plain(place)}${AWKWARD}${this.plain(`${place} (after awkward characters)`)}`;
  }

  jaas(place: string): string {
    return `org.apache.kafka.common.security.plain.PlainLoginModule required username="somebody" password="${this.plain(place)}";`;
  }

  /** The setting of each canary that is in the text. */
  foundIn(text: string): string[] {
    return [...this.places].filter(([canary]) => forms(canary).some((form) => text.includes(form))).map(([, at]) => at);
  }
}

function forms(canary: string): string[] {
  const bytes = Buffer.from(canary);
  // The base64 text of a longer value depends on the position of the canary in it.
  const inside = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [canary, bytes.toString('hex'), ...inside];
}
