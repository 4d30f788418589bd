#!/bin/sh
# Backs up the SQLite database of DATABASE_URL, restores and verifies the backup in a place of its own, names it, and
# removes the oldest. Run it in the program's folder, never twice at once: deploy/backup.sh FOLDER [KEEP]
set -eu
folder=$1
keep=${2:-14}
trial=$folder/trial
aqs() { deploy/run.sh aqs "$@"; }

rm -rf "$trial"
mkdir "$trial"
trap 'rm -rf "$trial"' EXIT
aqs backup "$trial/backup.db"
(
    export DATABASE_URL="sqlite:$trial/aqs.db"
    aqs restore "$trial/backup.db"
    aqs verify
    # verify finds nothing wrong with an empty database.
    if aqs status | grep --quiet '"tipHash": null'; then
        echo "The database is empty: its backup does not replace others." >&2
        exit 1
    fi
)
mv "$trial/backup.db" "$folder/aqs-$(date --utc +%Y%m%dT%H%M%S.%3NZ).db"
ls "$folder"/aqs-*.db | head --lines=-"$keep" | xargs --delimiter='\n' --no-run-if-empty rm --
