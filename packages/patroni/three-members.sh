#!/bin/sh
# Runs etcd and three members of a PostgreSQL cluster on this machine until it is interrupted or its input ends.
# What it needs: apt-get install patroni etcd-server postgresql. Not as root.
#
#   three-members.sh FOLDER [PORT]
#
# Members listen at PORT + 1, + 2 and + 3 (5441 to 5443 unless given). Configurations, data and logs lie in FOLDER;
# a second run goes on with what is there. A member that ends is started again after two seconds, as systemd would.
set -eu
[ $# -ge 1 ] || { echo "usage: three-members.sh FOLDER [PORT]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
base=${2:-5440}
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

start_etcd() {
    etcd --enable-v2 --name etcd --data-dir "$folder/etcd" --log-level error \
        --listen-client-urls "http://127.0.0.1:$((base + 10))" \
        --advertise-client-urls "http://127.0.0.1:$((base + 10))" \
        --listen-peer-urls "http://127.0.0.1:$((base + 11))" \
        --initial-advertise-peer-urls "http://127.0.0.1:$((base + 11))" \
        --initial-cluster "etcd=http://127.0.0.1:$((base + 11))" > "$folder/etcd.log" 2>&1 &
    echo $! > "$folder/etcd.pid"
}

configure() {
    mkdir -p -m 700 "$folder/$1"
    sed -e "s|@NAME@|$1|g" -e "s|@PORT@|$((base + $2))|g" -e "s|@REST_PORT@|$((base + 20 + $2))|g" \
        -e "s|@ETCD_PORT@|$((base + 10))|g" -e "s|@FOLDER@|$folder|g" -e "s|@PROGRAMS@|$programs|g" \
        "$here/member.yaml.in" > "$folder/$1.yaml"
}

# Starts a member again and again. Its number is in NAME.pid.
keep() {
    while :; do
        patroni "$folder/$1.yaml" >> "$folder/$1.log" 2>&1 &
        echo $! > "$folder/$1.pid"
        wait $! || true
        [ ! -e "$folder/ending" ] || return 0
        sleep 2
    done
}

end() {
    trap '' INT TERM
    touch "$folder/ending"
    for name in one two three etcd; do
        [ ! -e "$folder/$name.pid" ] || kill -CONT "$(cat "$folder/$name.pid")" 2> /dev/null || true
        [ ! -e "$folder/$name.pid" ] || kill "$(cat "$folder/$name.pid")" 2> /dev/null || true
    done
    for name in one two three; do
        "$programs/pg_ctl" stop -s -m immediate -D "$folder/$name/data" 2> /dev/null || true
    done
    wait
}

rm -f "$folder/ending"
start_etcd
for member in "one 1" "two 2" "three 3"; do
    # shellcheck disable=SC2086
    configure $member
    keep "${member% *}" &
done
trap 'end; exit 0' INT TERM
echo "members at 127.0.0.1:$((base + 1)), $((base + 2)), $((base + 3)); \
patronictl -c $folder/one.yaml list"
cat > /dev/null
end
