// The shell: tables and screens at the left, the endpoint at the top, what was used at the foot.

import { useEffect, useRef } from 'preact/hooks';
import { askingForAccess } from '../base/access';
import { address, go, link } from '../base/address';
import { useShortcuts } from '../base/keyboard';
import { setup } from '../base/setup';
import { EmptyState } from '../parts/EmptyState';
import { Toasts } from '../parts/Toast';
import { AccessDialog } from './AccessDialog';
import { Foot } from './Foot';
import { KeysDialog } from './KeysDialog';
import { Palette } from './Palette';
import { screens } from './screens';
import { Side } from './Side';
import { areKeysOpen, isPaletteOpen, isSideOpen } from './state';
import { Top } from './Top';

function Shown() {
  const now = address.value;
  const entry = screens.find((one) => one.id === now.screen);
  useEffect(() => {
    const of = now.path[0] && entry?.isOfTable ? `${now.path[0]} · ` : '';
    document.title = `${of}${entry?.title ?? 'Not found'} · Hashrange`;
    isSideOpen.value = false;
  }, [now, entry]);
  if (entry === undefined) {
    return (
      <EmptyState title="There is no such screen">
        <p>
          The address names <code>{now.screen}</code>. <a href={link('start')}>Go to the start</a>.
        </p>
      </EmptyState>
    );
  }
  const { Screen } = entry;
  return <Screen address={now} />;
}

function useGlobalShortcuts(): void {
  const to = (screen: string) => () => {
    const table = address.peek().path[0];
    const isOfTable =
      screens.find((one) => one.id === screen)?.isOfTable && screens.find((one) => one.id === address.peek().screen)?.isOfTable;
    go(link(screen, isOfTable && table ? [table] : []));
  };
  useShortcuts([
    {
      keys: 'mod+k',
      words: 'Find tables, keys and actions',
      run: () => (isPaletteOpen.value = !isPaletteOpen.value),
      whileTyping: true,
      inDialogs: true,
    },
    { keys: '?', words: 'Show these keys', run: () => (areKeysOpen.value = true) },
    ...screens.map((screen, nth) => ({ keys: `alt+${nth + 1}`, words: `Go to ${screen.title}`, run: to(screen.id), whileTyping: true })),
  ]);
}

export function App() {
  useGlobalShortcuts();
  const main = useRef<HTMLElement>(null);
  return (
    <div class={`shell ${isSideOpen.value ? 'side-open' : ''}`}>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Go to the content
      </a>
      {setup.Banner && (
        <p class="banner" role="note">
          {setup.Banner}
        </p>
      )}
      <Top />
      <Side />
      <main id="main" tabIndex={-1} ref={main}>
        <Shown />
      </main>
      <Foot />
      {isPaletteOpen.value && <Palette close={() => (isPaletteOpen.value = false)} />}
      {areKeysOpen.value && <KeysDialog close={() => (areKeysOpen.value = false)} />}
      {askingForAccess.value && <AccessDialog close={() => (askingForAccess.value = false)} />}
      <Toasts />
    </div>
  );
}
