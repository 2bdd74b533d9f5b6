-- Reads of one item for wrk: the partitions of the table that load.py makes, at random.
--   wrk -t2 -c64 -d10s --latency -s crates/bench/wrk/get.lua http://127.0.0.1:8000/
local headers = {
  ["X-Amz-Target"] = "DynamoDB_20120810.GetItem",
  ["Content-Type"] = "application/x-amz-json-1.0",
  ["Authorization"] = "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00",
}
local requests = {}

function init()
  for nth = 0, 999 do
    local body = string.format(
      '{"TableName":"Bench","Key":{"pk":{"S":"part-%08d"},"sk":{"S":"sort-0042"}}}', nth)
    requests[nth] = wrk.format("POST", "/", headers, body)
  end
  math.randomseed(os.time())
end

function request()
  return requests[math.random(0, 999)]
end
