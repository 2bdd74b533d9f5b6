// Faults of requests as values: what happened, in the service's sentence, and the likely mistake in ours.

export type FaultKind =
  | 'connection'
  | 'clock'
  | 'credentialsExpired'
  | 'credentialsMissing'
  | 'credentialsWrong'
  | 'forbidden'
  | 'refusesWrites'
  | 'readOnlyPage'
  | 'throttled'
  | 'unknownOperation'
  | 'condition'
  | 'notFound'
  | 'inUse'
  | 'validation'
  | 'server'
  | 'other';

export interface FaultDetails {
  kind: FaultKind;
  /** The exception's name, such as ValidationException. */
  type: string;
  /** What the server says, or what the page says where no server answered. */
  sentence: string;
  /** The likely mistake, or what to do next. */
  advice?: string;
  status?: number;
  /** The rest of the answer: Item, CancellationReasons. */
  body?: Record<string, unknown>;
}

/** A request that failed. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly type: string;
  readonly advice: string | undefined;
  readonly status: number | undefined;
  readonly body: Record<string, unknown>;

  constructor(details: FaultDetails) {
    super(details.sentence);
    this.name = details.type;
    this.kind = details.kind;
    this.type = details.type;
    this.advice = details.advice;
    this.status = details.status;
    this.body = details.body ?? {};
  }
}

const byType: Record<string, FaultKind> = {
  UnknownOperationException: 'unknownOperation',
  ExpiredTokenException: 'credentialsExpired',
  MissingAuthenticationTokenException: 'credentialsMissing',
  IncompleteSignatureException: 'credentialsWrong',
  UnrecognizedClientException: 'credentialsWrong',
  AccessDeniedException: 'forbidden',
  ProvisionedThroughputExceededException: 'throttled',
  ThrottlingException: 'throttled',
  RequestLimitExceeded: 'throttled',
  ConditionalCheckFailedException: 'condition',
  ResourceNotFoundException: 'notFound',
  TableNotFoundException: 'notFound',
  ResourceInUseException: 'inUse',
  ValidationException: 'validation',
  InternalServerError: 'server',
  ServiceUnavailable: 'server',
};

const advice: Partial<Record<FaultKind, string>> = {
  connection: 'Look whether the server is still running and the network is there. What you typed is still here.',
  clock: "This computer's clock differs from the server's by more than five minutes. Set it, then try again.",
  credentialsExpired: 'The session token is past its time. Get new credentials and type them in under Access.',
  credentialsMissing: 'This server asks for credentials. Type them in under Access; they stay in the memory of this page.',
  credentialsWrong: 'The server does not accept these credentials. Look at the key, the secret and the region under Access.',
  forbidden: 'These credentials may not do this. Use others under Access, or have it allowed.',
  refusesWrites: 'The server answers reads only. Its log says why.',
  readOnlyPage: 'Read-only mode is on. Turn it off in the top line to write.',
  throttled: 'More was asked than the throughput allows. Wait a moment and try again.',
  unknownOperation: 'This endpoint does not have the operation.',
};

function kindOf(type: string, message: string, status: number): FaultKind {
  if (type === 'InvalidSignatureException') {
    return /expired|not yet current|later than|earlier than/i.test(message) ? 'clock' : 'credentialsWrong';
  }
  if (/read.only|no writes|refuses writes|takes no writes|does not accept writes/i.test(message) && status >= 500) return 'refusesWrites';
  return byType[type] ?? (status >= 500 ? 'server' : 'other');
}

/** Returns the fault that an answer of the server describes. */
export function faultOfAnswer(status: number, answer: unknown, operation: string): Fault {
  const body = typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  const full = typeof body['__type'] === 'string' ? body['__type'] : '';
  const type = full.slice(full.lastIndexOf('#') + 1) || `HTTP ${status}`;
  const said = body['message'] ?? body['Message'];
  const message = typeof said === 'string' ? said : '';
  const kind = kindOf(type, message, status);
  const sentence = message || (kind === 'unknownOperation' ? `${operation} is not there: ${type}` : type);
  return new Fault({ kind, type, sentence, advice: advice[kind], status, body });
}

/** Returns the fault of a request that got no answer. */
export const faultOfConnection = (): Fault =>
  new Fault({ kind: 'connection', type: 'No answer', sentence: 'The server did not answer.', advice: advice.connection });

export const faultOfPage = (kind: FaultKind, sentence: string): Fault =>
  new Fault({ kind, type: 'This page', sentence, advice: advice[kind] });

export const asFault = (error: unknown): Fault =>
  error instanceof Fault
    ? error
    : new Fault({ kind: 'other', type: 'This page', sentence: error instanceof Error ? error.message : String(error) });

/** Whether the user or the page itself ended the request. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
