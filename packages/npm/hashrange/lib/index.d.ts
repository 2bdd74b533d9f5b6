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

/** What a server's clock shows. */
export interface Clock {
  now: Date;
  /** Whether it stands. */
  stopped: boolean;
}

/** How a clock is set: `now` or `advance`, and whether it stands. */
export interface ClockSetting {
  /** A Date, a text such as `2030-01-31T08:00:00Z`, seconds since 1970, or `system`. */
  now?: Date | string | number;
  /** How far it is moved: a text such as `25h`, or milliseconds. */
  advance?: string | number;
  stopped?: boolean;
}

/** The state of a server and its clock. Saves are for data in memory. */
export interface State {
  /** Makes it as it was when it had started; `empty` deletes the tables of `--init`, too. One with data on disk loses all tables. */
  reset(options?: { empty?: boolean }): Promise<void>;
  /** Names the whole state as it is now: tables, items, streams, the clock. */
  save(name?: string): Promise<void>;
  /** Goes back to a state that was saved, as often as you like. */
  restore(name?: string): Promise<void>;
  /** Resolves to the names of the states that were saved. */
  saves(): Promise<string[]>;
  /** Forgets a state that was saved. */
  deleteSave(name?: string): Promise<void>;
  /** Resolves to what the clock shows. */
  clock(): Promise<Clock>;
  /** Sets the clock, or moves it; resolves when all that is due by then is done. */
  setClock(setting: ClockSetting): Promise<Clock>;
}

/** A server that runs. It ends with the process that started it. */
export interface Server extends State, AsyncDisposable {
  /** Where it listens, such as `http://127.0.0.1:40123`. */
  readonly endpoint: string;
  readonly port: number;
  /** What a client of the AWS SDK is made with to talk to it. */
  readonly config: ClientConfig;
  /** Variables with which every AWS SDK, and the AWS CLI, finds it by itself. */
  readonly environment: Record<string, string>;
  /** Returns the last lines of its log, the newest at the end. */
  log(): string[];
  /** Ends it; does nothing if it has ended. */
  stop(): Promise<void>;
}

/** Starts a server and resolves when it answers: some milliseconds. */
export function start(options?: StartOptions): Promise<Server>;
/** Makes the server at an endpoint as it was when it had started. */
export function reset(endpoint: string, options?: { empty?: boolean }): Promise<void>;
/** Returns the calls on the state and the clock of the server at an endpoint, such as `process.env.AWS_ENDPOINT_URL_DYNAMODB`. */
export function stateOf(endpoint: string): State;
/** Returns the path of this platform's program. */
export function findProgram(): string;
/** Returns what a client of the AWS SDK is made with to talk to the server at an endpoint. */
export function configOf(endpoint: string): ClientConfig;
/** Returns the variables with which every AWS SDK finds the server at an endpoint by itself. */
export function environmentOf(endpoint: string): Record<string, string>;
