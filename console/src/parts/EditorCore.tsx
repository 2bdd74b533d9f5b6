// The editor, loaded when it is first used: CodeMirror with our colours.

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { SQLDialect, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';
import { nonce } from '../base/setup';
import type { EditorProps } from './Editor';

const partiql = SQLDialect.define({
  keywords:
    'select insert update delete from where value values into set remove returning all old new modified and or not between in is missing null order by asc desc exists explain analyze as limit',
  builtin: 'begins_with contains size attribute_type list_append set_add set_delete',
  types: '',
  operatorChars: '<>=+-*/',
  doubleQuotedStrings: false,
  identifierQuotes: '"',
  caseInsensitiveIdentifiers: false,
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: 'var(--accent)' },
  { tag: [tags.string], color: 'var(--type-s)' },
  { tag: [tags.number], color: 'var(--type-other)' },
  { tag: [tags.propertyName, tags.special(tags.string)], color: 'var(--text)' },
  { tag: [tags.comment], color: 'var(--muted)', fontStyle: 'italic' },
]);

const look = EditorView.theme({
  '&': { backgroundColor: 'var(--page)', color: 'var(--text)', fontSize: 'var(--size)', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 10px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': { backgroundColor: 'var(--chosen) !important' },
  '.cm-matchingBracket': { backgroundColor: 'var(--chosen) !important', outline: '1px solid var(--line-strong)' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--chosen)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', fontFamily: 'var(--sans)', marginLeft: '12px' },
  '.cm-completionIcon': { display: 'none' },
});

/** How many texts that were typed may be on their way back. */
const mostSent = 40;

/** Returns the name that is being typed, with its double quote if it has one. */
function wordBefore(line: string): string {
  const isQuoted = line.split('"').length % 2 === 0;
  return isQuoted ? line.slice(line.lastIndexOf('"')) : (/[\w$-]*$/.exec(line)?.[0] ?? '');
}

function completer(complete: NonNullable<EditorProps['complete']>) {
  return (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos);
    const word = wordBefore(line.text.slice(0, context.pos - line.from));
    if (word === '' && !context.explicit) return null;
    const before = context.state.sliceDoc(0, context.pos - word.length);
    return { from: context.pos - word.length, options: complete(before, context.state.doc.toString()), filter: true };
  };
}

export function EditorCore(props: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const newest = useRef(props);
  // What was typed comes back as a value a little later, when more may have been typed: only a value that did not come
  // from here replaces the text.
  const sent = useRef<string[]>([props.value]);
  newest.current = props;
  useEffect(() => {
    const run = (): boolean => {
      newest.current.run?.();
      return newest.current.run !== undefined;
    };
    const made = new EditorView({
      parent: place.current as HTMLElement,
      state: EditorState.create({
        doc: props.value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
          history(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({
            override: props.complete ? [completer((before, text) => newest.current.complete?.(before, text) ?? [])] : undefined,
            icons: false,
          }),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          props.language === 'json' ? json() : sql({ dialect: partiql, upperCaseKeywords: true }),
          syntaxHighlighting(colours),
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': props.label, tabindex: '0' }),
          props.placeholder ? placeholder(props.placeholder) : [],
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const text = update.state.doc.toString();
            sent.current = [...sent.current.slice(-mostSent), text];
            newest.current.set(text);
          }),
        ],
      }),
    });
    view.current = made;
    if (props.isFirst) made.focus();
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const made = view.current;
    const nth = sent.current.indexOf(props.value);
    sent.current = nth < 0 ? [props.value] : sent.current.slice(nth);
    if (made && nth < 0) made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: props.value } });
  }, [props.value]);
  return <div class="editor-place" ref={place} />;
}
