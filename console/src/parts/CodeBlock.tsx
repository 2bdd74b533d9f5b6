// Code to read and to copy.

import { useState } from 'preact/hooks';
import { Button } from './Button';
import { say } from './Toast';

/** Copies text; where a browser refuses, says so. */
export async function copyText(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(what);
  } catch {
    say('The browser does not let this page copy: select the text and copy it by keyboard.', 'fault');
  }
}

export function CodeBlock({ text, label }: { text: string; label: string }) {
  const [isCopied, set] = useState(false);
  const copy = (): void => {
    void copyText(text).then(() => set(true));
    setTimeout(() => set(false), 2000);
  };
  return (
    <div class="code-block">
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <Button kind="quiet" icon={isCopied ? 'check' : 'copy'} label={`Copy: ${label}`} onClick={copy} />
    </div>
  );
}
