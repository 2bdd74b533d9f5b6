// A request as code that runs as it is printed.

import { javascript } from './javascript';
import { python } from './python';
import { rust } from './rust';
import { awsCli, hashrangeCli } from './shell';

export interface CodeTarget {
  endpoint: string;
  region: string;
  /** An access key id that is as good as any, or null where real credentials are taken from the environment. */
  accessKeyId: string | null;
}

export interface CodeRequest {
  operation: string;
  request: Record<string, unknown>;
}

export type Language = 'python' | 'javascript' | 'rust' | 'aws' | 'hashrange';

export const languages: { id: Language; title: string }[] = [
  { id: 'python', title: 'Python' },
  { id: 'javascript', title: 'JavaScript' },
  { id: 'rust', title: 'Rust' },
  { id: 'aws', title: 'AWS CLI' },
  { id: 'hashrange', title: 'hashrange' },
];

const writers: Record<Language, (asked: CodeRequest, target: CodeTarget) => string> = {
  python,
  javascript,
  rust,
  aws: awsCli,
  hashrange: hashrangeCli,
};

export function codeOf(language: Language, asked: CodeRequest, target: CodeTarget): string {
  const { ReturnConsumedCapacity: _told, ...request } = asked.request;
  return writers[language]({ operation: asked.operation, request }, target);
}

/** Whether a read goes on page by page: one with a limit or a start is a page of its own. */
export const readsOn = ({ operation, request }: CodeRequest): boolean =>
  (operation === 'Query' || operation === 'Scan') && request['Limit'] === undefined && request['ExclusiveStartKey'] === undefined;

export const countsOnly = ({ request }: CodeRequest): boolean => request['Select'] === 'COUNT';

/** QueryItems -> query_items */
export const snake = (name: string): string => name.replace(/(?<=[a-z0-9])([A-Z])/g, '_$1').toLowerCase();

export const kebab = (name: string): string => snake(name).replace(/_/g, '-');
