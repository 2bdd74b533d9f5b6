import{a as Q}from"./chunk-ID3QII6Z.js";import{b as W}from"./chunk-KHJ6OG3H.js";import{b as M,d as B,k as y,p as k}from"./chunk-ROLWYMZG.js";import{a as Z}from"./chunk-67EBG5AU.js";import{c as P,d as z,e as U}from"./chunk-JCXKHAPF.js";import{l as v,n as D,p as x}from"./chunk-G3JT72BN.js";var Pe=["=","<","<=",">",">=","BETWEEN","begins_with"],ze=["=","<>","<","<=",">",">=","BETWEEN","IN","begins_with","contains","not contains","attribute_exists","attribute_not_exists","attribute_type","size"],Ue=["=","<>","<","<=",">",">="];function G(e,t){let n=e.trim();if(n==="")throw new y("The name of an attribute is missing");if(t?.has(n))return[{name:n}];let r=[],i=/"((?:[^"\\]|\\.)*)"|([^.[\]"]+)|\[(\d+)\]|(\.)/gy,s=!0;for(let o=0;o<n.length;o=i.lastIndex){i.lastIndex=o;let a=i.exec(n);if(a===null)throw new y(`${n} is no path: write address.city, lines[0] or "a.b"`);let[,u,c,g,h]=a;if((u!==void 0||c!==void 0)!==s)throw new y(`${n} is no path: write address.city, lines[0] or "a.b"`);u!==void 0?r.push({name:u.replace(/\\(.)/g,"$1")}):c!==void 0?r.push({name:c}):g!==void 0&&r.push({nth:Number(g)}),s=h!==void 0}if(s)throw new y(`${n} ends too early`);return r}var R=class{names=B();values=B();byName=new Map;name(t){let n=this.byName.get(t);if(n!==void 0)return n;let r=this.free("#",t,this.names);return this.byName.set(t,r),this.names[r]=t,r}path(t){return t.map((n,r)=>"nth"in n?`[${n.nth}]`:`${r>0?".":""}${this.name(n.name)}`).join("")}value(t,n){let r=this.free(":",t,this.values);return this.values[r]=n,r}free(t,n,r){let i=/^[A-Za-z][A-Za-z0-9_]{0,30}$/.test(n)?n:"a";for(let s=1;;s+=1){let o=`${t}${i}${s===1&&i!=="a"?"":`${i==="a"?"":"_"}${s}`}`;if(!Object.hasOwn(r,o))return o}}into(t){Object.keys(this.names).length>0&&(t.ExpressionAttributeNames=this.names),Object.keys(this.values).length>0&&(t.ExpressionAttributeValues=this.values)}},le=e=>{for(let t of[...e].reverse())if("name"in t)return t.name;return"v"};function pe(e,t){let n=t.name(e.name),r=i=>t.value(e.name,k(e.type,e.values[i]??""));return e.operator==="BETWEEN"?`${n} BETWEEN ${r(0)} AND ${r(1)}`:e.operator==="begins_with"?`begins_with(${n}, ${r(0)})`:`${n} ${e.operator} ${r(0)}`}var O=e=>(e.values[0]??"")!==""&&(e.operator!=="BETWEEN"||(e.values[1]??"")!==""),de=e=>e==="attribute_exists"||e==="attribute_not_exists";function J(e,t,n){let r=G(e.path,n),i=t.path(r),s=le(r),o=(a,u=e.type)=>t.value(s,k(u,e.values[a]??""));switch(e.operator){case"attribute_exists":case"attribute_not_exists":return`${e.operator}(${i})`;case"begins_with":case"contains":return`${e.operator}(${i}, ${o(0)})`;case"not contains":return`NOT contains(${i}, ${o(0)})`;case"attribute_type":return`attribute_type(${i}, ${o(0,"S")})`;case"size":return`size(${i}) ${e.comparator??"="} ${o(0,"N")}`;case"BETWEEN":return`${i} BETWEEN ${o(0)} AND ${o(1)}`;case"IN":return`${i} IN (${e.values.map((a,u)=>o(u)).join(", ")})`;default:return`${i} ${e.operator} ${o(0)}`}}function We(e,t){try{return e.operator==="IN"&&e.values.length===0?"IN needs at least one value":e.type==="N"&&!de(e.operator)&&e.operator!=="attribute_type"&&(e.values[0]??"")===""?"A number is missing":(J(e,new R,t),null)}catch(n){if(n instanceof y)return n.message;throw n}}var ge=e=>!e.isOff&&e.path.trim()!=="",fe=e=>(e.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g)??[]).map(t=>t.trim()).filter(Boolean);function me(e){let t=[];for(let n of e)if(!O(n)||(t.push(n),n.operator!=="="))break;return t}function Me(e){let t=new R,n=e.partition.length>0&&e.partition.every(O),r={TableName:e.table};e.index!==null&&(r.IndexName=e.index);let i=[];if(n){let u=me(e.sort);for(let c of e.sort.slice(u.length).filter(O))i.push(`${c.name}: the sort key attributes before it need =`);r.KeyConditionExpression=[...e.partition,...u].map(c=>pe(c,t)).join(" AND "),e.isDescending&&(r.ScanIndexForward=!1)}else for(let u of[...e.partition,...e.sort].filter(O))i.push(`${u.name}: without the whole partition key there is no range to read`);let s=e.filters.filter(ge).map(u=>J(u,t,e.known));s.length>0&&(r.FilterExpression=s.join(" AND "));let o=fe(e.projection);e.isCount?r.Select="COUNT":o.length>0&&(r.ProjectionExpression=o.map(u=>t.path(G(u,e.known))).join(", ")),e.isConsistent&&(r.ConsistentRead=!0);let a=e.limit.trim();return a!==""&&(r.Limit=$e(a)),t.into(r),{operation:n?"Query":"Scan",request:r,leftOut:i}}function $e(e){let t=Number(e);if(!/^\d+$/.test(e)||t<1||t>2147483647)throw new y("A limit is a whole number from 1");return t}function ye(e){return"S"in e?`'${e.S.replace(/'/g,"''")}'`:"N"in e?e.N:"BOOL"in e?String(e.BOOL):"NULL"in e?"null":JSON.stringify(e)}function H(e,t,n,r=i=>i){return e.replace(/[#:][A-Za-z0-9_]+/g,i=>i.startsWith("#")?Object.hasOwn(t,i)?r(t[i]):i:Object.hasOwn(n,i)?ye(n[i]):i)}function Qe(e,t,n){let r=new R,i=[],s=[],o=[];for(let{name:g,before:h,after:_}of n){let w=r.name(g);_===void 0?s.push(w):i.push(`${w} = ${r.value(g,_)}`),o.push(h===void 0?`attribute_not_exists(${w})`:`${w} = ${r.value(`old_${g}`,h)}`)}let[a]=Object.keys(t);a!==void 0&&n.every(g=>g.before===void 0)&&o.push(`attribute_exists(${r.name(a)})`);let u=[i.length>0?`SET ${i.join(", ")}`:"",s.length>0?`REMOVE ${s.join(", ")}`:""],c={TableName:e,Key:t,UpdateExpression:u.filter(Boolean).join(" "),ConditionExpression:o.join(" AND ")};return r.into(c),c}var S=/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,X=e=>`\\u${e.charCodeAt(0).toString(16).padStart(4,"0")}`,I={"\n":"\\n","\r":"\\r","	":"\\t"},l=e=>`"${e.replace(/["\\]/g,"\\$&").replace(S,t=>I[t]??X(t))}"`,p=e=>`"${e.replace(/["\\]/g,"\\$&").replace(S,t=>I[t]??`\\u{${t.charCodeAt(0).toString(16)}}`)}"`,Y=e=>`\\x${e.toString(16).padStart(2,"0")}`;function d(e){if(/^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$/.test(e))return e;if(S.lastIndex=0,!S.test(e.replace(/\n/g,"")))return`'${e.replace(/'/g,"'\\''")}'`;let t=r=>Array.from(new TextEncoder().encode(r),Y).join("");return`$'${e.replace(/['\\]/g,"\\$&").replace(S,r=>I[r]??t(r)).replace(/(\\x[0-9a-f]{2})([0-9a-fA-F])/g,(r,i,s)=>i+Y(s.charCodeAt(0)))}'`}var K=e=>JSON.stringify(e).replace(S,X),m=e=>typeof e=="object"&&e!==null&&!Array.isArray(e),A=e=>m(e)&&Object.keys(e).length===1&&(typeof e.B=="string"||Array.isArray(e.BS)),C=e=>A(e)||(Array.isArray(e)?e.some(C):m(e)&&Object.values(e).some(C));function L(e,t){return typeof e=="string"?l(e):e===null||typeof e!="object"?String(e):A(e)?"B"in e?`{ B: ${ee(e.B)} }`:`{ BS: [${e.BS.map(ee).join(", ")}] }`:m(e)?te(Object.entries(e).map(([n,r])=>`${be(n)}: ${L(r,t+1)}`),"{ "," }",t):te(e.map(n=>L(n,t+1)),"[","]",t)}var ee=e=>`Buffer.from(${l(e)}, "base64")`;function be(e){return e==="__proto__"?`[${l(e)}]`:/^[A-Za-z_$][\w$]*$/.test(e)?e:l(e)}function te(e,t,n,r){if(e.length===0)return`${t}${n}`.replace(/ /g,"");let i=e.join(", ");if(i.length+r*2<=76&&!i.includes(`
`))return`${t}${i}${n}`;let s="  ".repeat(r+1);return`${t.trim()}
${e.map(o=>`${s}${o},
`).join("")}${"  ".repeat(r)}${n.trim()}`}function he(e){if(!f(e))return`const answer = await client.send(new ${e.operation}Command(request));
console.log(answer);
`;let t=`for await (const page of paginate${e.operation}({ client }, request))`;return $(e)?`let count = 0;
${t} count += page.Count;
console.log(count);
`:`${t} {
  for (const item of page.Items) console.log(item);
}
`}function ne(e,t){let n=f(e)?`paginate${e.operation}`:`${e.operation}Command`,r=t.accessKeyId===null?"":`
  credentials: { accessKeyId: ${l(t.accessKeyId)}, secretAccessKey: "any" },`;return[`import { DynamoDBClient, ${n} } from "@aws-sdk/client-dynamodb";
`,`const client = new DynamoDBClient({
  endpoint: ${l(t.endpoint)},
  region: ${l(t.region)},${r}
});
`,`const request = ${L(e.request,0)};
${he(e)}`].join(`
`)}function V(e,t){if(e==null)return"None";if(typeof e=="boolean")return e?"True":"False";if(typeof e=="string")return l(e);if(typeof e!="object")return String(e);if(A(e))return"B"in e?`{"B": ${re(e.B)}}`:`{"BS": [${e.BS.map(re).join(", ")}]}`;let n=m(e)?Object.entries(e).map(([r,i])=>`${l(r)}: ${V(i,t+1)}`):e.map(r=>V(r,t+1));return we(n,m(e)?"{}":"[]",t)}var re=e=>`base64.b64decode(${l(e)})`;function we(e,t,n){let r=e.join(", ");if(r.length+n*4<=76&&!r.includes(`
`))return`${t[0]}${r}${t[1]}`;let i="    ".repeat(n+1);return`${t[0]}
${e.map(s=>`${i}${s},
`).join("")}${"    ".repeat(n)}${t[1]}`}function xe(e){let t=e.accessKeyId===null?"":`
    aws_access_key_id=${l(e.accessKeyId)},
    aws_secret_access_key="any",`;return`client = boto3.client(
    "dynamodb",
    endpoint_url=${l(e.endpoint)},
    region_name=${l(e.region)},${t}
)
`}function Se(e){if(!f(e))return`answer = client.${b(e.operation)}(**request)
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
${Se(e)}`}var Ce={KeySchema:"KeySchemaElement",AttributeDefinitions:"AttributeDefinition",GlobalSecondaryIndexes:"GlobalSecondaryIndex",LocalSecondaryIndexes:"LocalSecondaryIndex",GlobalSecondaryIndexUpdates:"GlobalSecondaryIndexUpdate",Create:"CreateGlobalSecondaryIndexAction",Update:"UpdateGlobalSecondaryIndexAction",Delete:"DeleteGlobalSecondaryIndexAction",Projection:"Projection",ProvisionedThroughput:"ProvisionedThroughput",OnDemandThroughput:"OnDemandThroughput",StreamSpecification:"StreamSpecification",TimeToLiveSpecification:"TimeToLiveSpecification",Tags:"Tag"},_e=new Set(["Projection","OnDemandThroughput","GlobalSecondaryIndexUpdate"]),Re={KeyType:"KeyType",AttributeType:"ScalarAttributeType",ProjectionType:"ProjectionType",BillingMode:"BillingMode",StreamViewType:"StreamViewType",Select:"Select",ReturnValues:"ReturnValue",ReturnValuesOnConditionCheckFailure:"ReturnValuesOnConditionCheckFailure",TableClass:"TableClass"},Ae=new Set(["ExpressionAttributeValues","ExclusiveStartKey","Key","Item"]),Oe=e=>e.toLowerCase().replace(/(?:^|_)([a-z])/g,(t,n)=>n.toUpperCase()),q=class{types=new Set;usesBlob=!1;usesMap=!1;value(t){this.types.add("AttributeValue");let[n="",r]=Object.entries(t)[0]??[],i=(o,a)=>`AttributeValue::${o}(${a})`,s=o=>`vec![${o.map(a=>`${p(a)}.into()`).join(", ")}]`;switch(n){case"S":case"N":return i(n,`${p(r)}.into()`);case"B":return i("B",this.blob(r));case"BOOL":return i("Bool",String(r));case"NULL":return i("Null","true");case"SS":return i("Ss",s(r));case"NS":return i("Ns",s(r));case"BS":return i("Bs",`vec![${r.map(o=>this.blob(o)).join(", ")}]`);case"L":return i("L",`vec![${r.map(o=>this.value(o)).join(", ")}]`);default:return this.usesMap=!0,i("M",`HashMap::from([${Object.entries(r).map(([o,a])=>`(${p(o)}.into(), ${this.value(a)})`).join(", ")}])`)}}blob(t){return this.usesBlob=!0,`Blob::new(*b"${Array.from(M(t),r=>r>=32&&r<127&&r!==34&&r!==92?String.fromCharCode(r):`\\x${r.toString(16).padStart(2,"0")}`).join("")}")`}member(t,n,r){let i=`.${b(t)}`;if(Ae.has(t))return Object.entries(n).map(([a,u])=>`${i}(${p(a)}, ${this.value(u)})`);if(t==="ExpressionAttributeNames")return Object.entries(n).map(([a,u])=>`${i}(${p(a)}, ${p(String(u))})`);if(t==="Parameters")return n.map(a=>`${i}(${this.value(a)})`);let s=Ce[t];if(s!==void 0)return(Array.isArray(n)?n:[n]).map(a=>`${i}(${this.structure(s,a,r)})`);if(Array.isArray(n))return n.map(a=>`${i}(${p(String(a))})`);let o=Re[t];return o!==void 0?(this.types.add(o),[`${i}(${o}::${Oe(String(n))})`]):[`${i}(${typeof n=="string"?p(n):String(n)})`]}structure(t,n,r){this.types.add(t);let i=Object.entries(m(n)?n:{}).flatMap(([a,u])=>this.member(a,u,`${r}        `)),s=[`${t}::builder()`,...i,_e.has(t)?".build()":".build()?"],o=s.join("");return o.length+r.length<72&&!o.includes(`
`)?o:`
${r}    ${s.join(`
${r}        `)},
${r}`}};function Ne(e){let{accessKeyId:t}=e;return t===null?{uses:`use aws_sdk_dynamodb::Client;
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
`}}function je(e){return f(e)?$(e)?{send:`
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
`}}function se(e,t){let n=new q,r=Object.entries(e.request).flatMap(([E,ce])=>n.member(E,ce,"        ")),{uses:i,words:s,crates:o}=Ne(t),{send:a,after:u}=je(e),c=[...n.types].sort(),g=c.length===0?"":`use aws_sdk_dynamodb::types::${c.length===1?c[0]:`{${c.join(", ")}}`};
`,h=n.usesBlob?`use aws_sdk_dynamodb::primitives::Blob;
`:"",_=n.usesMap?`use std::collections::HashMap;

`:"",w=f(e)?"let mut answer":"let answer";return`${o}${_}${i}${h}${g}
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
${s}    ${w} = client
        .${b(e.operation)}()${r.map(E=>`
        ${E}`).join("")}${a};
${u}    Ok(())
}
`}var F=e=>e.join(` \\
  `);function Te(e,t){let n=`--${N(e)}`;if(t===!0)return n;if(t===!1)return`--no-${N(e)}`;let r=d(typeof t=="string"?t:K(t));return typeof t=="string"&&t.startsWith("-")?`${n}=${r}`:`${n} ${r}`}function oe(e,t){let n=t.accessKeyId===null?"":`AWS_ACCESS_KEY_ID=${d(t.accessKeyId)} AWS_SECRET_ACCESS_KEY=any `,r=Object.entries(e.request).map(([s,o])=>Te(s,o));return`${C(e.request)?`# Version 2 of the AWS CLI, which reads binary values as base64
`:""}${F([`${n}aws dynamodb ${N(e.operation)}`,`--endpoint-url ${d(t.endpoint)}`,`--region ${d(t.region)}`,...r])}
`}var Ee=/^(and|or|not|between|in|size|begins_with|contains|attribute_exists|attribute_not_exists|attribute_type|true|false|null)$/i,ve=e=>/^[A-Za-z_][A-Za-z0-9_]*$/.test(e)&&!Ee.test(e),Be=e=>ve(e)?e:`\`${e}\``,ke=e=>"S"in e||"N"in e||"BOOL"in e;function Ie({operation:e,request:t}){if(e!=="Query"&&e!=="Scan")return!1;let n=new Set(["TableName","IndexName","KeyConditionExpression","FilterExpression","ProjectionExpression","ScanIndexForward","ConsistentRead","Limit","Select","ExpressionAttributeNames","ExpressionAttributeValues"]),r=Object.values(t.ExpressionAttributeNames??{}),i=Object.values(t.ExpressionAttributeValues??{});return Object.keys(t).every(s=>n.has(s))&&(t.Select===void 0||t.Select==="COUNT")&&i.every(ke)&&!r.some(s=>s.includes("`"))}function Ke(e){let{request:t}=e,n=t.ExpressionAttributeNames??{},r=t.ExpressionAttributeValues??{},i=o=>d(H(String(t[o]),n,r,Be)),s=[`hashrange ${e.operation.toLowerCase()} ${d(String(t.TableName))}`];return t.KeyConditionExpression!==void 0&&(s[0]+=` ${i("KeyConditionExpression")}`),t.IndexName!==void 0&&s.push(`--index ${d(String(t.IndexName))}`),t.FilterExpression!==void 0&&s.push(`--filter ${i("FilterExpression")}`),t.ProjectionExpression!==void 0&&s.push(`--select ${i("ProjectionExpression")}`),t.ScanIndexForward===!1&&s.push("--reverse"),t.ConsistentRead===!0&&s.push("--consistent"),t.Limit!==void 0&&s.push(`--limit ${String(t.Limit)}`),$(e)?s.push("--count"):f(e)&&s.push("--all"),s}function ae(e,t){let{Statement:n,Parameters:r}=e.request,i=[`--endpoint ${d(t.endpoint)}`,...t.region==="us-east-1"?[]:[`--region ${d(t.region)}`]];if(e.operation==="ExecuteStatement"&&r===void 0&&e.request.NextToken===void 0)return`${F([`hashrange sql ${d(String(n))}`,...i])}
`;let s=Ie(e)?Ke(e):[`hashrange api ${e.operation} ${d(K(e.request))}`];return`${F([...s,...i])}
`}var j=[{id:"python",title:"Python"},{id:"javascript",title:"JavaScript"},{id:"rust",title:"Rust"},{id:"aws",title:"AWS CLI"},{id:"hashrange",title:"hashrange"}],Le={python:ie,javascript:ne,rust:se,aws:oe,hashrange:ae};function ue(e,t,n){let{ReturnConsumedCapacity:r,...i}=t.request;return Le[e]({operation:t.operation,request:i},n)}var f=({operation:e,request:t})=>(e==="Query"||e==="Scan")&&t.Limit===void 0&&t.ExclusiveStartKey===void 0,$=({request:e})=>e.Select==="COUNT",b=e=>e.replace(/(?<=[a-z0-9])([A-Z])/g,"_$1").toLowerCase(),N=e=>b(e).replace(/_/g,"-");var T=P("language","python",e=>j.some(t=>t.id===e)),Ve=()=>({endpoint:D,region:U.value,accessKeyId:v.NeedsKeys||v.Signs?null:z.value?.accessKeyId??"any"});function qe({operation:e,request:t}){let n=ue(T.value,{operation:e,request:t},Ve()),r=j.find(i=>i.id===T.value)?.title??"";return x("div",{class:"code",children:x(Z,{label:"Language",tabs:j.map(i=>({id:i.id,title:i.title})),chosen:T.value,choose:i=>T.value=i,children:x(Q,{text:n,label:`${e} in ${r}`})})})}function St({operation:e,request:t,close:n}){return x(W,{title:`${e} as code`,close:n,size:"wide",children:x(qe,{operation:e,request:t})})}export{Pe as a,ze as b,Ue as c,R as d,We as e,Me as f,H as g,Qe as h,qe as i,St as j};
