// One function for every request of the page. Numbers of items stay text: DynamoDB JSON has them as text, and nothing
// here turns them into a JavaScript number.

import { askingForAccess, credentials, readOnly, region } from './access';
import { asFault, Fault, faultOfAnswer, faultOfConnection, faultOfPage, isAbort } from './faults';
import { note } from './session';
import { amzDate, authorization, canSign, unsigned } from './sign';
import { features } from './features';
import { setup, token } from './setup';

export interface CallOptions {
  /** An operation of Hashrange's own, `Hashrange_2026.X`. Such calls are unrecorded unless said otherwise. */
  own?: boolean;
  /** A call of the page itself, such as a description or a poll: the ledger does not see it, no unit is counted. */
  unrecorded?: boolean;
  signal?: AbortSignal;
}

/** What a request took, by the server's header. */
export interface Took {
  readUnits: number;
  writeUnits: number;
  examined: number;
  returned: number;
  nanodollars?: number;
  /** From sending to the whole answer, in this browser. */
  ms: number;
  bytes: number;
  requestId?: string;
}

export interface Answered<T> {
  body: T;
  took: Took;
}

const writes = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
  'CreateTable',
  'UpdateTable',
  'DeleteTable',
  'UpdateTimeToLive',
  'LoadSample',
  'PutKeyTemplate',
  'DeleteKeyTemplate',
  'UndoKeyTemplate',
  'KeepKeyTemplate',
  'TagResource',
  'UntagResource',
  'UpdateContinuousBackups',
  'Reset',
  'Restore',
  'Save',
]);

const statements = new Set(['ExecuteStatement', 'BatchExecuteStatement', 'ExecuteTransaction']);

/** Whether a request may change something; a statement does unless it reads. */
export function mayWrite(operation: string, body: unknown): boolean {
  if (writes.has(operation)) return true;
  if (!statements.has(operation)) return false;
  const read = body as { Statement?: string; Statements?: { Statement?: string }[]; TransactStatements?: { Statement?: string }[] };
  const all = [read, ...(read.Statements ?? []), ...(read.TransactStatements ?? [])];
  return all.some((one) => one.Statement !== undefined && !/^\s*(select|explain(?!\s+analyze)|exists)\b/i.test(one.Statement));
}

async function headersOf(operation: string, body: string, options: CallOptions): Promise<Record<string, string>> {
  const date = amzDate(new Date());
  const signed: Record<string, string> = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-date': date,
    'x-amz-target': `${options.own ? 'Hashrange_2026' : 'DynamoDB_20120810'}.${operation}`,
  };
  const keys = credentials.value;
  const scope = { region: region.value, service: 'dynamodb', date };
  if (keys?.sessionToken) signed['x-amz-security-token'] = keys.sessionToken;
  const rest: Record<string, string> = { 'x-hashrange-cost': '1' };
  if (options.unrecorded ?? options.own ?? false) rest['x-hashrange-unrecorded'] = '1';
  if (token !== null) rest['x-hashrange-token'] = token;
  if (setup.Signs) return { ...signed, ...rest };
  if (!setup.NeedsKeys) {
    return { ...signed, ...rest, authorization: unsigned(keys?.accessKeyId || 'console', scope) };
  }
  if (keys === null) throw faultOfPage('credentialsMissing', 'This server asks for credentials.');
  const request = { method: 'POST', path: '/', host: location.host, headers: signed, body };
  return { ...signed, ...rest, authorization: await authorization(request, keys, scope) };
}

const figure = (words: string, name: string): number => {
  const found = new RegExp(`(?:^|[ ,])${name}=([0-9.eE+-]+)`).exec(words);
  return found ? Number(found[1]) : 0;
};

function readTook(answer: Response, ms: number, bytes: number): Took {
  const words = answer.headers.get('x-hashrange-cost') ?? '';
  return {
    readUnits: figure(words, 'read'),
    writeUnits: figure(words, 'write'),
    examined: figure(words, 'examined'),
    returned: figure(words, 'returned'),
    nanodollars: words.includes('nanodollars=') ? figure(words, 'nanodollars') : undefined,
    ms,
    bytes,
    requestId: answer.headers.get('x-amzn-requestid') ?? undefined,
  };
}

interface Consumed {
  CapacityUnits?: number;
}

/** Sums ConsumedCapacity, for servers without the header of costs. */
function unitsOf(body: unknown): number {
  const found = (body as { ConsumedCapacity?: Consumed | Consumed[] } | null)?.ConsumedCapacity;
  if (found === undefined) return 0;
  const all = Array.isArray(found) ? found : [found];
  return all.reduce((sum, one) => sum + (one.CapacityUnits ?? 0), 0);
}

function completed(took: Took, operation: string, body: unknown, read: unknown): Took {
  if (took.readUnits > 0 || took.writeUnits > 0) return took;
  const units = unitsOf(read);
  const page = read as { ScannedCount?: number; Count?: number } | null;
  const counted = { ...took, examined: took.examined || (page?.ScannedCount ?? 0), returned: took.returned || (page?.Count ?? 0) };
  return mayWrite(operation, body) ? { ...counted, writeUnits: units } : { ...counted, readUnits: units };
}

/** Statuses of what stands before a server, which tell nothing of its operations. */
const ofGateways = new Set([502, 503, 504]);

function parsed(text: string, status: number, operation: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    const started = text.slice(0, 200);
    throw new Fault({
      kind: 'server',
      type: `HTTP ${status}`,
      status,
      sentence: `${operation} was not answered by a database: ${started}`,
    });
  }
}

async function exchange(operation: string, body: unknown, options: CallOptions): Promise<Answered<unknown>> {
  if (readOnly.value && mayWrite(operation, body)) {
    throw faultOfPage('readOnlyPage', `${operation} would write, and this page is in read-only mode.`);
  }
  if (setup.NeedsKeys && !setup.Signs && !canSign()) {
    throw faultOfPage(
      'credentialsMissing',
      'Browsers sign only on https and on localhost: open this page through `hashrange console --endpoint URL`.',
    );
  }
  const text = JSON.stringify(body);
  const headers = await headersOf(operation, text, options);
  const began = performance.now();
  let answer: Response;
  let said: string;
  try {
    answer = await fetch('/', {
      method: 'POST',
      headers,
      body: text,
      signal: options.signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
    said = await answer.text();
  } catch (error) {
    if (isAbort(error)) throw error;
    throw faultOfConnection();
  }
  const took = readTook(answer, performance.now() - began, said.length);
  // Other implementations answer targets that they do not know in their own ways.
  const isPage = !said.trimStart().startsWith('{') && !ofGateways.has(answer.status) && !features.hasAny();
  const isUnknown = options.own === true && (answer.status === 404 || answer.status === 405 || answer.status === 501 || isPage);
  if (isUnknown) throw faultOfAnswer(answer.status, { __type: 'UnknownOperationException' }, operation);
  const read = parsed(said, answer.status, operation);
  if (!answer.ok) throw faultOfAnswer(answer.status, read, operation);
  return { body: read, took: completed(took, operation, body, read) };
}

/** Sends a request, and returns its answer with what it took. */
export async function callAndMeter<T = Record<string, unknown>>(
  operation: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Answered<T>> {
  try {
    const answered = await exchange(operation, body, options);
    if (options.own) features.found(operation);
    note({ operation, took: answered.took, unrecorded: options.unrecorded ?? options.own ?? false });
    return answered as Answered<T>;
  } catch (error) {
    if (isAbort(error)) throw error;
    const fault = asFault(error);
    if (options.own && fault.kind === 'unknownOperation') features.missed(operation);
    if (fault.kind === 'credentialsMissing' || fault.kind === 'credentialsExpired') askingForAccess.value = canSign();
    note({ operation, fault, unrecorded: options.unrecorded ?? options.own ?? false });
    throw fault;
  }
}

/** Sends a request, and returns its answer. Throws a `Fault`, or an AbortError where `signal` ended it. */
export async function call<T = Record<string, unknown>>(operation: string, body: unknown, options: CallOptions = {}): Promise<T> {
  return (await callAndMeter<T>(operation, body, options)).body;
}
