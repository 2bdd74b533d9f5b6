// A dialog: the browser keeps the focus inside it, Escape closes it, and the focus goes back to where it was.

import type { ComponentChildren } from 'preact';
import { useDialogFocus } from './focus';
import { Button } from './Button';
import { useId } from './ids';

export interface DialogProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
  /** Buttons at the foot, the main one last. */
  foot?: ComponentChildren;
  size?: 'small' | 'usual' | 'wide';
  /** Called for Enter in a field. */
  submit?: () => void;
  /** A dialog that works on something is closed by its own button only. */
  isBusy?: boolean;
}

export function Dialog({ title, close, children, foot, size = 'usual', submit, isBusy }: DialogProps) {
  const dialog = useDialogFocus();
  const id = useId('dialog');
  const cancel = (event: Event): void => {
    event.preventDefault();
    if (!isBusy) close();
  };
  return (
    <dialog ref={dialog} class={`dialog ${size}`} aria-labelledby={id} aria-modal="true" onCancel={cancel}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          submit?.();
        }}
      >
        <header>
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" icon="close" label="Close" onClick={close} disabled={isBusy} />
        </header>
        <div class="dialog-body">{children}</div>
        {foot && <footer>{foot}</footer>}
      </form>
    </dialog>
  );
}
