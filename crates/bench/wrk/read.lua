-- Reads for wrk: the partitions of the table that load.py makes, at random; of each one item (get)
-- or all 100 (query).
--   wrk -t2 -c64 -d10s --latency -s crates/bench/wrk/read.lua http://127.0.0.1:8000/ -- get
local operations = {
  get = {
    name = "GetItem",
    body = '{"TableName":"Bench","Key":{"pk":{"S":"part-%08d"},"sk":{"S":"sort-0042"}}}',
  },
  query = {
    name = "Query",
    body = '{"TableName":"Bench","KeyConditionExpression":"pk = :p",'
      .. '"ExpressionAttributeValues":{":p":{"S":"part-%08d"}}}',
  },
}
local requests = {}

function init(args)
  local operation = assert(operations[args[1]], "say what to read: -- get, or -- query")
  local headers = {
    ["X-Amz-Target"] = "DynamoDB_20120810." .. operation.name,
    ["Content-Type"] = "application/x-amz-json-1.0",
    ["Authorization"] = "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00",
  }
  for nth = 0, 999 do
    requests[nth] = wrk.format("POST", "/", headers, operation.body:format(nth))
  end
  math.randomseed(os.time())
end

function request()
  return requests[math.random(0, 999)]
end
