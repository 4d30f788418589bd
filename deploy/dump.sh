#!/bin/sh
# Dumps the PostgreSQL database that PGHOST, PGDATABASE and so on name, reads the dump to its end, names it, and removes the
# oldest: deploy/dump.sh FOLDER [KEEP]
set -eu
folder=$1
keep=${2:-14}
umask 077

unfinished=$folder/unfinished.dump
trap 'rm -f "$unfinished"' EXIT
pg_dump --format=custom --file="$unfinished"
pg_restore --file=/dev/null "$unfinished"
mv "$unfinished" "$folder/aqs-$(date --utc +%Y%m%dT%H%M%S.%3NZ).dump"
ls "$folder"/aqs-*.dump | head --lines=-"$keep" | xargs --delimiter='\n' --no-run-if-empty rm --
