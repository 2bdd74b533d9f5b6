// The line at the top: which endpoint, which namespace, how it looks.

import { askingForAccess, credentials, readOnly } from '../base/access';
import { link } from '../base/address';
import { keyWords } from '../base/keyboard';
import { isLost } from '../base/session';
import { endpoint, setup } from '../base/setup';
import { refreshTables } from '../base/tables';
import { theme, type Theme } from '../base/theme';
import { Button } from '../parts/Button';
import { Icon } from '../parts/Icon';
import { isPaletteOpen, isSideOpen } from './state';

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const words: Record<Theme, string> = { system: 'Colours: by the system', light: 'Colours: light', dark: 'Colours: dark' };
const icons = { system: 'system', light: 'sun', dark: 'moon' } as const;

function who(): string {
  if (credentials.value) return credentials.value.accessKeyId;
  if (setup.Signs) return 'signed by the server';
  return setup.NeedsKeys ? 'no credentials' : 'any credentials';
}

export function Top() {
  return (
    <header class="top">
      <Button
        kind="quiet"
        icon="menu"
        label="Tables and screens"
        class="side-button"
        expanded={isSideOpen.value}
        onClick={() => (isSideOpen.value = !isSideOpen.value)}
      />
      <a class="brand" href={link('start')} aria-label="Hashrange, start">
        <svg viewBox="0 0 28 16" width="28" height="16" aria-hidden="true">
          <path d="M1 8h26M1 4v8M27 4v8" />
          <path class="brand-range" d="M9 8h9M9 4.5v7M18 4.5v7" />
        </svg>
        <span>Hashrange</span>
      </a>
      <span class="endpoint mono" title={`Endpoint ${endpoint}`}>
        {endpoint.replace(/^https?:\/\//, '')}
      </span>
      {isLost.value && (
        <button type="button" class="lost" onClick={() => void refreshTables()}>
          <Icon name="warn" /> no connection: try again
        </button>
      )}
      <span class="space" />
      <button
        type="button"
        class="find"
        onClick={() => (isPaletteOpen.value = true)}
        title="Find tables, keys and actions"
        aria-label={`Find ${keyWords('mod+k')}: tables, keys and actions`}
      >
        <Icon name="query" /> <span>Find</span> <kbd>{keyWords('mod+k')}</kbd>
      </button>
      <Button
        kind="quiet"
        icon="key"
        title={setup.Namespaces ? 'Access and namespace' : 'Access'}
        class="access"
        onClick={() => (askingForAccess.value = true)}
      >
        <span class="access-words">
          {setup.Namespaces ? 'namespace ' : ''}
          {who()}
        </span>
      </Button>
      <Button
        kind="quiet"
        icon={readOnly.value ? 'lock' : 'unlock'}
        label={readOnly.value ? 'Read-only mode is on: let this page write' : 'Read-only mode is off: keep this page from writing'}
        pressed={readOnly.value}
        onClick={() => (readOnly.value = !readOnly.value)}
      />
      <Button kind="quiet" icon={icons[theme.value]} label={words[theme.value]} onClick={() => (theme.value = next[theme.value])} />
    </header>
  );
}
