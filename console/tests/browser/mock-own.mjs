// Stands before a server and answers those of its own operations that are named, in their shapes, or says that it has not
// others: Ruler, WatchRequests, DescribeServer. Everything else is passed on.

import { createServer, request } from 'node:http';

const AUTHORIZATION = 'AWS4-HMAC-SHA256 Credential=mock/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=x';

export function startMock({ endpoint, port, budget = 20_000, load = 0, without = [], mocked = [] }) {
  const target = new URL(endpoint);
  const mock = new Mock(target, budget, load, new Set(without), new Set(mocked));
  const server = createServer((asked, answer) => void mock.serve(asked, answer));
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve({ server, mock, url: `http://127.0.0.1:${server.address().port}` })));
}

class Mock {
  constructor(target, budget, load, without, mocked) {
    Object.assign(this, { target, budget, load, without, mocked });
    this.started = Date.now();
    this.number = 0;
    this.lines = [];
    this.seconds = new Map();
    this.keys = new Map();
    this.watch = 1;
    this.stopped = 0;
  }

  async serve(asked, answer) {
    const chunks = [];
    for await (const chunk of asked) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const [, operation = ''] = String(asked.headers['x-amz-target'] ?? '').split('.');
    if (this.isGone) return asked.socket.destroy();
    if (operation === 'StopWatchingRequests') this.stopped += 1;
    const isOwn = String(asked.headers['x-amz-target'] ?? '').startsWith('Hashrange');
    try {
      if (isOwn && this.without.has(operation)) return send(answer, 400, { __type: 'com.amazon.coral.service#UnknownOperationException' });
      if (isOwn && this.mocked.has(operation)) return send(answer, 200, await OWN[operation](this, JSON.parse(body || '{}')));
    } catch (error) {
      return send(answer, 400, { __type: 'com.amazon.coral.validate#ValidationException', message: String(error.message ?? error) });
    }
    const passed = await this.pass(asked.headers, body, asked.method, asked.url);
    if (!isOwn && !asked.headers['x-hashrange-unrecorded'] && operation) this.note(operation, body, passed, asked.headers);
    answer.writeHead(passed.status, passed.headers);
    answer.end(passed.body);
  }

  pass(headers, body, method = 'POST', path = '/') {
    const began = performance.now();
    const sent = { ...headers, host: this.target.host, 'content-length': Buffer.byteLength(body) };
    delete sent.origin;
    delete sent.referer;
    return new Promise((resolve) => {
      const going = request({ host: this.target.hostname, port: this.target.port, path, method, headers: sent }, (got) => {
        const chunks = [];
        got.on('data', (chunk) => chunks.push(chunk));
        got.on('end', () => resolve({ status: got.statusCode, headers: got.headers, body: Buffer.concat(chunks), ms: performance.now() - began }));
      });
      going.on('error', () => resolve({ status: 502, headers: {}, body: Buffer.from('{}'), ms: 0 }));
      going.end(body);
    });
  }

  async call(operation, body, own = false) {
    const passed = await this.pass({ 'x-amz-target': `${own ? 'Hashrange_2026' : 'DynamoDB_20120810'}.${operation}`, 'content-type': 'application/x-amz-json-1.0', authorization: AUTHORIZATION }, JSON.stringify(body));
    const read = JSON.parse(passed.body.toString());
    if (passed.status !== 200) throw new Error(read.message ?? read.__type);
    return read;
  }

  note(operation, body, passed, headers) {
    let asked = {};
    try {
      asked = JSON.parse(body);
    } catch {
      // The line has no table then.
    }
    const cost = String(passed.headers['x-hashrange-cost'] ?? '');
    const figure = (name) => Number(new RegExp(`(?:^|[ ,])${name}=([0-9.]+)`).exec(cost)?.[1] ?? 0);
    const failed = passed.status !== 200 ? JSON.parse(passed.body.toString()).__type?.split('#').pop() : undefined;
    this.add({
      Operation: operation,
      Table: asked.TableName,
      Index: asked.IndexName,
      Pattern: asked.KeyConditionExpression?.replace(/:\w+/g, '?') ?? (asked.FilterExpression && `FILTER ${asked.FilterExpression.replace(/:\w+/g, '?')}`),
      Caller: /Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1],
      Agent: headers['user-agent'],
      Examined: figure('examined'),
      ExaminedBytes: figure('bytes'),
      Returned: figure('returned'),
      ReadUnits: figure('read'),
      WriteUnits: figure('write'),
      MillionCosts: figure('nanodollars') / 1000,
      TookMs: passed.ms,
      Status: passed.status,
      Error: failed,
      RequestBytes: body.length,
      ResponseBytes: passed.body.length,
      Body: body,
    });
  }

  add(line) {
    const at = Date.now();
    const full = withoutAbsent({ Number: ++this.number, AtMs: at, Id: `R${this.number}`, Peer: '127.0.0.1', Currency: 'USD', ...line });
    this.lines.push(full);
    if (this.lines.length > 3000) this.lines.shift();
    const second = Math.floor(at / 1000) * 1000;
    const of = this.seconds.get(second) ?? new Map();
    this.seconds.set(second, of);
    for (const old of this.seconds.keys()) if (old < second - 70_000) this.seconds.delete(old);
    const key = JSON.stringify([full.Operation, full.Table, full.Index, full.Pattern]);
    const seen = of.get(key) ?? { Operation: full.Operation, Table: full.Table, Index: full.Index, Pattern: full.Pattern, Requests: 0, Failed: 0, ReadUnits: 0, WriteUnits: 0, Examined: 0, Returned: 0, P50Ms: 0, P99Ms: 0, WorstMs: 0 };
    of.set(key, seen);
    seen.Requests++;
    if (full.Error) seen.Failed++;
    for (const name of ['ReadUnits', 'WriteUnits', 'Examined', 'Returned']) seen[name] += full[name];
    seen.WorstMs = Math.max(seen.WorstMs, full.TookMs);
    seen.P50Ms = full.TookMs * 0.6;
    seen.P99Ms = seen.WorstMs * 0.95;
  }

  /** Requests of programs that are not there, so that a busy server can be looked at. */
  invent(count) {
    for (let nth = 0; nth < count; nth++) {
      const [Operation, Table, Index, Pattern, examined, returned, ms] = INVENTED[Math.floor(Math.random() ** 2 * INVENTED.length)];
      const isWrite = Operation.startsWith('Put') || Operation.startsWith('Update') || Operation.startsWith('Transact');
      const isBad = Math.random() < 0.01;
      const Examined = Math.max(0, Math.round(examined * (0.6 + Math.random() * 0.8)));
      const units = isWrite ? 0 : Math.max(0.5, (Examined * 128) / 8192);
      this.add({
        Operation, Table, Index, Pattern, Examined,
        Caller: ['checkout', 'reports', 'importer'][nth % 3], Agent: 'Boto3/1.40', ExaminedBytes: Examined * 128, Returned: Math.min(Examined, returned),
        ReadUnits: Math.round(units * 2) / 2, WriteUnits: isWrite ? 1 + (nth % 3) : 0, MillionCosts: isWrite ? 0.625 : units * 0.125,
        TookMs: ms * (0.5 + Math.random() ** 4 * 8), Status: isBad ? 400 : 200, Error: isBad ? 'ConditionalCheckFailedException' : undefined, RequestBytes: 240, ResponseBytes: 900,
      });
    }
  }
}

const INVENTED = [
  ['GetItem', 'orders', undefined, 'pk = ? AND sk = ?', 1, 1, 0.3],
  ['Query', 'orders', undefined, 'pk = ? AND begins_with(sk, ?)', 12, 12, 0.6],
  ['PutItem', 'orders', undefined, 'IF attribute_not_exists(pk)', 1, 0, 0.9],
  ['UpdateItem', 'stock', undefined, 'UPDATES left IF left > ?', 1, 0, 0.8],
  ['Query', 'orders', 'by-stage', 'pk = ? AND stage = ?', 25, 25, 1.1],
  ['TransactWriteItems', 'orders', undefined, 'Put orders; Update stock', 2, 0, 2.2],
  ['Query', 'cities', undefined, 'country = ? FILTER population > ?', 411, 2, 4],
  ['Scan', 'orders', undefined, 'FILTER stage = ?', 2200, 6, 31],
];

const withoutAbsent = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function send(answer, status, body) {
  answer.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  answer.end(JSON.stringify(body));
}

// The ruler.

const textOf = (value) => Object.values(value ?? { S: '' })[0];
const numberOf = (value) => Number(value.N);
const sizeOf = (item) => JSON.stringify(item).length;

async function keysOf(mock, asked) {
  const { Table } = await mock.call('DescribeTable', { TableName: asked.TableName });
  const index = [...(Table.GlobalSecondaryIndexes ?? []), ...(Table.LocalSecondaryIndexes ?? [])].find((one) => one.IndexName === asked.IndexName);
  const schema = (index ?? Table).KeySchema;
  const names = (type) => schema.filter((one) => one.KeyType === type).map((one) => one.AttributeName);
  const types = Object.fromEntries(Table.AttributeDefinitions.map((one) => [one.AttributeName, one.AttributeType]));
  return { partition: names('HASH'), sort: names('RANGE'), types };
}

async function itemsOf(mock, asked, schema) {
  const cached = JSON.stringify([asked.TableName, asked.IndexName, asked.PartitionKey]);
  if (mock.keys.has(cached)) return mock.keys.get(cached);
  const items = [];
  const values = {};
  const names = {};
  const conditions = schema.partition.map((name, nth) => {
    names[`#${nth}`] = name;
    values[`:${nth}`] = asked.PartitionKey?.[name];
    return `#${nth} = :${nth}`;
  });
  let start;
  do {
    const common = { TableName: asked.TableName, IndexName: asked.IndexName, ExclusiveStartKey: start };
    const page = asked.PartitionKey
      ? await mock.call('Query', { ...common, KeyConditionExpression: conditions.join(' AND '), ExpressionAttributeNames: names, ExpressionAttributeValues: values })
      : await mock.call('Scan', common);
    items.push(...page.Items);
    start = page.LastEvaluatedKey;
  } while (start);
  mock.keys.set(cached, items);
  setTimeout(() => mock.keys.delete(cached), 30_000);
  return items;
}

function foldersOf(items, attribute, prefix, delimiter) {
  const bins = [];
  for (const item of items) {
    const text = textOf(item[attribute]);
    const end = delimiter ? text.indexOf(delimiter, prefix.length) : -1;
    const folder = end < 0 ? undefined : text.slice(0, end + delimiter.length);
    const key = { [attribute]: item[attribute] };
    const last = bins.at(-1);
    if (last && folder !== undefined && last.Folder === folder) {
      last.Last = key;
      last.Items++;
      last.Bytes += sizeOf(item);
    } else {
      bins.push(withoutAbsent({ First: key, Last: key, Name: (folder ?? text).slice(prefix.length) || text, Folder: folder, Folders: folder === undefined ? 0 : 1, Items: 1, Bytes: sizeOf(item), IsExact: true }));
    }
  }
  return bins;
}

function mergedTo(bins, most) {
  const each = Math.ceil(bins.length / most);
  if (each <= 1) return bins;
  const found = [];
  for (let nth = 0; nth < bins.length; nth += each) {
    const group = bins.slice(nth, nth + each);
    const sum = (name) => group.reduce((total, one) => total + one[name], 0);
    found.push(group.length === 1 ? group[0] : { First: group[0].First, Last: group.at(-1).Last, Folders: sum('Folders'), Items: sum('Items'), Bytes: sum('Bytes'), IsExact: true });
  }
  return found;
}

async function ruler(mock, asked) {
  const schema = await keysOf(mock, asked);
  const all = await itemsOf(mock, asked, schema);
  if (!asked.PartitionKey) return partitions(mock, asked, schema, all);
  const attribute = schema.sort[Object.keys(asked.SortKey ?? {}).length];
  const type = schema.types[attribute];
  const fixed = Object.entries(asked.SortKey ?? {});
  let items = all.filter((item) => fixed.every(([name, value]) => JSON.stringify(item[name]) === JSON.stringify(value)));
  if (asked.Prefix) items = items.filter((item) => textOf(item[attribute]).startsWith(asked.Prefix));
  const order = type === 'N' ? (a, b) => numberOf(a) - numberOf(b) : (a, b) => (Buffer.compare(Buffer.from(textOf(a)), Buffer.from(textOf(b))));
  if (asked.From) items = items.filter((item) => order(item[attribute], asked.From[attribute]) >= 0);
  if (asked.To) items = items.filter((item) => order(item[attribute], asked.To[attribute]) <= 0);
  const isLast = schema.sort.at(-1) === attribute;
  const delimiter = type === 'S' && isLast && items.some((item) => textOf(item[attribute]).includes(asked.Delimiter ?? '#')) ? (asked.Delimiter ?? '#') : undefined;
  const most = asked.Bins ?? 200;
  let bins;
  if (delimiter) bins = mergedTo(foldersOf(items, attribute, asked.Prefix ?? '', delimiter), most);
  else if (!isLast) bins = mergedTo(valuesOf(items, attribute), most);
  else bins = mergedTo(foldersOf(items, attribute, '', undefined), items.length <= 12 ? 12 : most);
  return cut(mock, asked, { Kind: delimiter ? 'Folders' : type === 'B' ? 'Bytes' : 'Values', KeyAttribute: attribute, KeyType: type, ...(delimiter && { Delimiter: delimiter }) }, bins, items.length);
}

function valuesOf(items, attribute) {
  const bins = [];
  for (const item of items) {
    const key = { [attribute]: item[attribute] };
    const last = bins.at(-1);
    if (last && JSON.stringify(last.First) === JSON.stringify(key)) {
      last.Items++;
      last.Bytes += sizeOf(item);
    } else bins.push({ First: key, Last: key, Name: textOf(item[attribute]), Folders: 1, Items: 1, Bytes: sizeOf(item), IsExact: true });
  }
  return bins;
}

function partitions(mock, asked, schema, all) {
  const bins = [];
  for (const item of all) {
    const key = Object.fromEntries(schema.partition.map((name) => [name, item[name]]));
    const last = bins.at(-1);
    if (last && JSON.stringify(last.First) === JSON.stringify(key)) {
      last.Items++;
      last.Bytes += sizeOf(item);
    } else bins.push({ First: key, Last: key, Name: Object.values(key).map(textOf).join(' '), Folders: 1, Items: 1, Bytes: sizeOf(item), IsExact: true });
  }
  const attribute = schema.partition[0];
  return cut(mock, asked, { Kind: 'Partitions', KeyAttribute: attribute, KeyType: schema.types[attribute] }, mergedTo(bins, asked.Bins ?? 200), all.length);
}

/** Counts as far as a call may; what is behind is "at least". */
function cut(mock, asked, head, bins, items) {
  const from = asked.Cursor ? Number(asked.Cursor) : 0;
  let to = from;
  let read = 0;
  while (to < bins.length && read < mock.budget) read += bins[to++].Items;
  const work = { Work: { Seeks: bins.length - to + 1, KeysRead: read + (from === 0 ? bins.length - to : 0), ReadUnits: Math.ceil((read * 128) / 8192) / 2 } };
  const counted = bins.slice(from, to);
  const total = (of) => of.reduce((sum, one) => [sum[0] + one.Items, sum[1] + one.Bytes], [0, 0]);
  const next = to < bins.length ? { Cursor: String(to) } : {};
  if (from > 0) {
    const [Items, Bytes] = total(counted);
    return { ...head, Bins: counted, Covers: { After: bins[from - 1].Last, ...(to < bins.length && { Until: bins[to - 1].Last }) }, Items, Bytes, IsExact: to >= bins.length, ...next, ...work };
  }
  const unsure = bins.slice(to).map((one) => ({ ...one, Items: one.Folders || 1, Bytes: 0, IsExact: false }));
  const [Items, Bytes] = total([...counted, ...unsure]);
  return { ...head, Bins: [...counted, ...unsure], Covers: {}, Items, Bytes, IsExact: items === 0 || to >= bins.length, ...next, ...work };
}

// The ledger.

function passes(line, filter = {}) {
  if (filter.Operation && line.Operation !== filter.Operation) return false;
  if (filter.Table && line.Table !== filter.Table) return false;
  if (filter.Index && line.Index !== filter.Index) return false;
  if (filter.Caller && line.Caller !== filter.Caller) return false;
  if (filter.Failed !== undefined && filter.Failed !== !!line.Error) return false;
  if (filter.SlowerThanMs !== undefined && line.TookMs < filter.SlowerThanMs) return false;
  if (filter.ExaminesOver !== undefined && line.Examined - line.Returned < filter.ExaminesOver) return false;
  if (filter.Text && ![line.Pattern, line.Error, line.Table].some((one) => one?.includes(filter.Text))) return false;
  return true;
}

async function watch(mock, asked) {
  const isFresh = asked.Cursor === undefined;
  const [of, from = '0', second = '0'] = (asked.Cursor ?? '').split('/');
  const isLost = !isFresh && of !== String(mock.watch);
  const watch = mock.watch;
  let number = isFresh || isLost ? mock.number : Number(from);
  let since = isFresh || isLost ? Date.now() - 1000 : Number(second);
  const until = Date.now() + Math.min(20, asked.WaitSeconds ?? 0) * 1000;
  let found = [];
  for (;;) {
    if (mock.load > 0) {
      const now = Date.now();
      const due = Math.min(8000, Math.round((mock.load * (now - (mock.invented ?? now - 1000))) / 1000));
      mock.invented = now;
      mock.invent(due);
    }
    found = mock.lines.filter((line) => line.Number > number && passes(line, asked.Filter));
    if (found.length > 0 || isLost || Date.now() >= until) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const limit = asked.Limit ?? 200;
  const lost = Math.max(0, found.length - limit);
  const shown = lost > 0 ? [...found.filter((one) => one.Error), ...found.filter((one) => !one.Error).slice(-limit)].slice(-limit).sort((a, b) => a.Number - b.Number) : found;
  const last = Math.floor(Date.now() / 1000) * 1000;
  const seconds = [...mock.seconds].filter(([at]) => at >= since && at < last).map(([AtMs, patterns]) => {
    const all = [...patterns.values()].map(withoutAbsent);
    const sum = (name) => all.reduce((total, one) => total + one[name], 0);
    return { AtMs, Requests: sum('Requests'), Failed: sum('Failed'), ReadUnits: sum('ReadUnits'), WriteUnits: sum('WriteUnits'), Others: 0, Patterns: all };
  });
  number = mock.number;
  since = last;
  return withoutAbsent({
    Server: 'mock', Cursor: `${watch}/${number}/${since}`, IsNew: isFresh || isLost ? true : undefined, Because: isLost ? 'Ended' : undefined,
    Requests: shown, Seconds: seconds, Lost: lost > 0 && mock.load > 2000 ? 12 : 0, LeftOut: lost, OneIn: lost > 0 ? Math.ceil(found.length / limit) : 1, ValuesAreKept: true,
  });
}

// The server.

function server(mock, asked) {
  const now = Date.now();
  const points = [];
  for (let at = Math.floor(now / 10_000) * 10_000 - 3_600_000; at <= now - 10_000; at += 10_000) {
    if (at <= (asked.Since ?? 0)) continue;
    const wave = 1 + Math.sin(at / 400_000) * 0.6 + Math.sin(at / 61_000) * 0.2;
    const requests = Math.max(0, Math.round(2400 * wave));
    const operation = (Operation, share, ms, failed = 0) => ({ Operation, Requests: Math.round(requests * share), Failed: Math.round(requests * failed), P50Ms: ms, P99Ms: ms * (4 + wave), WorstMs: ms * 14 });
    points.push({
      AtMs: at, Seconds: 10, Requests: requests, Failed: Math.round(requests * 0.004), Throttled: at % 700_000 < 20_000 ? 14 : 0, MemoryBytes: 60e6 + wave * 22e6, DiskBytes: 210e6 + (at % 3_600_000) * 8,
      CacheHits: requests * 9, CacheReads: requests * 10, Connections: Math.round(20 + 8 * wave),
      Operations: [operation('GetItem', 0.6, 0.21), operation('Query', 0.25, 0.62), operation('PutItem', 0.12, 0.8, 0.003), operation('Scan', 0.03, 22, 0.001)],
    });
  }
  return {
    Server: { Name: 'mock', Version: '0.0.0', StartedAtMs: mock.started - 7_260_000, NowMs: now, Store: 'embedded', Folder: '/var/lib/hashrange', Region: 'us-east-1', Credentials: 'any', Namespaces: false, TakesWrites: true },
    Now: { MemoryBytes: 84_300_000, MemoryOfCachesBytes: 41_000_000, DiskBytes: 218_000_000, DiskFreeBytes: 41e9, Connections: 24, RequestsWaiting: 0, CacheHits: 9_120_000, CacheReads: 9_800_000, Panics: 0 },
    Points: points,
    Jobs: [
      { Kind: 'IndexFill', Table: 'cities', Index: 'by-name', Done: 18_200 + ((now / 100) % 20_000 | 0), Of: 46_570, PerSecond: 9_300, StartedAtMs: now - 2_100, Words: 'fills the index by-name of cities' },
      { Kind: 'Expiry', Table: 'sessions', Done: 120, PerSecond: 4, Words: 'removes expired items of sessions' },
    ],
    Servers: [{ Name: 'mock', IsThis: true, BeatAtMs: now - 400, Address: '127.0.0.1:8000' }, { Name: 'second', IsThis: false, BeatAtMs: now - 900, Address: '10.0.0.2:8000' }],
  };
}

const OWN = {
  Ruler: ruler,
  WatchRequests: watch,
  StopWatchingRequests: (mock) => (mock.watch++, {}),
  DescribeServer: (mock, asked) => (mock.change ?? ((described) => described))(server(mock, asked)),
};
