#!/bin/bash
# Run once in the new primary: lets the standby copy and follow it.
set -eu
echo "host replication hashrange all scram-sha-256" >> "$PGDATA/pg_hba.conf"
