// An attribute value to look at: as text, never as markup; signs that cannot be seen have a form that can.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type BinaryForm } from '../data/binary';
import { momentOfNumber, momentOfText, momentWords } from '../data/times';
import { counted } from '../data/sizes';
import { type AttributeValue, brief, type TypeName, typeOf, typeWords } from '../data/values';
import { kept } from '../base/storage';

/** How binary values are shown on all screens. */
export const binaryForm = kept<BinaryForm>('binary', 'base64', (read) => read === 'base64' || read === 'hex' || read === 'text');

/** Whether each cell shows its type. */
export const showsTypes = signal(false);

// Signs without a picture, and marks beyond six on one letter.
const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|(?<=\p{M}{6})\p{M}+/u;
const hiddenAll = new RegExp(hidden.source, 'gu');

const nameOf = (sign: string): string => {
  const code = sign.charCodeAt(0);
  if (/\p{M}/u.test(sign)) return `⟨${counted(sign.length, 'mark')}⟩`;
  if (sign === '\n') return '↵';
  if (sign === '\t') return '⇥';
  return `⟨${code
    .toString(16)
    .toUpperCase()
    .padStart(code < 256 ? 2 : 4, '0')}⟩`;
};

/** Returns text with a form for each sign that cannot be seen; `keeps` leaves line ends and tabs as they are. */
export function visible(text: string, keeps = false): ComponentChildren {
  if (!hidden.test(text)) return text;
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const found of text.matchAll(hiddenAll)) {
    if (keeps && (found[0] === '\n' || found[0] === '\t')) continue;
    if (parts.length > 400) break;
    parts.push(text.slice(from, found.index), <span class="sign">{nameOf(found[0])}</span>);
    from = found.index + found[0].length;
  }
  return [...parts, text.slice(from)];
}

export function TypeTag({ type }: { type: TypeName }) {
  return (
    <abbr class="type" title={typeWords[type]}>
      {type}
    </abbr>
  );
}

export const momentOf = (value: AttributeValue, name: string, isTtl = false): number | null => {
  if ('N' in value) return momentOfNumber(value.N, name, isTtl);
  return 'S' in value ? momentOfText(value.S) : null;
};

/** A value in one line. */
export function ValueCell({
  value,
  name,
  isTtl,
  usual,
}: {
  value: AttributeValue | undefined;
  name: string;
  isTtl?: boolean;
  usual?: TypeName;
}) {
  if (value === undefined) return null;
  const type = typeOf(value);
  const isTagged = showsTypes.value || (usual !== undefined && type !== usual) || (type !== 'S' && type !== 'N' && type !== usual);
  const moment = 'N' in value ? momentOf(value, name, isTtl) : null;
  const isEmpty = 'S' in value && value.S === '';
  return (
    <>
      {isTagged && <TypeTag type={type} />}
      <bdi class={`value${isEmpty || type === 'NULL' ? ' nothing' : ''}`}>
        {isEmpty ? 'empty text' : visible(brief(value, 240, binaryForm.value))}
      </bdi>
      {moment !== null && <span class="value-time">{momentWords(moment)}</span>}
    </>
  );
}
