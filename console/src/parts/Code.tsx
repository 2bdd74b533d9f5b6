// A request as code of a language that is chosen once for all screens.

import { credentials, region } from '../base/access';
import { endpoint, setup } from '../base/setup';
import { kept } from '../base/storage';
import { codeOf, type CodeTarget, type Language, languages } from '../data/code/code';
import { CodeBlock } from './CodeBlock';
import { Dialog } from './Dialog';
import { Tabs } from './Tabs';

const language = kept<Language>('language', 'python', (read) => languages.some((one) => one.id === read));

/** Where code sends its requests, and as whom. */
export const codeTarget = (): CodeTarget => ({
  endpoint,
  region: region.value,
  accessKeyId: setup.NeedsKeys || setup.Signs ? null : (credentials.value?.accessKeyId ?? 'any'),
});

export function Code({ operation, request }: { operation: string; request: Record<string, unknown> }) {
  const text = codeOf(language.value, { operation, request }, codeTarget());
  const title = languages.find((one) => one.id === language.value)?.title ?? '';
  return (
    <div class="code">
      <Tabs
        label="Language"
        tabs={languages.map((one) => ({ id: one.id, title: one.title }))}
        chosen={language.value}
        choose={(id) => (language.value = id as Language)}
      >
        <CodeBlock text={text} label={`${operation} in ${title}`} />
      </Tabs>
    </div>
  );
}

export function CodeDialog({ operation, request, close }: { operation: string; request: Record<string, unknown>; close: () => void }) {
  return (
    <Dialog title={`${operation} as code`} close={close} size="wide">
      <Code operation={operation} request={request} />
    </Dialog>
  );
}
