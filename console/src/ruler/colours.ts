// Entity types, coloured alike on every screen. A colour never stands alone: each type has a letter, too.
//
// The eight hues are those of Okabe and Ito, which people with any colour vision tell apart; each has a form for light and for
// dark grounds. From the ninth type on hues repeat, and the letters go on.

export interface EntityColour {
  /** Name of a custom property of CSS, such as `--entity-3`. */
  token: string;
  letter: string;
}

const HUES = 8;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Returns the colour of each entity type of a table: by the order of their names, so that it is the same everywhere. */
export function entityColours(names: Iterable<string>): Map<string, EntityColour> {
  const sorted = [...new Set(names)].sort();
  return new Map(sorted.map((name, nth) => [name, { token: `--entity-${(nth % HUES) + 1}`, letter: letterOf(nth) }]));
}

function letterOf(nth: number): string {
  const last = LETTERS[nth % LETTERS.length]!;
  return nth < LETTERS.length ? last : letterOf(Math.floor(nth / LETTERS.length) - 1) + last;
}

/** A key template as a form of texts: `ORDER#{}` takes all that begin with `ORDER#`. */
export class KeyForm {
  readonly #pieces: string[];

  constructor(template: string) {
    this.#pieces = template.split(/\{[^}]*\}/);
  }

  /** The text that all keys of the form begin with. */
  get beginning(): string {
    return this.#pieces[0]!;
  }

  /** Whether the form has no parts, so that it is one text. */
  get isOneText(): boolean {
    return this.#pieces.length === 1;
  }

  takes(text: string): boolean {
    const [first, ...rest] = this.#pieces;
    if (rest.length === 0) return text === first;
    if (!text.startsWith(first!)) return false;
    const last = rest.pop()!;
    let at = first!.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  }
}
