/** How a server is started. */
export interface StartOptions {
  /** Port to listen on; a free one if there is none. */
  port?: number;
  /** Further arguments of `hashrange serve`. The data are in memory unless they name a `--data-dir`. */
  args?: string[];
  /** The URL of a database on PostgreSQL that is to hold the data; it does not show among the arguments. */
  store?: string;
  /** The program to start, instead of the one in the package of this platform. */
  program?: string;
}

/** What a client of the AWS SDK is made with: `new DynamoDBClient(config)`. */
export interface ClientConfig {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/** A server that runs. It ends with the process that started it. */
export interface Server extends AsyncDisposable {
  /** Where it listens, such as `http://127.0.0.1:40123`. */
  readonly endpoint: string;
  readonly port: number;
  /** What a client of the AWS SDK is made with to talk to it. */
  readonly config: ClientConfig;
  /** Variables with which every AWS SDK, and the AWS CLI, finds it by itself. */
  readonly environment: Record<string, string>;
  /** Makes it as it was when it had started; one with data on disk loses all tables. */
  reset(): Promise<void>;
  /** Returns the last lines of its log, the newest at the end. */
  log(): string[];
  /** Ends it; does nothing if it has ended. */
  stop(): Promise<void>;
}

/** Starts a server and resolves when it answers: some milliseconds. */
export function start(options?: StartOptions): Promise<Server>;
/** Makes the server at an endpoint as it was when it had started. */
export function reset(endpoint: string): Promise<void>;
/** Returns the path of this platform's program. */
export function findProgram(): string;
/** Returns what a client of the AWS SDK is made with to talk to the server at an endpoint. */
export function configOf(endpoint: string): ClientConfig;
/** Returns the variables with which every AWS SDK finds the server at an endpoint by itself. */
export function environmentOf(endpoint: string): Record<string, string>;
