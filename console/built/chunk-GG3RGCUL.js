import{a as Q}from"./chunk-M74WDHS2.js";import{b as W}from"./chunk-3YCW6E6U.js";import{b as M,d as B,k as y,p as I}from"./chunk-G7AWYOFB.js";import{a as Z}from"./chunk-LHJQWT7L.js";import{c as P,d as z,e as U}from"./chunk-SEZVXC3A.js";import{l as v,n as D,p as w}from"./chunk-G3JT72BN.js";var Pe=["=","<","<=",">",">=","BETWEEN","begins_with"],ze=["=","<>","<","<=",">",">=","BETWEEN","IN","begins_with","contains","not contains","attribute_exists","attribute_not_exists","attribute_type","size"],Ue=["=","<>","<","<=",">",">="],We=e=>/^[^.[\]",]+$/.test(e)&&e.trim()===e?e:`"${e.replace(/["\\]/g,"\\$&")}"`;function G(e){let t=e.trim();if(t==="")throw new y("The name of an attribute is missing");let r=[],n=/"((?:[^"\\]|\\.)*)"|([^.[\]"]+)|\[(\d+)\]|(\.)/gy,i=!0;for(let s=0;s<t.length;s=n.lastIndex){n.lastIndex=s;let o=n.exec(t);if(o===null)throw new y(`${t} is no path: write address.city, lines[0] or "a.b"`);let[,a,u,l,f]=o;if((a!==void 0||u!==void 0)!==i)throw new y(`${t} is no path: write address.city, lines[0] or "a.b"`);a!==void 0?r.push({name:a.replace(/\\(.)/g,"$1")}):u!==void 0?r.push({name:u}):l!==void 0&&r.push({nth:Number(l)}),i=f!==void 0}if(i)throw new y(`${t} ends too early`);return r}var _=class{names=B();values=B();byName=new Map;name(t){let r=this.byName.get(t);if(r!==void 0)return r;let n=this.free("#",t,this.names);return this.byName.set(t,n),this.names[n]=t,n}path(t){return t.map((r,n)=>"nth"in r?`[${r.nth}]`:`${n>0?".":""}${this.name(r.name)}`).join("")}value(t,r){let n=this.free(":",t,this.values);return this.values[n]=r,n}free(t,r,n){let i=/^[A-Za-z][A-Za-z0-9_]{0,30}$/.test(r)?r:"a";for(let s=1;;s+=1){let o=`${t}${i}${s===1&&i!=="a"?"":`${i==="a"?"":"_"}${s}`}`;if(!Object.hasOwn(n,o))return o}}into(t){Object.keys(this.names).length>0&&(t.ExpressionAttributeNames=this.names),Object.keys(this.values).length>0&&(t.ExpressionAttributeValues=this.values)}},le=e=>{for(let t of[...e].reverse())if("name"in t)return t.name;return"v"};function pe(e,t){let r=t.name(e.name),n=i=>t.value(e.name,I(e.type,e.values[i]??""));return e.operator==="BETWEEN"?`${r} BETWEEN ${n(0)} AND ${n(1)}`:e.operator==="begins_with"?`begins_with(${r}, ${n(0)})`:`${r} ${e.operator} ${n(0)}`}var R=e=>(e.values[0]??"")!==""&&(e.operator!=="BETWEEN"||(e.values[1]??"")!==""),de=e=>e==="attribute_exists"||e==="attribute_not_exists";function J(e,t){let r=G(e.path),n=t.path(r),i=le(r),s=(o,a=e.type)=>t.value(i,I(a,e.values[o]??""));switch(e.operator){case"attribute_exists":case"attribute_not_exists":return`${e.operator}(${n})`;case"begins_with":case"contains":return`${e.operator}(${n}, ${s(0)})`;case"not contains":return`NOT contains(${n}, ${s(0)})`;case"attribute_type":return`attribute_type(${n}, ${s(0,"S")})`;case"size":return`size(${n}) ${e.comparator??"="} ${s(0,"N")}`;case"BETWEEN":return`${n} BETWEEN ${s(0)} AND ${s(1)}`;case"IN":return`${n} IN (${e.values.map((o,a)=>s(a)).join(", ")})`;default:return`${n} ${e.operator} ${s(0)}`}}function Me(e){try{return e.operator==="IN"&&e.values.length===0?"IN needs at least one value":e.type==="N"&&!de(e.operator)&&e.operator!=="attribute_type"&&(e.values[0]??"")===""?"A number is missing":(J(e,new _),null)}catch(t){if(t instanceof y)return t.message;throw t}}var ge=e=>!e.isOff&&e.path.trim()!=="",fe=e=>(e.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g)??[]).map(t=>t.trim()).filter(Boolean);function me(e){let t=[];for(let r of e)if(!R(r)||(t.push(r),r.operator!=="="))break;return t}function Qe(e){let t=new _,r=e.partition.length>0&&e.partition.every(R),n={TableName:e.table};e.index!==null&&(n.IndexName=e.index);let i=[];if(r){let u=me(e.sort);for(let l of e.sort.slice(u.length).filter(R))i.push(`${l.name}: the sort key attributes before it need =`);n.KeyConditionExpression=[...e.partition,...u].map(l=>pe(l,t)).join(" AND "),e.isDescending&&(n.ScanIndexForward=!1)}else for(let u of[...e.partition,...e.sort].filter(R))i.push(`${u.name}: without the whole partition key there is no range to read`);let s=e.filters.filter(ge).map(u=>J(u,t));s.length>0&&(n.FilterExpression=s.join(" AND "));let o=fe(e.projection);e.isCount?n.Select="COUNT":o.length>0&&(n.ProjectionExpression=o.map(u=>t.path(G(u))).join(", ")),e.isConsistent&&(n.ConsistentRead=!0);let a=e.limit.trim();return a!==""&&(n.Limit=$e(a)),t.into(n),{operation:r?"Query":"Scan",request:n,leftOut:i}}function $e(e){let t=Number(e);if(!/^\d+$/.test(e)||t<1||t>2147483647)throw new y("A limit is a whole number from 1");return t}function ye(e){return"S"in e?`'${e.S.replace(/'/g,"''")}'`:"N"in e?e.N:"BOOL"in e?String(e.BOOL):"NULL"in e?"null":JSON.stringify(e)}function H(e,t,r,n=i=>i){return e.replace(/[#:][A-Za-z0-9_]+/g,i=>i.startsWith("#")?Object.hasOwn(t,i)?n(t[i]):i:Object.hasOwn(r,i)?ye(r[i]):i)}function Ze(e,t,r){let n=new _,i=[],s=[],o=[];for(let{name:f,before:S,after:O}of r){let h=n.name(f);O===void 0?s.push(h):i.push(`${h} = ${n.value(f,O)}`),o.push(S===void 0?`attribute_not_exists(${h})`:`${h} = ${n.value(`old_${f}`,S)}`)}let[a]=Object.keys(t);a!==void 0&&r.every(f=>f.before===void 0)&&o.push(`attribute_exists(${n.name(a)})`);let u=[i.length>0?`SET ${i.join(", ")}`:"",s.length>0?`REMOVE ${s.join(", ")}`:""],l={TableName:e,Key:t,UpdateExpression:u.filter(Boolean).join(" "),ConditionExpression:o.join(" AND ")};return n.into(l),l}var x=/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,X=e=>`\\u${e.charCodeAt(0).toString(16).padStart(4,"0")}`,k={"\n":"\\n","\r":"\\r","	":"\\t"},c=e=>`"${e.replace(/["\\]/g,"\\$&").replace(x,t=>k[t]??X(t))}"`,p=e=>`"${e.replace(/["\\]/g,"\\$&").replace(x,t=>k[t]??`\\u{${t.charCodeAt(0).toString(16)}}`)}"`,Y=e=>`\\x${e.toString(16).padStart(2,"0")}`;function d(e){if(/^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$/.test(e))return e;if(x.lastIndex=0,!x.test(e.replace(/\n/g,"")))return`'${e.replace(/'/g,"'\\''")}'`;let t=n=>Array.from(new TextEncoder().encode(n),Y).join("");return`$'${e.replace(/['\\]/g,"\\$&").replace(x,n=>k[n]??t(n)).replace(/(\\x[0-9a-f]{2})([0-9a-fA-F])/g,(n,i,s)=>i+Y(s.charCodeAt(0)))}'`}var K=e=>JSON.stringify(e).replace(x,X),m=e=>typeof e=="object"&&e!==null&&!Array.isArray(e),A=e=>m(e)&&Object.keys(e).length===1&&(typeof e.B=="string"||Array.isArray(e.BS)),C=e=>A(e)||(Array.isArray(e)?e.some(C):m(e)&&Object.values(e).some(C));function L(e,t){return typeof e=="string"?c(e):e===null||typeof e!="object"?String(e):A(e)?"B"in e?`{ B: ${ee(e.B)} }`:`{ BS: [${e.BS.map(ee).join(", ")}] }`:m(e)?te(Object.entries(e).map(([r,n])=>`${be(r)}: ${L(n,t+1)}`),"{ "," }",t):te(e.map(r=>L(r,t+1)),"[","]",t)}var ee=e=>`Buffer.from(${c(e)}, "base64")`;function be(e){return e==="__proto__"?`[${c(e)}]`:/^[A-Za-z_$][\w$]*$/.test(e)?e:c(e)}function te(e,t,r,n){if(e.length===0)return`${t}${r}`.replace(/ /g,"");let i=e.join(", ");if(i.length+n*2<=76&&!i.includes(`
`))return`${t}${i}${r}`;let s="  ".repeat(n+1);return`${t.trim()}
${e.map(o=>`${s}${o},
`).join("")}${"  ".repeat(n)}${r.trim()}`}function he(e){if(!g(e))return`const answer = await client.send(new ${e.operation}Command(request));
console.dir(answer, { depth: null });
`;let t=`for await (const page of paginate${e.operation}({ client }, request))`;return $(e)?`let count = 0;
${t} count += page.Count;
console.log(count);
`:`${t} {
  for (const item of page.Items) console.dir(item, { depth: null });
}
`}function ne(e,t){let r=g(e)?`paginate${e.operation}`:`${e.operation}Command`,n=t.accessKeyId===null?"":`
  credentials: { accessKeyId: ${c(t.accessKeyId)}, secretAccessKey: "any" },`;return[`import { DynamoDBClient, ${r} } from "@aws-sdk/client-dynamodb";
`,`const client = new DynamoDBClient({
  endpoint: ${c(t.endpoint)},
  region: ${c(t.region)},${n}
});
`,`const request = ${L(e.request,0)};
${he(e)}`].join(`
`)}function V(e,t){if(e==null)return"None";if(typeof e=="boolean")return e?"True":"False";if(typeof e=="string")return c(e);if(typeof e!="object")return String(e);if(A(e))return"B"in e?`{"B": ${re(e.B)}}`:`{"BS": [${e.BS.map(re).join(", ")}]}`;let r=m(e)?Object.entries(e).map(([n,i])=>`${c(n)}: ${V(i,t+1)}`):e.map(n=>V(n,t+1));return we(r,m(e)?"{}":"[]",t)}var re=e=>`base64.b64decode(${c(e)})`;function we(e,t,r){let n=e.join(", ");if(n.length+r*4<=76&&!n.includes(`
`))return`${t[0]}${n}${t[1]}`;let i="    ".repeat(r+1);return`${t[0]}
${e.map(s=>`${i}${s},
`).join("")}${"    ".repeat(r)}${t[1]}`}function xe(e){let t=e.accessKeyId===null?"":`
    aws_access_key_id=${c(e.accessKeyId)},
    aws_secret_access_key="any",`;return`client = boto3.client(
    "dynamodb",
    endpoint_url=${c(e.endpoint)},
    region_name=${c(e.region)},${t}
)
`}function Ce(e){if(!g(e))return`answer = client.${b(e.operation)}(**request)
print(answer)
`;let t=`client.get_paginator("${b(e.operation)}").paginate(**request)`;return $(e)?`print(sum(page["Count"] for page in ${t}))
`:`for page in ${t}:
    for item in page["Items"]:
        print(item)
`}function ie(e,t){return`${`${C(e.request)?`import base64

`:""}import boto3
`}
${xe(t)}
request = ${V(e.request,0)}
${Ce(e)}`}var Se={KeySchema:"KeySchemaElement",AttributeDefinitions:"AttributeDefinition",GlobalSecondaryIndexes:"GlobalSecondaryIndex",LocalSecondaryIndexes:"LocalSecondaryIndex",GlobalSecondaryIndexUpdates:"GlobalSecondaryIndexUpdate",Create:"CreateGlobalSecondaryIndexAction",Update:"UpdateGlobalSecondaryIndexAction",Delete:"DeleteGlobalSecondaryIndexAction",Projection:"Projection",ProvisionedThroughput:"ProvisionedThroughput",OnDemandThroughput:"OnDemandThroughput",StreamSpecification:"StreamSpecification",TimeToLiveSpecification:"TimeToLiveSpecification",Tags:"Tag"},_e=new Set(["Projection","OnDemandThroughput","GlobalSecondaryIndexUpdate"]),Ae={KeyType:"KeyType",AttributeType:"ScalarAttributeType",ProjectionType:"ProjectionType",BillingMode:"BillingMode",StreamViewType:"StreamViewType",Select:"Select",ReturnValues:"ReturnValue",ReturnValuesOnConditionCheckFailure:"ReturnValuesOnConditionCheckFailure",TableClass:"TableClass"},Oe=new Set(["ExpressionAttributeValues","ExclusiveStartKey","Key","Item"]),Re=e=>e.toLowerCase().replace(/(?:^|_)([a-z])/g,(t,r)=>r.toUpperCase()),q=class{types=new Set;usesBlob=!1;usesMap=!1;value(t){this.types.add("AttributeValue");let[r="",n]=Object.entries(t)[0]??[],i=(o,a)=>`AttributeValue::${o}(${a})`,s=o=>`vec![${o.map(a=>`${p(a)}.into()`).join(", ")}]`;switch(r){case"S":case"N":return i(r,`${p(n)}.into()`);case"B":return i("B",this.blob(n));case"BOOL":return i("Bool",String(n));case"NULL":return i("Null","true");case"SS":return i("Ss",s(n));case"NS":return i("Ns",s(n));case"BS":return i("Bs",`vec![${n.map(o=>this.blob(o)).join(", ")}]`);case"L":return i("L",`vec![${n.map(o=>this.value(o)).join(", ")}]`);default:return this.usesMap=!0,i("M",`HashMap::from([${Object.entries(n).map(([o,a])=>`(${p(o)}.into(), ${this.value(a)})`).join(", ")}])`)}}blob(t){return this.usesBlob=!0,`Blob::new(*b"${Array.from(M(t),n=>n>=32&&n<127&&n!==34&&n!==92?String.fromCharCode(n):`\\x${n.toString(16).padStart(2,"0")}`).join("")}")`}member(t,r,n){let i=`.${b(t)}`;if(Oe.has(t))return Object.entries(r).map(([a,u])=>`${i}(${p(a)}, ${this.value(u)})`);if(t==="ExpressionAttributeNames")return Object.entries(r).map(([a,u])=>`${i}(${p(a)}, ${p(String(u))})`);if(t==="Parameters")return r.map(a=>`${i}(${this.value(a)})`);let s=Se[t];if(s!==void 0)return(Array.isArray(r)?r:[r]).map(a=>`${i}(${this.structure(s,a,n)})`);if(Array.isArray(r))return r.map(a=>`${i}(${p(String(a))})`);let o=Ae[t];return o!==void 0?(this.types.add(o),[`${i}(${o}::${Re(String(r))})`]):[`${i}(${typeof r=="string"?p(r):String(r)})`]}structure(t,r,n){this.types.add(t);let i=Object.entries(m(r)?r:{}).flatMap(([a,u])=>this.member(a,u,`${n}        `)),s=[`${t}::builder()`,...i,_e.has(t)?".build()":".build()?"],o=s.join("");return o.length+n.length<72&&!o.includes(`
`)?o:`
${n}    ${s.join(`
${n}        `)},
${n}`}};function Ne(e){let{accessKeyId:t}=e;return t===null?{uses:`use aws_sdk_dynamodb::Client;
`,words:`    let config = aws_config::from_env()
        .region(${p(e.region)})
        .endpoint_url(${p(e.endpoint)})
        .load()
        .await;
    let client = Client::new(&config);
`,crates:`// cargo add aws-config -F behavior-version-latest && cargo add aws-sdk-dynamodb && cargo add tokio -F full
`}:{uses:`use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::{Client, Config};
`,words:`    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(${p(e.region)}))
        .endpoint_url(${p(e.endpoint)})
        .credentials_provider(Credentials::new(${p(t)}, "any", None, None, "any"))
        .build();
    let client = Client::from_conf(config);
`,crates:`// cargo add aws-sdk-dynamodb && cargo add tokio -F full
`}}function je(e){return g(e)?$(e)?{send:`
        .into_paginator()
        .send()`,after:`    let mut count = 0;
    while let Some(page) = answer.next().await {
        count += page?.count();
    }
    println!("{count}");
`}:{send:`
        .into_paginator()
        .items()
        .send()`,after:`    while let Some(item) = answer.next().await {
        println!("{:?}", item?);
    }
`}:{send:`
        .send()
        .await?`,after:`    println!("{answer:#?}");
`}}function se(e,t){let r=new q,n=Object.entries(e.request).flatMap(([E,ce])=>r.member(E,ce,"        ")),{uses:i,words:s,crates:o}=Ne(t),{send:a,after:u}=je(e),l=[...r.types].sort(),f=l.length===0?"":`use aws_sdk_dynamodb::types::${l.length===1?l[0]:`{${l.join(", ")}}`};
`,S=r.usesBlob?`use aws_sdk_dynamodb::primitives::Blob;
`:"",O=r.usesMap?`use std::collections::HashMap;

`:"",h=g(e)?"let mut answer":"let answer";return`${o}${O}${i}${S}${f}
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
${s}    ${h} = client
        .${b(e.operation)}()${n.map(E=>`
        ${E}`).join("")}${a};
${u}    Ok(())
}
`}var F=e=>e.join(` \\
  `);function Te(e,t){let r=`--${N(e)}`;if(t===!0)return r;if(t===!1)return`--no-${N(e)}`;let n=d(typeof t=="string"?t:K(t));return typeof t=="string"&&t.startsWith("-")?`${r}=${n}`:`${r} ${n}`}function oe(e,t){let r=t.accessKeyId===null?"":`AWS_ACCESS_KEY_ID=${d(t.accessKeyId)} AWS_SECRET_ACCESS_KEY=any `,n=Object.entries(e.request).map(([s,o])=>Te(s,o));return`${C(e.request)?`# Version 2 of the AWS CLI, which reads binary values as base64
`:""}${F([`${r}aws dynamodb ${N(e.operation)}`,`--endpoint-url ${d(t.endpoint)}`,`--region ${d(t.region)}`,...n])}
`}var Ee=/^(and|or|not|between|in|size|begins_with|contains|attribute_exists|attribute_not_exists|attribute_type|true|false|null)$/i,ve=e=>/^[A-Za-z_][A-Za-z0-9_]*$/.test(e)&&!Ee.test(e),Be=e=>ve(e)?e:`\`${e}\``,Ie=e=>"S"in e||"N"in e||"BOOL"in e;function ke({operation:e,request:t}){if(e!=="Query"&&e!=="Scan")return!1;let r=new Set(["TableName","IndexName","KeyConditionExpression","FilterExpression","ProjectionExpression","ScanIndexForward","ConsistentRead","Limit","Select","ExpressionAttributeNames","ExpressionAttributeValues"]),n=Object.values(t.ExpressionAttributeNames??{}),i=Object.values(t.ExpressionAttributeValues??{});return Object.keys(t).every(s=>r.has(s))&&(t.Select===void 0||t.Select==="COUNT")&&i.every(Ie)&&!n.some(s=>s.includes("`"))}function Ke(e){let{request:t}=e,r=t.ExpressionAttributeNames??{},n=t.ExpressionAttributeValues??{},i=o=>d(H(String(t[o]),r,n,Be)),s=[`hashrange ${e.operation.toLowerCase()} ${d(String(t.TableName))}`];return t.KeyConditionExpression!==void 0&&(s[0]+=` ${i("KeyConditionExpression")}`),t.IndexName!==void 0&&s.push(`--index ${d(String(t.IndexName))}`),t.FilterExpression!==void 0&&s.push(`--filter ${i("FilterExpression")}`),t.ProjectionExpression!==void 0&&s.push(`--select ${i("ProjectionExpression")}`),t.ScanIndexForward===!1&&s.push("--reverse"),t.ConsistentRead===!0&&s.push("--consistent"),t.Limit!==void 0&&s.push(`--limit ${String(t.Limit)}`),$(e)?s.push("--count"):g(e)&&s.push("--all"),s}function ae(e,t){let{Statement:r,Parameters:n}=e.request,i=[`--endpoint ${d(t.endpoint)}`,...t.region==="us-east-1"?[]:[`--region ${d(t.region)}`]];if(e.operation==="ExecuteStatement"&&n===void 0&&e.request.NextToken===void 0)return`${F([`hashrange sql ${d(String(r))}`,...i])}
`;let s=ke(e)?Ke(e):[`hashrange api ${e.operation} ${d(K(e.request))}`];return`${F([...s,...i])}
`}var j=[{id:"python",title:"Python"},{id:"javascript",title:"JavaScript"},{id:"rust",title:"Rust"},{id:"aws",title:"AWS CLI"},{id:"hashrange",title:"hashrange"}],Le={python:ie,javascript:ne,rust:se,aws:oe,hashrange:ae};function ue(e,t,r){let{ReturnConsumedCapacity:n,...i}=t.request;return Le[e]({operation:t.operation,request:i},r)}var g=({operation:e,request:t})=>(e==="Query"||e==="Scan")&&t.Limit===void 0&&t.ExclusiveStartKey===void 0,$=({request:e})=>e.Select==="COUNT",b=e=>e.replace(/(?<=[a-z0-9])([A-Z])/g,"_$1").toLowerCase(),N=e=>b(e).replace(/_/g,"-");var T=P("language","python",e=>j.some(t=>t.id===e)),Ve=()=>({endpoint:D,region:U.value,accessKeyId:v.NeedsKeys||v.Signs?null:z.value?.accessKeyId??"any"});function qe({operation:e,request:t}){let r=ue(T.value,{operation:e,request:t},Ve()),n=j.find(i=>i.id===T.value)?.title??"";return w("div",{class:"code",children:w(Z,{label:"Language",tabs:j.map(i=>({id:i.id,title:i.title})),chosen:T.value,choose:i=>T.value=i,children:w(Q,{text:r,label:`${e} in ${n}`})})})}function St({operation:e,request:t,close:r}){return w(W,{title:`${e} as code`,close:r,size:"wide",children:w(qe,{operation:e,request:t})})}export{Pe as a,ze as b,Ue as c,We as d,_ as e,Me as f,Qe as g,H as h,Ze as i,qe as j,St as k};
