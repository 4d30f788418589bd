#!/bin/sh
# Becomes a script of package.json, as `npm run` starts it: run start, run aqs status. npm itself is not in the image.
script=$(node -p 'require("./package.json").scripts[process.argv[1]] ?? process.exit(2)' "$1") || {
    echo "run start, or run aqs COMMAND" >&2
    exit 2
}
exec sh -c "$script \"\$@\"" "$@"
