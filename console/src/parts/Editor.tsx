// A place for code: the editor loads when it is first used, and until then a plain field takes what is typed.

import { useEffect, useState } from 'preact/hooks';
import type { ComponentType } from 'preact';

export interface Completion {
  label: string;
  detail?: string;
  apply?: string;
  boost?: number;
}

export interface EditorProps {
  label: string;
  value: string;
  set: (value: string) => void;
  language: 'json' | 'partiql';
  /** Called for Ctrl Enter. */
  run?: () => void;
  complete?: (before: string, text: string) => Completion[];
  placeholder?: string;
  isFirst?: boolean;
}

let loaded: ComponentType<EditorProps> | null = null;

export function Editor(props: EditorProps) {
  const [Core, set] = useState<ComponentType<EditorProps> | null>(() => loaded);
  useEffect(() => {
    if (loaded !== null) return;
    import('./EditorCore').then(
      (part) => {
        loaded = part.EditorCore;
        set(() => part.EditorCore);
      },
      () => undefined,
    );
  }, []);
  return (
    <div class="editor">
      {Core ? (
        <Core {...props} />
      ) : (
        <textarea
          class="mono"
          aria-label={props.label}
          value={props.value}
          placeholder={props.placeholder}
          spellcheck={false}
          onInput={(event) => props.set(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) props.run?.();
          }}
        />
      )}
    </div>
  );
}
