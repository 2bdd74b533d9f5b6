#!/bin/bash
# The standby: copies the primary at the first start, follows it, and has every commit wait for it.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    install -d -o postgres -g postgres -m 0700 "$PGDATA"
    gosu postgres pg_basebackup -R -X stream -c fast -D "$PGDATA" \
        -d "host=db user=hashrange password=$PGPASSWORD application_name=standby"
    psql -h db -U hashrange -d hashrange \
        -c "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'" -c "SELECT pg_reload_conf()"
fi
exec gosu postgres postgres -c max_connections=100
