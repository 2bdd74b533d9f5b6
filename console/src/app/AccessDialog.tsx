// Credentials that are typed in. They live in the memory of this page and go with it.

import { useState } from 'preact/hooks';
import { credentials, readOnly, region } from '../base/access';
import { endpoint, setup } from '../base/setup';
import { canSign } from '../base/sign';
import { refreshTables } from '../base/tables';
import { Button } from '../parts/Button';
import { Dialog } from '../parts/Dialog';
import { CheckField, TextField } from '../parts/Field';
import { LeftOut } from '../parts/EmptyState';

function words(): string {
  if (setup.Signs) return 'The server of this page signs every request by itself; the secrets do not reach the page.';
  if (setup.NeedsKeys)
    return 'This server accepts signed requests only. What you type stays in the memory of this page and is gone when it is closed.';
  if (setup.Namespaces) return 'Each access key id is a namespace with tables of its own. No secret is needed.';
  return 'This server accepts any credentials. An access key id tells your requests from those of others.';
}

export function AccessDialog({ close }: { close: () => void }) {
  const now = credentials.peek();
  const [id, setId] = useState(now?.accessKeyId ?? '');
  const [secret, setSecret] = useState(now?.secretAccessKey ?? '');
  const [session, setSession] = useState(now?.sessionToken ?? '');
  const [place, setPlace] = useState(region.peek());
  const use = (): void => {
    const typed = id.trim();
    credentials.value =
      typed === '' ? null : { accessKeyId: typed, secretAccessKey: secret.trim(), sessionToken: session.trim() || undefined };
    region.value = place.trim() || setup.Region;
    close();
    void refreshTables();
  };
  const cannot = setup.NeedsKeys && !canSign();
  return (
    <Dialog
      title={setup.Namespaces ? 'Access and namespace' : 'Access'}
      size="small"
      close={close}
      submit={use}
      foot={!setup.Signs && <Foot close={close} isDisabled={cannot} />}
    >
      <p>{words()}</p>
      <p class="hint">
        Endpoint <code>{endpoint}</code>. For another one, start <code>hashrange console --endpoint URL</code>.
      </p>
      {cannot && <LeftOut>Browsers sign on https and on localhost only. Use <code>hashrange console --endpoint {endpoint}</code>, which signs for this page.</LeftOut>}
      {!setup.Signs && (
        <>
          <TextField
            label={setup.Namespaces ? 'Namespace (access key id)' : 'Access key id'}
            value={id}
            set={setId}
            isMono
            isFirst
            onEnter={use}
          />
          {setup.NeedsKeys && (
            <>
              <TextField label="Secret access key" type="password" value={secret} set={setSecret} isMono onEnter={use} />
              <TextField
                label="Session token"
                type="password"
                value={session}
                set={setSession}
                isMono
                hint="Only for temporary credentials"
                onEnter={use}
              />
              <TextField label="Region" value={place} set={setPlace} isMono onEnter={use} />
            </>
          )}
        </>
      )}
      <CheckField
        label="Read-only mode"
        hint="This page refuses to send writes. It does not change what others may do."
        value={readOnly.value}
        set={(on) => (readOnly.value = on)}
      />
    </Dialog>
  );
}

function Foot({ close, isDisabled }: { close: () => void; isDisabled: boolean }) {
  return (
    <>
      <Button onClick={close}>Cancel</Button>
      <Button kind="main" type="submit" disabled={isDisabled}>
        Use
      </Button>
    </>
  );
}
