// aws-sdk-dynamodb, with tokio.

import { bytesOf } from '../binary';
import { type CodeRequest, type CodeTarget, countsOnly, readsOn, snake } from './code';
import { isRecord, rustQuoted } from './strings';

/** Members that hold structures, by the name of their type. */
const structures: Record<string, string> = {
  KeySchema: 'KeySchemaElement',
  AttributeDefinitions: 'AttributeDefinition',
  GlobalSecondaryIndexes: 'GlobalSecondaryIndex',
  LocalSecondaryIndexes: 'LocalSecondaryIndex',
  GlobalSecondaryIndexUpdates: 'GlobalSecondaryIndexUpdate',
  Create: 'CreateGlobalSecondaryIndexAction',
  Update: 'UpdateGlobalSecondaryIndexAction',
  Delete: 'DeleteGlobalSecondaryIndexAction',
  Projection: 'Projection',
  ProvisionedThroughput: 'ProvisionedThroughput',
  OnDemandThroughput: 'OnDemandThroughput',
  StreamSpecification: 'StreamSpecification',
  TimeToLiveSpecification: 'TimeToLiveSpecification',
  Tags: 'Tag',
};

/** Structures without a member that must be there: their builders cannot fail. */
const sure = new Set(['Projection', 'OnDemandThroughput', 'GlobalSecondaryIndexUpdate']);

const enums: Record<string, string> = {
  KeyType: 'KeyType',
  AttributeType: 'ScalarAttributeType',
  ProjectionType: 'ProjectionType',
  BillingMode: 'BillingMode',
  StreamViewType: 'StreamViewType',
  Select: 'Select',
  ReturnValues: 'ReturnValue',
  ReturnValuesOnConditionCheckFailure: 'ReturnValuesOnConditionCheckFailure',
  TableClass: 'TableClass',
};

const valueMaps = new Set(['ExpressionAttributeValues', 'ExclusiveStartKey', 'Key', 'Item']);
const pascal = (name: string): string => name.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, sign: string) => sign.toUpperCase());

class Writer {
  readonly types = new Set<string>();
  usesBlob = false;
  usesMap = false;

  value(of: unknown): string {
    this.types.add('AttributeValue');
    const [type = '', content] = Object.entries(of as object)[0] ?? [];
    const make = (variant: string, inside: string): string => `AttributeValue::${variant}(${inside})`;
    const texts = (list: unknown): string => `vec![${(list as string[]).map((one) => `${rustQuoted(one)}.into()`).join(', ')}]`;
    switch (type) {
      case 'S':
      case 'N':
        return make(type, `${rustQuoted(content as string)}.into()`);
      case 'B':
        return make('B', this.blob(content as string));
      case 'BOOL':
        return make('Bool', String(content));
      case 'NULL':
        return make('Null', 'true');
      case 'SS':
        return make('Ss', texts(content));
      case 'NS':
        return make('Ns', texts(content));
      case 'BS':
        return make('Bs', `vec![${(content as string[]).map((one) => this.blob(one)).join(', ')}]`);
      case 'L':
        return make('L', `vec![${(content as unknown[]).map((one) => this.value(one)).join(', ')}]`);
      default:
        this.usesMap = true;
        return make(
          'M',
          `HashMap::from([${Object.entries(content as object)
            .map(([name, one]) => `(${rustQuoted(name)}.into(), ${this.value(one)})`)
            .join(', ')}])`,
        );
    }
  }

  blob(base64: string): string {
    this.usesBlob = true;
    const bytes = Array.from(bytesOf(base64), (byte) =>
      byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    );
    return `Blob::new(*b"${bytes.join('')}")`;
  }

  /** Returns the calls of a builder that set a member. */
  member(name: string, of: unknown, pad: string): string[] {
    const method = `.${snake(name)}`;
    if (valueMaps.has(name))
      return Object.entries(of as object).map(([one, value]) => `${method}(${rustQuoted(one)}, ${this.value(value)})`);
    if (name === 'ExpressionAttributeNames')
      return Object.entries(of as object).map(([one, word]) => `${method}(${rustQuoted(one)}, ${rustQuoted(String(word))})`);
    if (name === 'Parameters') return (of as unknown[]).map((one) => `${method}(${this.value(one)})`);
    const structure = structures[name];
    if (structure !== undefined) return (Array.isArray(of) ? of : [of]).map((one) => `${method}(${this.structure(structure, one, pad)})`);
    if (Array.isArray(of)) return of.map((one) => `${method}(${rustQuoted(String(one))})`);
    const type = enums[name];
    if (type !== undefined) {
      this.types.add(type);
      return [`${method}(${type}::${pascal(String(of))})`];
    }
    return [`${method}(${typeof of === 'string' ? rustQuoted(of) : String(of)})`];
  }

  structure(type: string, of: unknown, pad: string): string {
    this.types.add(type);
    const calls = Object.entries(isRecord(of) ? of : {}).flatMap(([name, one]) => this.member(name, one, `${pad}        `));
    const parts = [`${type}::builder()`, ...calls, sure.has(type) ? '.build()' : '.build()?'];
    const line = parts.join('');
    if (line.length + pad.length < 72 && !line.includes('\n')) return line;
    return `\n${pad}    ${parts.join(`\n${pad}        `)},\n${pad}`;
  }
}

function client(target: CodeTarget): { uses: string; words: string; crates: string } {
  const { accessKeyId } = target;
  if (accessKeyId === null) {
    return {
      uses: 'use aws_sdk_dynamodb::Client;\n',
      words: `    let config = aws_config::from_env()\n        .region(${rustQuoted(target.region)})\n        .endpoint_url(${rustQuoted(target.endpoint)})\n        .load()\n        .await;\n    let client = Client::new(&config);\n`,
      crates: '// cargo add aws-config -F behavior-version-latest && cargo add aws-sdk-dynamodb && cargo add tokio -F full\n',
    };
  }
  return {
    uses: 'use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};\nuse aws_sdk_dynamodb::{Client, Config};\n',
    words: `    let config = Config::builder()\n        .behavior_version(BehaviorVersion::latest())\n        .region(Region::new(${rustQuoted(target.region)}))\n        .endpoint_url(${rustQuoted(target.endpoint)})\n        .credentials_provider(Credentials::new(${rustQuoted(accessKeyId)}, "any", None, None, "any"))\n        .build();\n    let client = Client::from_conf(config);\n`,
    crates: '// cargo add aws-sdk-dynamodb && cargo add tokio -F full\n',
  };
}

function run(asked: CodeRequest): { send: string; after: string } {
  if (!readsOn(asked)) return { send: '\n        .send()\n        .await?', after: '    println!("{answer:#?}");\n' };
  if (countsOnly(asked))
    return {
      send: '\n        .into_paginator()\n        .send()',
      after:
        '    let mut count = 0;\n    while let Some(page) = answer.next().await {\n        count += page?.count();\n    }\n    println!("{count}");\n',
    };
  return {
    send: '\n        .into_paginator()\n        .items()\n        .send()',
    after: '    while let Some(item) = answer.next().await {\n        println!("{:?}", item?);\n    }\n',
  };
}

export function rust(asked: CodeRequest, target: CodeTarget): string {
  const writer = new Writer();
  const calls = Object.entries(asked.request).flatMap(([name, of]) => writer.member(name, of, '        '));
  const { uses, words, crates } = client(target);
  const { send, after } = run(asked);
  const types = [...writer.types].sort();
  const typeUse = types.length === 0 ? '' : `use aws_sdk_dynamodb::types::${types.length === 1 ? types[0] : `{${types.join(', ')}}`};\n`;
  const blob = writer.usesBlob ? 'use aws_sdk_dynamodb::primitives::Blob;\n' : '';
  const map = writer.usesMap ? 'use std::collections::HashMap;\n\n' : '';
  const answer = readsOn(asked) ? 'let mut answer' : 'let answer';
  return `${crates}${map}${uses}${blob}${typeUse}
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
${words}    ${answer} = client
        .${snake(asked.operation)}()${calls.map((one) => `\n        ${one}`).join('')}${send};
${after}    Ok(())
}
`;
}
