// A fault in the server's sentence, with the likely mistake, and what to do.

import type { ComponentChildren } from 'preact';
import { askingForAccess } from '../base/access';
import type { Fault } from '../base/faults';
import { Button } from './Button';
import { Icon } from './Icon';

export function ErrorBox({ fault, retry, children }: { fault: Fault; retry?: () => void; children?: ComponentChildren }) {
  const isOfAccess =
    fault.kind === 'credentialsMissing' ||
    fault.kind === 'credentialsExpired' ||
    fault.kind === 'credentialsWrong' ||
    fault.kind === 'forbidden';
  return (
    <div class="error-box" role="alert">
      <Icon name="warn" />
      <div>
        <p class="sentence">{fault.message}</p>
        {fault.type !== 'This page' && fault.type !== 'No answer' && <p class="kind">{fault.type}</p>}
        {fault.advice && <p>{fault.advice}</p>}
        {children}
        {(retry || isOfAccess) && (
          <p class="row">
            {retry && (
              <Button icon="reload" onClick={retry}>
                Try again
              </Button>
            )}
            {isOfAccess && (
              <Button icon="key" onClick={() => (askingForAccess.value = true)}>
                Access
              </Button>
            )}
          </p>
        )}
      </div>
    </div>
  );
}
