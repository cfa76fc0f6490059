/**
 * Secrets that are recognised wherever they turn up: each is one of a kind, and is looked for in every form it may
 * take.
 */
import { randomBytes } from 'node:crypto';

/** Characters that break sloppy masking and careless quoting. */
const AWKWARD = `, "q' =\\x`;

export class Canaries {
  private readonly places = new Map<string, string>();

  /** @param place where it is given, e.g. `producer.ssl.key.password` */
  plain(place: string): string {
    const canary = `canary${randomBytes(9).toString('hex')}`;
    this.places.set(canary, place);
    return canary;
  }

  /** The same with characters in its middle that end a word, a string or a line of a properties file. */
  awkward(place: string): string {
    return `${this.plain(place)}${AWKWARD}${this.plain(`${place} (after awkward characters)`)}`;
  }

  jaas(place: string): string {
    return `org.apache.kafka.common.security.plain.PlainLoginModule required username="somebody" password="${this.plain(place)}";`;
  }

  /** Where each canary that is in the text was given. */
  foundIn(text: string): string[] {
    return [...this.places].filter(([canary]) => forms(canary).some((form) => text.includes(form))).map(([, at]) => at);
  }
}

function forms(canary: string): string[] {
  const bytes = Buffer.from(canary);
  // Base64 of something longer looks different by where in it the canary begins.
  const inside = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [canary, bytes.toString('hex'), ...inside];
}
