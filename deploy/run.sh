#!/bin/sh
# Becomes a script of package.json without npm: run start, run aqs status. A signal reaches the program itself. The working
# folder is the program's.
PATH=$PWD/node_modules/.bin:$PATH
script=$(node -p 'require("./package.json").scripts[process.argv[1]] ?? process.exit(2)' "$1") || {
    echo "run start, or run aqs COMMAND" >&2
    exit 2
}
exec sh -c "$script \"\$@\"" "$@"
