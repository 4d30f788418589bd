#!/bin/sh
# Tests the PostgreSQL engine on Citus: a coordinator and two workers on this machine, on loopback, in a temporary
# folder that is removed at the end. Runs the conformance suite and the tests of lib/queries, then the main job of
# lib/testing/citus.ts.
#
#   sh lib/testing/citus.sh
#
# Citus must be installed in the newest PostgreSQL here.
# SUITES: the test files to run before the job instead of those; "" for none.
#
#   sh lib/testing/citus.sh node FOLDER start|stop|kill|freeze|thaw|standby|promote NUMBER
#
# is how the job loses nodes and gets them back. FOLDER is the temporary folder.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
version_order='s|.*/postgresql/\([0-9]*\)/.*|\1 &|'
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sed "$version_order" | sort -rn | head -1 | cut -d' ' -f2)
if command -v initdb >/dev/null; then bin=$(dirname "$(readlink -f "$(command -v initdb)")"); fi
if [ -z "$bin" ]; then
  echo "There is no PostgreSQL server here: neither PATH nor /usr/lib/postgresql/*/bin has initdb" >&2
  exit 1
fi

# PostgreSQL refuses to run as root: then it runs as the user that its package made, without root's settings.
as_owner() {
  if [ "$(id -u)" = 0 ]; then
    HOME=$folder setpriv --reuid=postgres --regid=postgres --init-groups "$@"
  else
    HOME=$folder "$@"
  fi
}
pg_ctl() { as_owner "$bin/pg_ctl" -D "$folder/node$number" -s -w "$@"; }
sql() { # PORT STATEMENT…: as the superuser, in the database of the test
  port=$1
  shift
  for statement in "$@"; do
    "$bin/psql" -X -q -t -A -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$port" -U postgres -d aqs -c "$statement"
  done
}
free_port() {
  "$root/node_modules/.bin/node" -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'
}
port_of() { sed -n "s/^port = //p" "$folder/node$1/postgresql.conf" | tail -1; }

# `standby N` makes node 3 a synchronous copy of node N; `promote 3` puts it in charge of its data.
node_command() {
  folder=$1 verb=$2 number=$3
  cd "$folder"
  case $verb in
    start) pg_ctl -l "$folder/log$number" start ;;
    stop) pg_ctl -m fast stop ;;
    kill) pg_ctl -m immediate stop ;;
    freeze | thaw)
      signal=STOP
      if [ "$verb" = thaw ]; then signal=CONT; fi
      main=$(head -1 "$folder/node$number/postmaster.pid")
      # The processes that it has started, after it, which would start more.
      kill "-$signal" "$main"
      # One of them may have ended by then.
      for child in $(cat "/proc/$main/task/$main/children"); do kill "-$signal" "$child" 2>/dev/null || true; done
      ;;
    promote) pg_ctl promote ;;
    standby)
      from=$(port_of "$number")
      as_owner "$bin/pg_basebackup" -h 127.0.0.1 -p "$from" -U postgres -D "$folder/node3" -R -X stream -c fast
      echo "port = $(free_port)" | as_owner tee -a "$folder/node3/postgresql.conf" >/dev/null
      number=3
      pg_ctl -l "$folder/log3" start
      sql "$from" "ALTER SYSTEM SET synchronous_standby_names = '*'" "SELECT pg_reload_conf()" >/dev/null
      port_of 3
      ;;
    *)
      echo "node: start, stop, kill, freeze, thaw, standby or promote, not $verb" >&2
      exit 2
      ;;
  esac
}
if [ "${1:-}" = node ]; then
  shift
  node_command "$@"
  exit
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/aqs-citus-XXXXXX")
chmod 755 "$folder"
stop_all() {
  cd /
  for data in "$folder"/node*; do
    number=${data##*node}
    if [ -f "$data/postmaster.pid" ]; then
      # It may be frozen, if the job failed then.
      kill -CONT "$(head -1 "$data/postmaster.pid")" || true
      pg_ctl -m immediate stop || true
    fi
  done
  rm -rf "$folder"
}
trap stop_all EXIT
trap 'exit 1' INT TERM HUP

if ! ls "$("$bin/pg_config" --sharedir)/extension/citus.control" >/dev/null 2>&1; then
  echo "Citus is not installed in $("$bin/pg_config" --version)" >&2
  exit 1
fi

echo "== starting a coordinator and two workers"
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
cd "$folder"
for number in 0 1 2; do
  as_owner "$bin/initdb" -D "$folder/node$number" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null
  # Prepared transactions: one for each worker and each writing transaction. `wal_level` is for moving shards.
  as_owner tee -a "$folder/node$number/postgresql.conf" >/dev/null <<CONF
port = $(free_port)
listen_addresses = '127.0.0.1'
unix_socket_directories = '$folder'
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 300
max_prepared_transactions = 300
fsync = off
citus.enable_statistics_collection = off
CONF
  pg_ctl -l "$folder/log$number" start
  port=$(port_of $number)
  "$bin/psql" -X -q -h 127.0.0.1 -p "$port" -U postgres -d postgres -c "CREATE ROLE aqs LOGIN" \
    -c "CREATE DATABASE aqs OWNER aqs TEMPLATE template0 ENCODING 'UTF8'"
  sql "$port" "CREATE EXTENSION citus"
done
coordinator=$(port_of 0)
sql "$coordinator" "SELECT citus_set_coordinator_host('127.0.0.1', $coordinator)" \
  "SELECT citus_add_node('127.0.0.1', $(port_of 1))" \
  "SELECT citus_add_node('127.0.0.1', $(port_of 2))" \
  "ALTER ROLE aqs SET citus.shard_count = ${SHARDS:-8}" >/dev/null
sql "$coordinator" "SELECT citus_version()"
cd "$root"

url="postgres://aqs@127.0.0.1:$coordinator/aqs"
suites=${SUITES-lib/store/conformance.test.ts lib/queries}
if [ -n "$suites" ]; then
  echo "== $suites"
  # One after another, because writers to one database take turns. The time limits, in milliseconds, only end what
  # hangs. A statement keeps to one connection to each worker: opening more takes many times as long as reading what
  # these small tables hold. Without quotes: a list of files.
  sql "$coordinator" "ALTER ROLE aqs SET citus.max_adaptive_executor_pool_size = 1" \
    "ALTER ROLE aqs SET citus.max_cached_conns_per_worker = 4"
  # shellcheck disable=SC2086
  TEST_DATABASE_URL="$url" npm run --silent unit -- --no-file-parallelism --testTimeout=3600000 --hookTimeout=600000 --reporter=verbose $suites
  sql "$coordinator" "ALTER ROLE aqs RESET citus.max_adaptive_executor_pool_size" \
    "ALTER ROLE aqs RESET citus.max_cached_conns_per_worker"
fi
echo "== main job"
node_modules/.bin/node lib/testing/citus.ts "$url" "$folder"
