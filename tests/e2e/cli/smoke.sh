#!/usr/bin/env bash
# The AWS CLI against the server named by HASHRANGE_ENDPOINT: create, wait, put, batch, query, scan in
# pages, update, delete. Needs `aws` in PATH; ends with status 1 at the first difference.
set -euo pipefail

export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_DEFAULT_REGION=us-east-1 AWS_PAGER="" AWS_MAX_ATTEMPTS=1
export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
here=$(cd "$(dirname "$0")" && pwd)
endpoint=${HASHRANGE_ENDPOINT:-http://127.0.0.1:8000}
table="cli.$$"
passed=0

ddb() { aws dynamodb --endpoint-url "$endpoint" --output json "$@"; }

# expect NAME WANTED GIVEN
expect() {
  if [ "$2" != "$3" ]; then
    printf 'FAILED %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3" >&2
    exit 1
  fi
  passed=$((passed + 1))
}

ddb create-table --table-name "$table" --billing-mode PAY_PER_REQUEST \
  --key-schema AttributeName=pk,KeyType=HASH AttributeName=sk,KeyType=RANGE \
  --attribute-definitions AttributeName=pk,AttributeType=S AttributeName=sk,AttributeType=N >/dev/null
ddb wait table-exists --table-name "$table"
expect "table is active" '"ACTIVE"' "$(ddb describe-table --table-name "$table" --query Table.TableStatus)"
expect "table is listed" true "$(ddb list-tables --query "contains(TableNames, '$table')")"

ddb put-item --table-name "$table" --item '{"pk":{"S":"a"},"sk":{"N":"1"},"x":{"S":"one"}}'
expect "item is read" one "$(ddb get-item --table-name "$table" --key '{"pk":{"S":"a"},"sk":{"N":"1"}}' --consistent-read --query Item.x.S --output text)"

sed "s/TABLE/$table/" "$here/batch.json" >"${TMPDIR:-/tmp}/$table.json"
expect "batch is written" 0 "$(ddb batch-write-item --request-items "file://${TMPDIR:-/tmp}/$table.json" --query 'length(keys(UnprocessedItems))')"
rm -f "${TMPDIR:-/tmp}/$table.json"

expect "query is sorted" "1 2 3" "$(ddb query --table-name "$table" --key-condition-expression 'pk = :p' \
  --expression-attribute-values '{":p":{"S":"b"}}' --query 'Items[].sk.N' --output text | xargs)"
expect "query is reversed" "3 2 1" "$(ddb query --table-name "$table" --key-condition-expression 'pk = :p' --no-scan-index-forward \
  --expression-attribute-values '{":p":{"S":"b"}}' --query 'Items[].sk.N' --output text | xargs)"
expect "scan in pages is complete" 4 "$(ddb scan --table-name "$table" --page-size 1 --query 'length(Items)')"
expect "scan stops at max-items" 2 "$(ddb scan --table-name "$table" --page-size 1 --max-items 2 --query 'length(Items)')"
expect "scan filters" 1 "$(ddb scan --table-name "$table" --filter-expression 'x = :x' \
  --expression-attribute-values '{":x":{"S":"one"}}' --query Count)"

expect "update returns the new value" 6 "$(ddb update-item --table-name "$table" --key '{"pk":{"S":"b"},"sk":{"N":"1"}}' \
  --update-expression 'SET n = n + :one' --expression-attribute-values '{":one":{"N":"1"}}' --return-values UPDATED_NEW \
  --query Attributes.n.N --output text)"
expect "delete returns the old item" one "$(ddb delete-item --table-name "$table" --key '{"pk":{"S":"a"},"sk":{"N":"1"}}' \
  --return-values ALL_OLD --query Attributes.x.S --output text)"

failure=$(ddb put-item --table-name "$table" --item '{"pk":{"S":"b"},"sk":{"N":"1"}}' \
  --condition-expression 'attribute_not_exists(pk)' 2>&1 >/dev/null || true)
case $failure in
  *"(ConditionalCheckFailedException) when calling the PutItem operation: The conditional request failed"*) passed=$((passed + 1)) ;;
  *) expect "failed condition" "ConditionalCheckFailedException" "$failure" ;;
esac

ddb delete-table --table-name "$table" >/dev/null
ddb wait table-not-exists --table-name "$table"
echo "$passed passed"
